import type { MockCallbacks } from '../contract/members.ts'
import type { BehaviourSwitches, CallbackFault, MockCallback } from '../generated/contract.ts'
import { type Clock, durationMs, isoTime } from '../world/clock.ts'
import type { WorldEvent } from '../world/model.ts'
import {
  assertEvent,
  attemptOf,
  type CallbackEvent,
  callbackRow,
  isOpen,
  newCallbackEvent,
  statusAfter,
} from './callback-event.ts'
import type { CallbackSender, DeliveryResult } from './callback-sender.ts'

export interface CallbacksSnapshot {
  readonly paused: boolean
  readonly log: readonly CallbackEvent[]
}

export interface CallbackSettings {
  readonly clock: Clock
  readonly behaviour: BehaviourSwitches
  readonly sender: CallbackSender
  readonly faultFor: (event: CallbackEvent) => CallbackFault | null
  /** Called when the time of the next attempt may have changed. */
  readonly onDueChange: () => void
  /** Called when an event, or the pause, has changed. */
  readonly onChange: () => void
}

/** Delivers events, with retries on the world's clock. Each candidate and address has a queue of its own. */
export class Callbacks implements MockCallbacks {
  readonly #settings: CallbackSettings
  readonly #log = new Map<string, CallbackEvent>()
  readonly #queues = new DeliveryQueues()
  readonly #inFlight = new Set<Promise<void>>()
  #paused = false
  #lastOrder = 0
  #epoch = 0

  constructor(settings: CallbackSettings) {
    this.#settings = settings
  }

  list({ status }: { readonly status?: MockCallback['status'] } = {}): MockCallback[] {
    const events = status === undefined ? this.all() : this.all().filter((event) => event.status === status)
    return events.map((event) => this.row(event))
  }

