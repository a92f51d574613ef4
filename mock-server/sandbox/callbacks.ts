import type { Dialect } from '../api/dialect.ts'
import { type Clock, durationMs, isoTime } from '../world/clock.ts'
import type { WorldEvent } from '../world/model.ts'
import type { MockCallback, MockCallbacks } from './callback.ts'
import type { Courier, Parcel, Receipt } from './courier.ts'
import type { CallbackFault } from './fault.ts'
import { BEHIND, BEHIND_NEXT, type CallbackRecord, type Lane, Lanes } from './lanes.ts'

/** The callbacks of a world, written down. */
export interface CallbacksRecord {
  readonly paused: boolean
  readonly log: readonly CallbackRecord[]
}

/** What the events of a world are delivered by. */
export interface CallbackSettings {
  readonly clock: Clock
  readonly dialect: Dialect
  readonly courier: Courier
  /** What befalls the next attempt, if anything. */
  readonly faultFor: (event: CallbackRecord) => CallbackFault | null
  /** Is called when something has become due at another time than before. */
  readonly onPlan: () => void
  /** Is called when something about the events, or their delivery, has changed. */
  readonly onChange: () => void
}

/** Delivers events: in one lane for each address and candidate, one after the other, with retries on the world's clock. */
export class Callbacks implements MockCallbacks {
  readonly #settings: CallbackSettings
  readonly #log = new Map<string, CallbackRecord>()
  /** Those in the log that do not wait any more, in the order in which that was so. */
  readonly #settled = new Set<string>()
  readonly #lanes = new Lanes()
  readonly #underWay = new Set<Promise<void>>()
  #paused = false
  #lastOrder = 0
  #epoch = 0

  constructor(settings: CallbackSettings) {
    this.#settings = settings
  }

