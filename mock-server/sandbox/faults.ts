import { gatewayPage, type Reply, type PlainResponse, type PlainRequest, type Selected } from '../api/exchange.ts'
import type { GraphQLEndpoint } from '../api/graphql-endpoint.ts'
import { assertRule } from '../contract/faults.ts'
import { MAX_USED_UP_RULES } from '../contract/limits.ts'
import type { FaultHandle, FaultRecord, MockFaults } from '../contract/members.ts'
import type { CallbackFault, CallbackFaultRule, Fault, FaultRule } from '../generated/contract.ts'
import { magicName } from '../world/email-addresses.ts'
import type { WorldEvent } from '../world/model.ts'
import { RandomNumbers } from '../world/seeded-random.ts'
import type { World } from '../world/world.ts'

export interface FaultSettings {
  readonly world: World
  readonly seed: string
  /** Called when a rule was added or removed, or has decided on something. */
  readonly onChange: () => void
}

/** The fault rules of one mock, and the progress of each. */
export class Faults implements MockFaults {
  readonly #settings: FaultSettings
  #added = 0
  #random: RandomNumbers
  #rules: readonly AddedRule[] = []

  constructor(settings: FaultSettings) {
    this.#settings = settings
    this.#random = seededBy(settings)
  }

  add(rule: FaultRule | CallbackFaultRule): FaultHandle {
    const { world, onChange } = this.#settings
    assertRule(
      rule,
      world.apiKeys.map(({ name }) => name),
    )
    this.#added += 1
    const added = new AddedRule(`fault_${this.#added}`, structuredClone(rule))
    const usedUp = this.#rules.filter(({ left }) => left <= 0)
    const gone = new Set(usedUp.slice(0, Math.max(0, usedUp.length - MAX_USED_UP_RULES)))
    this.#rules = [...this.#rules.filter((each) => !gone.has(each)), added]
    onChange()
    return {
      id: added.id,
      get hits() {
        return added.hits
      },
      remove: () => this.#keep((each) => each !== added),
    }
  }

  remove(id: string): void {
    if (this.#rules.every((each) => each.id !== id)) throw new Error(`There is no fault ${JSON.stringify(id)}.`)
    this.#keep((each) => each.id !== id)
  }

  list(): FaultRecord[] {
    return this.#rules.map((each) => each.row())
  }

  clear(): void {
    this.#keep(() => false)
  }

  /** Removes all rules, and restarts the random numbers. */
  reset(): void {
    this.clear()
    this.#added = 0
    this.#random = seededBy(this.#settings)
  }

  /** The fault of the next request, or `null`. What the request selects is computed only if a rule depends on it. */
  next(request: PlainRequest, selected: () => Selected): FaultDue | null {
    const rules = this.#rules.filter(({ rule, left }) => left > 0 && !('event' in rule))
    if (rules.length === 0) return magicFault(request, selected)
    const selection = selected()
    const decided = this.#decide(rules, ({ rule }) => this.#matches(rule as FaultRule, selection))
    if (!decided) return magicFault(request, () => selection)
    const { id, entry } = decided
    const { phase = 'before' } = decided.rule as FaultRule
    // A late response is the true one: its effect comes first.
    return entry === 'ok' ? null : { id, fault: entry as Fault, phase: isLate(entry) ? 'after' : phase }
  }

  /** The fault of the next attempt to deliver an event, or `null`. */
  nextForCallback({ type, candidateKey }: Pick<WorldEvent, 'type' | 'candidateKey'>): CallbackFault | null {
    const decided = this.#decide(this.#rules, ({ rule, left }) => {
      if (left <= 0 || !('event' in rule)) return false
      const isOfType = rule.event === 'any' || rule.event === type
      return isOfType && (rule.email === undefined || this.#settings.world.keyOf(rule.email) === candidateKey)
    })
    return decided && decided.entry !== 'ok' ? (decided.entry as CallbackFault) : null
  }

  #keep(isKept: (rule: AddedRule) => boolean): void {
    this.#rules = this.#rules.filter(isKept)
    this.#settings.onChange()
  }

  /** The decision of the first rule that matches. One with a probability may leave it to the next. */
  #decide(rules: readonly AddedRule[], matches: (rule: AddedRule) => boolean): Decision | null {
    for (const each of rules) {
      if (!matches(each)) continue
      // A number from 0 to 1: the same sequence for the same seed.
      const entry = each.decide(() => this.#random.next() / 2 ** 32)
      this.#settings.onChange()
      if (entry !== null) return { id: each.id, rule: each.rule, entry }
    }
    return null
  }

  #matches({ operation, key, email }: FaultRule, selected: Selected): boolean {
    const { world } = this.#settings
    if (key !== undefined && key !== selected.key) return false
    if (operation === undefined && email === undefined) return true
    return selected.operations.some(
      ({ name, email: invited }) =>
        (operation === undefined || operation === name) &&
        (email === undefined || (invited !== null && world.keyOf(email) === world.keyOf(invited))),
    )
  }
}