  /** The events of the log, oldest first. */
  all(): readonly CallbackEvent[] {
    return [...this.#log.values()]
  }

  row(event: CallbackEvent): MockCallback {
    return callbackRow(event, { first: this.#queues.first(event), paused: this.#paused })
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
    this.#settings.onDueChange()
  }

  deliverTo(target: Parameters<MockCallbacks['deliverTo']>[0]): void {
    this.#settings.sender.deliverTo(target)
  }

  redeliver(id: string): void {
    const event = this.#log.get(id)
    if (!event) throw new Error(`No event ${JSON.stringify(id)} is in the log.`)
    // The attempt under way is for this event.
    if (this.#queues.of(event).inFlight === event) return
    this.#waitAgain(event)
    this.#settings.onChange()
    this.#settings.onDueChange()
  }

  /** Puts an event at the end of its queue. */
  enqueue(event: WorldEvent): void {
    this.#add(newCallbackEvent(event, this.#lastOrder + 1))
  }

  dueAt(): number | null {
    return this.#paused ? null : this.#queues.dueAt()
  }

  /** Begins every attempt that is due. */
  runDue(): void {
    if (this.#paused) return
    for (const queue of this.#queues.due(this.#settings.clock.now())) {
      queue.busy = true
      this.#queues.update(queue)
      const work = this.#attempt(queue).finally(() => this.#inFlight.delete(work))
      this.#inFlight.add(work)
    }
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0
  }

  /** Resolves when no attempt is under way. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight)
  }

  /** Ends the attempts under way. Their events wait again. */
  stop(): void {
    this.#epoch += 1
    this.#settings.sender.abort()
    this.#queues.interrupt()
  }

  /** Ends the attempts under way and forgets every event. */
  reset(): void {
    this.stop()
    this.#log.clear()
    this.#queues.clear()
    this.#paused = false
    this.#lastOrder = 0
    this.#settings.onChange()
  }

  snapshot(): CallbacksSnapshot {
    return structuredClone({ paused: this.#paused, log: [...this.#log.values()] })
  }

  /** Returns to a snapshot. Throws, and changes nothing, if an event in it is not valid. */
  restore({ paused, log }: CallbacksSnapshot): void {
    const events = structuredClone(log)
    for (const event of events) assertEvent(event)
    this.reset()
    for (const event of events) this.#add(event)
    this.#paused = paused
  }

  async #attempt(queue: DeliveryQueue): Promise<void> {
    const epoch = this.#epoch
    // A handler never runs inside the action that caused the event. Which event is first is decided after that action.
    await Promise.resolve()
    const [event] = queue.events
    if (epoch !== this.#epoch || !event) return
    queue.inFlight = event
    const fault = event.isPostponed ? null : this.#settings.faultFor(event)
    event.isPostponed = typeof fault === 'object' && fault !== null
    if (typeof fault === 'object' && fault !== null) {
      event.nextAttemptAt = this.#settings.clock.now() + durationMs(fault.delay)
    } else {
      const results = fault === 'refuse' ? [REFUSED] : [await this.#send(event, 1)]
      if (fault === 'duplicate') results.push(await this.#send(event, 2))
      if (epoch !== this.#epoch) return
      for (const [further, result] of results.entries()) {
        // A duplicate uses up no retry.
        event.attemptsBefore += further
        this.#record(event, result)
      }
    }
    queue.busy = false
    queue.inFlight = null
    this.#queues.update(queue)
    this.#settings.onChange()
    this.#settings.onDueChange()
  }

  async #send({ id, url, body, attempts }: CallbackEvent, further: number): Promise<DeliveryResult> {
    return this.#settings.sender.send({ id, url, body, attempt: attempts.length + further })
  }

  /** Records the result of an attempt, and updates the event. */
  #record(event: CallbackEvent, result: DeliveryResult): void {
    const now = this.#settings.clock.now()
    event.attempts = [...event.attempts, attemptOf(result, isoTime(now))]
    if (event.status === 'delivered') return
    event.status = statusAfter(result)
    if (event.status === 'waiting') this.#retryLater(event, now)
    if (!isOpen(event)) this.#queues.remove(event)
  }

  /** Plans the next attempt of an event that was not acknowledged, or gives it up. */
  #retryLater(event: CallbackEvent, now: number): void {
    const wait = this.#settings.behaviour.callbackRetries[event.attempts.length - event.attemptsBefore - 1]
    if (wait === undefined) event.status = 'given-up'
    else event.nextAttemptAt = now + durationMs(wait)
  }

  /** The event waits again at its own place, with all its retries. */
  #waitAgain(event: CallbackEvent): void {
    event.attemptsBefore = event.attempts.length
    event.nextAttemptAt = this.#settings.clock.now()
    event.status = 'waiting'
    this.#queues.remove(event)
    this.#queues.insert(event)
  }

  #add(event: CallbackEvent): void {
    this.#log.set(event.id, event)
    this.#lastOrder = Math.max(this.#lastOrder, event.order)
    if (isOpen(event)) this.#queues.insert(event)
    this.#settings.onChange()
  }
}

const REFUSED: DeliveryResult = { error: 'refused by a fault', blocked: false }

/** The events of one candidate for one address that are still to be delivered, oldest first. */
interface DeliveryQueue {
  readonly name: string
  readonly events: CallbackEvent[]
  /** Whether an attempt is about to begin, or under way. */
  busy: boolean
  /** The event of the attempt that is under way. */
  inFlight: CallbackEvent | null
  /** Its first event, and when that is due, as it is sorted among the queues that wait. */
  turn: Turn | null
}

interface Turn {
  readonly at: number
  readonly order: number
  readonly queue: DeliveryQueue
}

/** The queues of a world, and which of them wait for an attempt. */
class DeliveryQueues {
  readonly #queues = new Map<string, DeliveryQueue>()
  /** The queues whose first event waits for an attempt, by the time when it is due: thousands may wait for a retry. */
  readonly #waiting: Turn[] = []

  /** The queue of an event: a new one if there is none. */
  of(event: CallbackEvent): DeliveryQueue {
    const name = nameOf(event)
    const queue = this.#queues.get(name) ?? { name, events: [], busy: false, inFlight: null, turn: null }
    this.#queues.set(name, queue)
    return queue
  }

  /** The next event of the queue of an event, which may be that event. */
  first(event: CallbackEvent): CallbackEvent | undefined {
    return this.#queues.get(nameOf(event))?.events[0]
  }

  /** Inserts an event at its place. */
  insert(event: CallbackEvent): void {
    const queue = this.of(event)
    queue.events.push(event)
    queue.events.sort((a, b) => a.order - b.order)
    this.update(queue)
  }

  remove(event: CallbackEvent): void {
    const queue = this.of(event)
    const place = queue.events.indexOf(event)
    if (place >= 0) queue.events.splice(place, 1)
    this.update(queue)
  }

  /** Notes whether a queue waits for an attempt, and drops an empty one. Every change of a queue calls it. */
  update(queue: DeliveryQueue): void {
    const [first] = queue.events
    if (queue.turn) this.#waiting.splice(this.#waiting.indexOf(queue.turn, this.#placeOf(queue.turn)), 1)
    const isWaiting = !queue.busy && first?.status === 'waiting'
    queue.turn = isWaiting ? { at: first.nextAttemptAt, order: first.order, queue } : null
    if (queue.turn) this.#waiting.splice(this.#placeOf(queue.turn), 0, queue.turn)
    if (!first && !queue.busy && this.#queues.get(queue.name) === queue) this.#queues.delete(queue.name)
  }

  dueAt(): number | null {
    return this.#waiting[0]?.at ?? null
  }

  due(now: number): DeliveryQueue[] {
    return this.#waiting.slice(0, this.#placeOf({ at: now, order: Infinity })).map(({ queue }) => queue)
  }

  /** The first place that is not before this one: each event has an order of its own. */
  #placeOf({ at, order }: Pick<Turn, 'at' | 'order'>): number {
    let [low, high] = [0, this.#waiting.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const turn = this.#waiting[middle]
      if (turn && (turn.at < at || (turn.at === at && turn.order < order))) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Forgets the attempts that are under way. */
  interrupt(): void {
    for (const queue of this.#queues.values()) {
      queue.busy = false
      queue.inFlight = null
      this.update(queue)
    }
  }

  clear(): void {
    this.#queues.clear()
    this.#waiting.length = 0
  }
}

function nameOf({ url, candidateKey }: CallbackEvent): string {
  return `${url}\n${candidateKey}`
}
