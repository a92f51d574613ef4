import type { Asked } from '../api/exchange.ts'
import { candidateKeyOf } from '../world/candidate.ts'
import type { World } from '../world/world.ts'
import type { Fault, FaultHandle, FaultRecord, FaultRule, MockFaults } from './fault.ts'
import { assertPlayable } from './playable.ts'

/** A fault that one request is to suffer. */
export interface FaultDue {
  readonly fault: Fault
  readonly phase: 'before' | 'after'
}

/** The rules that a tester has added to one mock, and how far each of them is. */
export class Faults implements MockFaults {
  readonly #world: World
  #rules: readonly StandingRule[] = []

  constructor(world: World) {
    this.#world = world
  }

  add(rule: FaultRule): FaultHandle {
    assertPlayable(
      rule,
      this.#world.apiKeys.map(({ name }) => name),
    )
    const added = new StandingRule(structuredClone(rule))
    this.#rules = [...this.#rules, added]
    return {
      get hits() {
        return added.hits
      },
      remove: () => {
        this.#rules = this.#rules.filter((standing) => standing !== added)
      },
    }
  }

  list(): FaultRecord[] {
    return this.#rules.map((standing) => standing.record())
  }

  clear(): void {
    this.#rules = []
  }

  /** What befalls the next request, if anything. What it asks for is only looked at while there is a rule to compare it with. */
  next(asked: () => Asked): FaultDue | null {
    const rules = this.#rules.filter(({ left }) => left > 0)
    if (rules.length === 0) return null
    const request = asked()
    return rules.find(({ rule }) => this.#fits(rule, request))?.take() ?? null
  }

  #fits({ operation, key, email }: FaultRule, asked: Asked): boolean {
    if (key !== undefined && key !== asked.key) return false
    if (operation === undefined && email === undefined) return true
    return asked.fields.some(
      (field) =>
        (operation === undefined || operation === field.name) &&
        (email === undefined || (field.email !== null && this.#isSame(email, field.email))),
    )
  }

  #isSame(email: string, other: string): boolean {
    const { candidateIdentity } = this.#world.dialect
    return candidateKeyOf(email, candidateIdentity) === candidateKeyOf(other, candidateIdentity)
  }
}

/** A rule and the requests that it has decided on. */
class StandingRule {
  readonly rule: FaultRule
  hits = 0
  #decided = 0

  constructor(rule: FaultRule) {
    this.rule = rule
  }

  get left(): number {
    const { skip = 0, times = 1, script } = this.rule
    return skip + (script?.length ?? times) - this.#decided
  }

  /** Decides on one request: the fault that is due, or `null` where it is let pass. */
  take(): FaultDue | null {
    const { skip = 0, fault, script, phase = 'before' } = this.rule
    const turn = this.#decided - skip
    this.#decided += 1
    const entry = turn < 0 ? 'ok' : (script?.[turn] ?? fault ?? 'ok')
    if (entry === 'ok') return null
    this.hits += 1
    return { fault: entry, phase }
  }

  record(): FaultRecord {
    return structuredClone({ phase: 'before', skip: 0, ...this.rule, hits: this.hits, left: this.left })
  }
}
