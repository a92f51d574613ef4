import type { Dialect } from '../api/dialect.ts'
import { type Clock, durationMs, isoTime } from '../world/clock.ts'
import type { WorldEvent } from '../world/model.ts'
import type { MockCallback, MockCallbackAttempt, MockCallbacks } from './callback.ts'
import type { Courier, Parcel, Receipt } from './courier.ts'
import type { CallbackFault } from './fault.ts'

/** An event in the log, as it is kept and written down. */
export interface CallbackRecord extends Omit<MockCallback, 'occurredAt' | 'nextAttemptAt'> {
  readonly occurredAt: number
  readonly candidateKey: string
  status: MockCallback['status']
  nextAttemptAt: number | null
  attempts: readonly MockCallbackAttempt[]
  /** How many attempts there were before it was redelivered. */
  attemptsBefore: number
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
  readonly #lanes = new Map<string, Lane>()
  readonly #underWay = new Set<Promise<void>>()
  #paused = false
  #epoch = 0

  constructor(settings: CallbackSettings) {
    this.#settings = settings
  }

  list(): MockCallback[] {
    return Array.from(this.#log.values(), rowOf)
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

  redeliver(id: string): void {
    const event = this.#log.get(id)
    if (!event) throw new Error(`No event ${JSON.stringify(id)} is in the log.`)
    event.status = 'waiting'
    event.attemptsBefore = event.attempts.length
    event.nextAttemptAt = this.#settings.clock.now()
    const lane = this.#laneOf(event)
    const place = lane.queue.indexOf(event)
    if (place > 0) lane.queue.splice(place, 1)
    if (place !== 0) lane.queue.unshift(event)
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
    })
  }

  dueAt(): number | null {
    if (this.#paused) return null
    let earliest = Infinity
    for (const { queue, busy } of this.#lanes.values()) {
      if (!busy) earliest = Math.min(earliest, queue[0]?.nextAttemptAt ?? Infinity)
    }
    return earliest === Infinity ? null : earliest
  }

  /** Begins every attempt that is due. */
  runDue(): void {
    if (this.#paused) return
    const now = this.#settings.clock.now()
    for (const lane of this.#lanes.values()) {
      const [head] = lane.queue
      if (lane.busy || !head || head.nextAttemptAt === null || head.nextAttemptAt > now) continue
      lane.busy = true
      const work = this.#attempt(head, lane).finally(() => this.#underWay.delete(work))
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

  /** Ends what is under way and forgets everything. */
  reset(): void {
    this.#epoch += 1
    this.#settings.courier.callBack()
    this.#log.clear()
    this.#lanes.clear()
    this.#paused = false
    this.#settings.onChange()
  }

  record(): CallbackRecord[] {
    return structuredClone([...this.#log.values()])
  }

  restore(records: readonly CallbackRecord[]): void {
    this.reset()
    for (const record of structuredClone(records)) this.#add({ ...record })
  }

  async #attempt(event: CallbackRecord, lane: Lane): Promise<void> {
    const epoch = this.#epoch
    // Nobody's handler runs inside of what a candidate does.
    await Promise.resolve()
    if (epoch !== this.#epoch) return
    const fault = this.#settings.faultFor(event)
    if (!this.#isPutOff(event, lane, fault)) {
      const receipts = await this.#sent(event, fault)
      if (epoch !== this.#epoch) return
      for (const receipt of receipts) this.#note(event, lane, receipt)
    }
    lane.busy = false
    this.#settings.onChange()
    if (lane.queue.length === 0 && lane.heldBack.length === 0) this.#lanes.delete(laneName(event))
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
      lane.queue.splice(lane.queue.indexOf(event), 1)
      if (lane.queue.length > 0) lane.queue.splice(1, 0, event)
      else lane.heldBack.push(event)
      return true
    }
    if (typeof fault !== 'object' || fault === null) return false
    event.nextAttemptAt = this.#settings.clock.now() + durationMs(fault.delay)
    return true
  }

  /** Writes down how an attempt went, and what follows from it. */
  #note(event: CallbackRecord, lane: Lane, receipt: Receipt | 'dropped'): void {
    const now = this.#settings.clock.now()
    if (receipt !== 'dropped') {
      const { status = null, error = null } = receipt
      event.attempts = [...event.attempts, { at: isoTime(now), status, error }]
    }
    if (event.status === 'delivered') return
    event.status = outcomeOf(receipt)
    event.nextAttemptAt = null
    if (event.status === 'waiting') this.#putOff(event, now)
    const place = lane.queue.indexOf(event)
    if (!isOpen(event) && place >= 0) lane.queue.splice(place, 1)
  }

  /** Sees to the next attempt of an event that was not acknowledged, or gives it up. */
  #putOff(event: CallbackRecord, now: number): void {
    const { callbackRetries, givenUpCallback } = this.#settings.dialect
    const wait = callbackRetries[event.attempts.length - event.attemptsBefore - 1]
    if (wait === undefined) event.status = givenUpCallback === 'skip' ? 'skipped' : 'given-up'
    else event.nextAttemptAt = now + durationMs(wait)
  }

  #add(event: CallbackRecord): void {
    this.#log.set(event.id, event)
    this.#settings.onChange()
    if (isOpen(event)) {
      const lane = this.#laneOf(event)
      lane.queue.push(event, ...lane.heldBack.splice(0))
    }
    if (this.#log.size > MOST_IN_LOG) this.#forgetOldest()
  }

  #laneOf(event: CallbackRecord): Lane {
    const name = laneName(event)
    const lane = this.#lanes.get(name) ?? { queue: [], heldBack: [], busy: false }
    this.#lanes.set(name, lane)
    return lane
  }

  #forgetOldest(): void {
    for (const event of this.#log.values()) {
      if (isOpen(event)) continue
      this.#log.delete(event.id)
      return
    }
  }
}

/** The events of one candidate for one address, in the order in which they are to arrive. */
interface Lane {
  readonly queue: CallbackRecord[]
  /** What a fault lets go only after the next event. */
  readonly heldBack: CallbackRecord[]
  busy: boolean
}

const MOST_IN_LOG = 10_000

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

function laneName({ url, candidateKey }: CallbackRecord): string {
  return `${url}\n${candidateKey}`
}

function rowOf(record: CallbackRecord): MockCallback {
  const { candidateKey: _candidateKey, attemptsBefore: _attemptsBefore, occurredAt, nextAttemptAt, ...row } = record
  return {
    ...row,
    attempts: record.attempts.map((attempt) => ({ ...attempt })),
    occurredAt: isoTime(occurredAt),
    nextAttemptAt: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
  }
}