  list(): MockCallback[] {
    return Array.from(this.#log.values(), (event) => rowOf(event, !this.#paused && this.#lanes.isFirst(event)))
  }

  get paused(): boolean {
    return this.#paused
  }

  pause(): void {
    this.#paused = true
    this.#settings.onChange()
  }

  resume(): void {
    this.#paused = false
    this.#settings.onChange()
    this.#settings.onPlan()
  }

  deliverTo(deliver: Parameters<MockCallbacks['deliverTo']>[0]): void {
    this.#settings.courier.deliverTo(deliver)
  }

  redeliver(id: string): void {
    const event = this.#log.get(id)
    if (!event) throw new Error(`No event ${JSON.stringify(id)} is in the log.`)
    const lane = this.#lanes.of(event)
    event.again = lane.underWay === event
    if (!event.again) this.#waitAnew(event)
    this.#settings.onChange()
    this.#settings.onPlan()
  }

  /** Puts an event at the end of its lane. */
  enqueue({ eventId, type, callbackUrl, inviteId, candidateKey, occurredAt, data }: WorldEvent): void {
    const { eventNames } = this.#settings.dialect
    const name = (ours: string): string => eventNames[ours] ?? ours
    const renamed = Object.fromEntries(Object.entries(data).map(([key, value]) => [name(key), value]))
    const body = { id: eventId, type: name(type), occurredAt: isoTime(occurredAt), data: renamed }
    this.#add({
      id: eventId,
      type: name(type),
      url: callbackUrl,
      inviteId,
      candidateKey,
      body: JSON.stringify(body),
      status: 'waiting',
      occurredAt,
      nextAttemptAt: occurredAt,
      attempts: [],
      attemptsBefore: 0,
      order: this.#lastOrder + 1,
      rank: this.#lastOrder + 1,
      wasPutOff: false,
      again: false,
    })
  }

  dueAt(): number | null {
    return this.#paused ? null : this.#lanes.dueAt()
  }

  /** Begins every attempt that is due. */
  runDue(): void {
    if (this.#paused) return
    for (const lane of this.#lanes.due(this.#settings.clock.now())) {
      lane.busy = true
      this.#lanes.review(lane)
      const work = this.#attempt(lane).finally(() => this.#underWay.delete(work))
      this.#underWay.add(work)
    }
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0
  }

  /** Is kept when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Ends what is under way; it waits again. */
  stop(): void {
    this.#epoch += 1
    this.#settings.courier.callBack()
    this.#lanes.rest()
  }

  /** Ends what is under way and forgets everything. */
  reset(): void {
    this.stop()
    this.#log.clear()
    this.#settled.clear()
    this.#lanes.clear()
    this.#paused = false
    this.#lastOrder = 0
    this.#settings.onChange()
  }

  record(): CallbacksRecord {
    return structuredClone({ paused: this.#paused, log: [...this.#log.values()] })
  }

  /** Back to what was written down. Changes nothing where it throws, because an event cannot be shown. */
  restore({ paused, log }: CallbacksRecord): void {
    const events = structuredClone(log)
    for (const event of events) rowOf(event, true)
    this.reset()
    for (const event of events) this.#add({ ...event })
    this.#paused = paused
  }

  async #attempt(lane: Lane): Promise<void> {
    const epoch = this.#epoch
    // Nobody's handler runs inside of what a candidate or a tester does; which event is the first is settled after that.
    await Promise.resolve()
    const [event] = lane.events
    if (epoch !== this.#epoch || !event) return
    lane.underWay = event
    const fault = event.wasPutOff ? null : this.#settings.faultFor(event)
    event.wasPutOff = this.#isPutOff(event, lane, fault)
    if (!event.wasPutOff) {
      const receipts = await this.#sent(event, fault)
      if (epoch !== this.#epoch) return
      for (const [further, receipt] of receipts.entries()) {
        // A duplicate uses up no retry.
        event.attemptsBefore += further
        this.#note(event, receipt)
      }
    }
    lane.busy = false
    lane.underWay = null
    if (event.again) this.#waitAnew(event)
    this.#lanes.review(lane)
    this.#settings.onChange()
    this.#settings.onPlan()
  }

  /** Sends an event as often as the fault has it; not at all where the fault loses it. */
  async #sent(event: CallbackRecord, fault: CallbackFault | null): Promise<(Receipt | 'dropped')[]> {
    if (fault === 'drop') return ['dropped']
    if (fault === 'refuse') return [{ error: 'refused by a fault', blocked: false }]
    const signing = fault === 'bad-signature' ? 'bad' : fault === 'stale-timestamp' ? 'stale' : 'true'
    const parcel = (further: number): Parcel => ({
      id: event.id,
      url: event.url,
      body: event.body,
      attempt: event.attempts.length + further,
      at: this.#settings.clock.now(),
      signing,
    })
    const { courier } = this.#settings
    const first = await courier.carry(parcel(1))
    return fault === 'duplicate' ? [first, await courier.carry(parcel(2))] : [first]
  }

  /** Whether a fault keeps this attempt for later: until a time, or until the event behind it was delivered. */
  #isPutOff(event: CallbackRecord, lane: Lane, fault: CallbackFault | null): boolean {
    if (fault === 'reorder') {
      this.#lanes.remove(event)
      event.rank = lane.events[0] ? lane.events[0].rank + BEHIND : BEHIND_NEXT
      this.#lanes.insert(event)
      return true
    }
    if (typeof fault !== 'object' || fault === null) return false
    event.nextAttemptAt = this.#settings.clock.now() + durationMs(fault.delay)
    return true
  }

  /** Writes down how an attempt went, and what follows from it. */
  #note(event: CallbackRecord, receipt: Receipt | 'dropped'): void {
    const now = this.#settings.clock.now()
    if (receipt !== 'dropped') {
      const { status = null, error = null } = receipt
      event.attempts = [...event.attempts, { at: isoTime(now), status, error }]
    }
    if (event.status === 'delivered') return
    event.status = outcomeOf(receipt)
    if (event.status === 'waiting') this.#putOff(event, now)
    if (isOpen(event)) return
    this.#lanes.remove(event)
    this.#settle(event)
  }

  /** Sees to the next attempt of an event that was not acknowledged, or gives it up. */
  #putOff(event: CallbackRecord, now: number): void {
    const { callbackRetries, givenUpCallback } = this.#settings.dialect
    const wait = callbackRetries[event.attempts.length - event.attemptsBefore - 1]
    if (wait === undefined) event.status = givenUpCallback === 'skip' ? 'skipped' : 'given-up'
    else event.nextAttemptAt = now + durationMs(wait)
  }

  /** An event waits once more, at its place among those that wait, with all its attempts before it. */
  #waitAnew(event: CallbackRecord): void {
    event.again = false
    event.attemptsBefore = event.attempts.length
    event.nextAttemptAt = this.#settings.clock.now()
    event.status = 'waiting'
    event.rank = event.order
    this.#settled.delete(event.id)
    this.#lanes.remove(event)
    this.#lanes.insert(event)
  }

  #add(event: CallbackRecord): void {
    this.#log.set(event.id, event)
    this.#lastOrder = Math.max(this.#lastOrder, event.order)
    if (isOpen(event)) this.#lanes.insert(event)
    else this.#settle(event)
    this.#settings.onChange()
  }

  /** One more that does not wait: of these the log keeps the last ones. */
  #settle({ id }: CallbackRecord): void {
    this.#settled.add(id)
    const [oldest = ''] = this.#settled
    if (this.#settled.size <= MOST_SETTLED) return
    this.#settled.delete(oldest)
    this.#log.delete(oldest)
  }
}

/** Of the events that do not wait any more, how many the log keeps. */
const MOST_SETTLED = 10_000

/** Whether an event has still to arrive. */
function isOpen({ status }: CallbackRecord): boolean {
  return status === 'waiting' || status === 'given-up'
}

/** What an event is after this attempt, as far as the attempt alone can tell. */
function outcomeOf(receipt: Receipt | 'dropped'): CallbackRecord['status'] {
  if (receipt === 'dropped') return 'dropped'
  if (receipt.status !== undefined) return receipt.status >= 200 && receipt.status < 300 ? 'delivered' : 'waiting'
  return receipt.blocked ? 'blocked' : 'waiting'
}

function rowOf(record: CallbackRecord, isFirst: boolean): MockCallback {
  const { id, type, url, inviteId, body, status, occurredAt, attempts } = record
  return {
    id,
    type,
    url,
    inviteId,
    body,
    status,
    occurredAt: isoTime(occurredAt),
    nextAttemptAt: isFirst && status === 'waiting' ? isoTime(record.nextAttemptAt) : null,
    attempts: attempts.map((attempt) => ({ ...attempt })),
  }
}
