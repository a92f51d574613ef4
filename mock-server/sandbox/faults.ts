import type { PlainRequest, Selected } from '../api/exchange.ts'
import { OPERATIONS } from '../api/schema.ts'
import type { CallbackFault, CallbackFaultRule, Fault, FaultRule } from '../contract/fault-rules.ts'
import type { FaultHandle, FaultRecord, MockFaults } from '../contract/faults.ts'
import { assertRule } from '../schemas/fault-rules.ts'
import { RandomNumbers } from '../world/seeded-random.ts'
import type { World } from '../world/world.ts'
import type { FaultDue } from './magic-faults.ts'
import { magicFault } from './magic-faults.ts'

/** The event that an attempt is made to deliver. */
export interface EventInView {
  readonly type: string
  readonly candidateKey: string
}

/** What the faults of a mock are made of. */
export interface FaultSettings {
  readonly world: World
  readonly seed: string
  /** The types of events, as they are sent. */
  readonly events: readonly string[]
  /** Called when a rule has come, gone, or decided on something. */
  readonly onChange: () => void
}

/** The rules that a tester has added to one mock, and how far each of them is. */
export class Faults implements MockFaults {
  readonly #world: World
  readonly #seed: string
  readonly #events: readonly string[]
  readonly #onChange: () => void
  #added = 0
  #random: RandomNumbers
  #rules: readonly StandingRule[] = []

  constructor({ world, seed, events, onChange }: FaultSettings) {
    this.#world = world
    this.#events = events
    this.#onChange = onChange
    this.#seed = seed
    this.#random = new RandomNumbers(`faults\u0000${seed}`)
  }

  add(rule: FaultRule | CallbackFaultRule): FaultHandle {
    assertRule(rule, {
      operations: OPERATIONS,
      keys: this.#world.apiKeys.map(({ name }) => name),
      events: this.#events,
    })
    this.#added += 1
    const added = new StandingRule(`fault_${this.#added}`, structuredClone(rule))
    this.#rules = [...this.#rules, added]
    this.#onChange()
    return {
      id: added.id,
      get hits() {
        return added.hits
      },
      remove: () => this.#keep((standing) => standing !== added),
    }
  }

  remove(id: string): void {
    if (this.#rules.every((standing) => standing.id !== id)) throw new Error(`There is no fault ${JSON.stringify(id)}.`)
    this.#keep((standing) => standing.id !== id)
  }

  list(): FaultRecord[] {
    return this.#rules.map((standing) => standing.record())
  }

  clear(): void {
    this.#keep(() => false)
  }

  /** No rules, and the same chances as in the beginning. */
  reset(): void {
    this.clear()
    this.#added = 0
    this.#random = new RandomNumbers(`faults\u0000${this.#seed}`)
  }

  /** The fault of the next request, if there is one. What it selects is found out only where a rule depends on it. */
  next(request: PlainRequest, selected: () => Selected): FaultDue | null {
    const rules = this.#rules.filter(({ left, rule }) => left > 0 && !('event' in rule))
    if (rules.length === 0) return magicFault(request, selected)
    const selection = selected()
    const decided = this.#decide(rules, ({ rule }) => !('event' in rule) && this.#suits(rule, selection))
    if (!decided) return magicFault(request, () => selection)
    const { phase = 'before' } = decided.rule as FaultRule
    return decided.entry === 'ok' ? null : { fault: this.#settled(decided.entry as Fault), phase }
  }

  /** The fault of the next attempt to deliver an event, if there is one. */
  nextForCallback({ type, candidateKey }: EventInView): CallbackFault | null {
    const decided = this.#decide(this.#rules, ({ rule, left }) => {
      if (left <= 0 || !('event' in rule)) return false
      const isOfType = rule.event === 'any' || rule.event === type
      return isOfType && (rule.email === undefined || this.#world.keyOf(rule.email) === candidateKey)
    })
    return decided && decided.entry !== 'ok' ? (decided.entry as CallbackFault) : null
  }

  #keep(isKept: (standing: StandingRule) => boolean): void {
    this.#rules = this.#rules.filter(isKept)
    this.#onChange()
  }

  /** The first rule that concerns this, and what it decides; one that leaves it to chance may pass it on to the next. */
  #decide(rules: readonly StandingRule[], concerns: (standing: StandingRule) => boolean): Decision | null {
    for (const standing of rules) {
      if (!concerns(standing)) continue
      const entry = standing.take(() => this.#chance())
      this.#onChange()
      if (entry !== null) return { rule: standing.rule, entry }
    }
    return null
  }

  /** A fault with its chances taken: of two times, one between them. */
  #settled(fault: Fault): Fault {
    if (typeof fault !== 'object' || !('delayMs' in fault) || typeof fault.delayMs === 'number') return fault
    const [from, to] = fault.delayMs
    return { delayMs: from + (to - from) * this.#chance() }
  }

  /** A number from 0 to 1, the same ones in the same order for the same seed. */
  #chance(): number {
    return this.#random.next() / 2 ** 32
  }

  #suits({ operation, key, email }: FaultRule, selected: Selected): boolean {
    if (key !== undefined && key !== selected.key) return false
    if (operation === undefined && email === undefined) return true
    return selected.operations.some(
      ({ name, email: invited }) =>
        (operation === undefined || operation === name) &&
        (email === undefined || (invited !== null && this.#world.keyOf(email) === this.#world.keyOf(invited))),
    )
  }
}

interface Decision {
  readonly rule: FaultRule | CallbackFaultRule
  readonly entry: Fault | CallbackFault | 'ok'
}

/** A rule and what it has decided on. */
class StandingRule {
  readonly id: string
  readonly rule: FaultRule | CallbackFaultRule
  hits = 0
  #decided = 0

  constructor(id: string, rule: FaultRule | CallbackFaultRule) {
    this.id = id
    this.rule = rule
  }

  get left(): number {
    const { skip = 0, script, probability } = this.rule
    const times = this.rule.times === null ? Infinity : (this.rule.times ?? (probability === undefined ? 1 : Infinity))
    return skip + (script?.length ?? times) - this.#decided
  }

  /** Decides on one request or attempt; `null` where chance has it that it does not. */
  take(chance: () => number): Decision['entry'] | null {
    const { skip = 0, fault, script, probability = 1 } = this.rule
    const turn = this.#decided - skip
    if (turn >= 0 && probability < 1 && chance() >= probability) return null
    this.#decided += 1
    const entry = turn < 0 ? 'ok' : (script?.[turn] ?? fault ?? 'ok')
    if (entry !== 'ok') this.hits += 1
    return entry
  }

  record(): FaultRecord {
    const { id, rule, hits, left } = this
    return structuredClone({ id, ...('event' in rule ? {} : { phase: 'before' }), skip: 0, ...rule, hits, left })
  }
}
