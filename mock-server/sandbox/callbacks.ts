import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import type { MockCallback, MockCallbacks } from '../contract/callbacks.ts'
import type { CallbackFault } from '../contract/fault-rules.ts'
import { type Clock, durationMs, isoTime } from '../world/clock.ts'
import type { WorldEvent } from '../world/model.ts'
import { type CallbackRecord, callbackRow, isOpen, newRecord, statusAfter } from './callback-event.ts'
import type { CallbackSender, Delivery, DeliveryResult } from './callback-sender.ts'
import { BEHIND, BEHIND_NEXT, type DeliveryQueue, DeliveryQueues } from './delivery-queues.ts'

/** The callbacks of a world, written down. */
export interface CallbacksRecord {
  readonly paused: boolean
  readonly log: readonly CallbackRecord[]
}

/** What the events of a world are delivered by. */
export interface CallbackSettings {
  readonly clock: Clock
  readonly behaviour: BehaviourSwitches
  readonly sender: CallbackSender
  /** The fault of the next attempt, if there is one. */
  readonly faultFor: (event: CallbackRecord) => CallbackFault | null
  /** Called when something has become due at another time than before. */
  readonly onPlan: () => void
  /** Called when something about the events, or their delivery, has changed. */
  readonly onChange: () => void
}

/** Delivers events: in one queue for each address and candidate, one after the other, with retries on the world's clock. */
export class Callbacks implements MockCallbacks {
  readonly #settings: CallbackSettings
  readonly #log = new Map<string, CallbackRecord>()
  /** Those in the log that do not wait any more, in the order in which that was so. */
  readonly #settled = new Set<string>()
  readonly #queues = new DeliveryQueues()
  readonly #underWay = new Set<Promise<void>>()
  #paused = false
  #lastOrder = 0
  #epoch = 0

  constructor(settings: CallbackSettings) {
    this.#settings = settings
  }

  list(): MockCallback[] {
    return Array.from(this.#log.values(), (event) => callbackRow(event, !this.#paused && this.#queues.isFirst(event)))
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
    this.#settings.sender.deliverTo(deliver)
  }

  redeliver(id: string): void {
    const event = this.#log.get(id)
    if (!event) throw new Error(`No event ${JSON.stringify(id)} is in the log.`)
    const queue = this.#queues.of(event)
    event.again = queue.underWay === event
    if (!event.again) this.#waitAnew(event)
    this.#settings.onChange()
    this.#settings.onPlan()
  }

  /** Puts an event at the end of its queue. */
  enqueue(event: WorldEvent): void {
    this.#add(newRecord(event, this.#settings.behaviour.eventNames, this.#lastOrder + 1))
  }

  dueAt(): number | null {
    return this.#paused ? null : this.#queues.dueAt()
  }

  /** Begins every attempt that is due. */
  runDue(): void {
    if (this.#paused) return
    for (const queue of this.#queues.due(this.#settings.clock.now())) {
      queue.busy = true
      this.#queues.review(queue)
      const work = this.#attempt(queue).finally(() => this.#underWay.delete(work))
      this.#underWay.add(work)
    }
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Ends what is under way; it waits again. */
  stop(): void {
    this.#epoch += 1
    this.#settings.sender.abort()
    this.#queues.rest()
  }

  /** Ends what is under way and forgets everything. */
  reset(): void {
    this.stop()
    this.#log.clear()
    this.#settled.clear()
    this.#queues.clear()
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
    for (const event of events) callbackRow(event, true)
    this.reset()
    for (const event of events) this.#add({ ...event })
    this.#paused = paused
  }

  async #attempt(queue: DeliveryQueue): Promise<void> {
    const epoch = this.#epoch
    // Nobody's handler runs inside of what a candidate or a tester does; which event is the first is settled after that.
    await Promise.resolve()
    const [event] = queue.events
    if (epoch !== this.#epoch || !event) return
    queue.underWay = event
    const fault = event.wasPutOff ? null : this.#settings.faultFor(event)
    event.wasPutOff = this.#isPutOff(event, queue, fault)
    if (!event.wasPutOff) {
      const results = await this.#sent(event, fault)
      if (epoch !== this.#epoch) return
      for (const [further, result] of results.entries()) {
        // A duplicate uses up no retry.
        event.attemptsBefore += further
        this.#note(event, result)
      }
    }
    queue.busy = false
    queue.underWay = null
    if (event.again) this.#waitAnew(event)
    this.#queues.review(queue)
    this.#settings.onChange()
    this.#settings.onPlan()
  }

  /** Sends an event as often as the fault has it; not at all where the fault loses it. */
  async #sent(event: CallbackRecord, fault: CallbackFault | null): Promise<(DeliveryResult | 'dropped')[]> {
    if (fault === 'drop') return ['dropped']
    if (fault === 'refuse') return [{ error: 'refused by a fault', blocked: false }]
    const signing = fault === 'bad-signature' ? 'bad' : fault === 'stale-timestamp' ? 'stale' : 'true'
    const delivery = (further: number): Delivery => ({
      id: event.id,
      url: event.url,
      body: event.body,
      attempt: event.attempts.length + further,
      at: this.#settings.clock.now(),
      signing,
    })
    const { sender } = this.#settings
    const first = await sender.send(delivery(1))
    return fault === 'duplicate' ? [first, await sender.send(delivery(2))] : [first]
  }

  /** Whether a fault keeps this attempt for later: until a time, or until the event behind it was delivered. */
  #isPutOff(event: CallbackRecord, queue: DeliveryQueue, fault: CallbackFault | null): boolean {
    if (fault === 'reorder') {
      this.#queues.remove(event)
      event.rank = queue.events[0] ? queue.events[0].rank + BEHIND : BEHIND_NEXT
      this.#queues.insert(event)
      return true
    }
    if (typeof fault !== 'object' || fault === null) return false
    event.nextAttemptAt = this.#settings.clock.now() + durationMs(fault.delay)
    return true
  }

  /** Writes down how an attempt went, and what follows from it. */
  #note(event: CallbackRecord, result: DeliveryResult | 'dropped'): void {
    const now = this.#settings.clock.now()
    if (result !== 'dropped') {
      const { status = null, error = null } = result
      event.attempts = [...event.attempts, { at: isoTime(now), status, error }]
    }
    if (event.status === 'delivered') return
    event.status = statusAfter(result)
    if (event.status === 'waiting') this.#putOff(event, now)
    if (isOpen(event)) return
    this.#queues.remove(event)
    this.#settle(event)
  }

  /** Sees to the next attempt of an event that was not acknowledged, or gives it up. */
  #putOff(event: CallbackRecord, now: number): void {
    const { callbackRetries, givenUpCallback } = this.#settings.behaviour
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
    this.#queues.remove(event)
    this.#queues.insert(event)
  }

  #add(event: CallbackRecord): void {
    this.#log.set(event.id, event)
    this.#lastOrder = Math.max(this.#lastOrder, event.order)
    if (isOpen(event)) this.#queues.insert(event)
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