function seededBy({ seed }: FaultSettings): RandomNumbers {
  return new RandomNumbers(`faults\u0000${seed}`)
}

interface Decision {
  readonly id: string
  readonly rule: FaultRule | CallbackFaultRule
  readonly entry: Fault | CallbackFault | 'ok'
}

class AddedRule {
  readonly id: string
  readonly rule: FaultRule | CallbackFaultRule
  hits = 0
  #decided = 0

  constructor(id: string, rule: FaultRule | CallbackFaultRule) {
    this.id = id
    this.rule = rule
  }

  get left(): number {
    const { script, probability } = this.rule
    const times = this.rule.times === null ? Infinity : (this.rule.times ?? (probability === undefined ? 1 : Infinity))
    return (script?.length ?? times) - this.#decided
  }

  /** Decides on one request or attempt; `null` if its probability lets that pass. */
  decide(chance: () => number): Decision['entry'] | null {
    const { fault, script, probability = 1 } = this.rule
    if (probability < 1 && chance() >= probability) return null
    const entry = script?.[this.#decided] ?? fault ?? 'ok'
    this.#decided += 1
    if (entry !== 'ok') this.hits += 1
    return entry
  }

  row(): FaultRecord {
    const { id, rule, hits, left } = this
    return structuredClone({ id, ...('event' in rule ? {} : { phase: 'before' }), ...rule, hits, left })
  }
}

/** What is to happen to a request, and when. */
export interface FaultDue {
  /** The identifier of its rule, or the magic address. */
  readonly id: string
  readonly fault: Fault
  readonly phase: 'before' | 'after'
}

/**
 * The faults of requests that invite a magic address, for tests that can only send requests. The invite to
 * `cut-after+7@candidate.test` is created, and its response is lost.
 */
const MAGIC_FAULTS: ReadonlyMap<string, Omit<FaultDue, 'id'>> = new Map<string, Omit<FaultDue, 'id'>>([
  ['cut-before', { phase: 'before', fault: 'cut' }],
  ['cut-after', { phase: 'after', fault: 'cut' }],
  ['hang', { phase: 'after', fault: 'hang' }],
  ['slow', { phase: 'after', fault: { delayMs: 3000 } }],
  ['garbled', { phase: 'after', fault: 'truncate' }],
  ['down', { phase: 'before', fault: 503 }],
  ['limited', { phase: 'before', fault: { status: 429, headers: { 'retry-after': '1' } } }],
])

/** The fault of the first magic address in this request, or `null`. */
function magicFault(request: PlainRequest, selected: () => Selected): FaultDue | null {
  if (!request.body || !LIKELY.test(request.body)) return null
  for (const { email } of selected().operations) {
    const due = MAGIC_FAULTS.get(magicName(email ?? '') ?? '')
    if (due) return { id: email ?? '', ...due }
  }
  return null
}

const LIKELY = /@candidate\.test/i

/** The reply to a request that a fault hits, before or after the endpoint has executed it. */
export function faultyReply(
  { fault, phase }: FaultDue,
  request: PlainRequest,
  endpoint: GraphQLEndpoint,
  responseTo: () => PlainResponse,
): Reply {
  const response = phase === 'after' ? responseTo() : endpoint.failure(request, 'INTERNAL_SERVER_ERROR', undefined)
  if (fault === 'stall' || fault === 'truncate') return { kind: fault, response }
  if (typeof fault === 'string') return { kind: fault }
  return { kind: 'response', ...applyFault(fault, response, request, endpoint) }
}

function isLate(fault: unknown): boolean {
  return typeof fault === 'object' && fault !== null && 'delayMs' in fault
}

function applyFault(
  fault: Exclude<FaultDue['fault'], string>,
  response: PlainResponse,
  request: PlainRequest,
  endpoint: GraphQLEndpoint,
): { readonly response: PlainResponse; readonly delayMs?: number } {
  if (typeof fault === 'number') return { response: gatewayPage(fault) }
  if ('delayMs' in fault) return { response, delayMs: fault.delayMs }
  if ('code' in fault) {
    const data = { absent: undefined, null: null, result: dataIn(response) }[fault.data ?? 'absent']
    return { response: endpoint.failure(request, fault.code, data) }
  }
  const { status, headers = {}, body = '' } = fault
  return { response: { status, headers, body } }
}

/** The result in a response, if it has one. */
function dataIn({ headers, body }: PlainResponse): unknown {
  return headers['content-type']?.includes('json') ? (JSON.parse(body) as { data?: unknown }).data : undefined
}
