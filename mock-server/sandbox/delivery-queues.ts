import type { CallbackRecord } from './callback-event.ts'

/** From one event to the place right behind it. */
export const BEHIND = 0.5

/** The place of an event that lets the next one by, while there is none. */
export const BEHIND_NEXT: number = Number.MAX_SAFE_INTEGER

/** The events of one candidate for one address that have still to arrive, in the order in which they are to. */
export interface DeliveryQueue {
  readonly name: string
  readonly events: CallbackRecord[]
  /** Whether an attempt is about to begin, or under way. */
  busy: boolean
  /** The event that the attempt under way is for. */
  underWay: CallbackRecord | null
}

/** The queues of a world, and which of them have something to wait for. */
export class DeliveryQueues {
  readonly #queues = new Map<string, DeliveryQueue>()
  /** The queues whose first event has an attempt before it. */
  readonly #waiting = new Set<DeliveryQueue>()

  /** The queue of an event, made where there is none. */
  of(event: CallbackRecord): DeliveryQueue {
    const name = nameOf(event)
    const queue = this.#queues.get(name) ?? { name, events: [], busy: false, underWay: null }
    this.#queues.set(name, queue)
    return queue
  }

  /** Whether an event is the next one to arrive in its queue. */
  isFirst(event: CallbackRecord): boolean {
    return this.#queues.get(nameOf(event))?.events[0] === event && event.rank < BEHIND_NEXT
  }

  /** Puts an event where its rank has it. One that waited for another to pass it goes behind that. */
  insert(event: CallbackRecord): void {
    const queue = this.of(event)
    const last = queue.events.at(-1)
    if (last?.rank === BEHIND_NEXT && event.rank < BEHIND_NEXT) last.rank = event.rank + BEHIND
    queue.events.push(event)
    queue.events.sort((a, b) => a.rank - b.rank)
    this.review(queue)
  }

  remove(event: CallbackRecord): void {
    const queue = this.of(event)
    const place = queue.events.indexOf(event)
    if (place >= 0) queue.events.splice(place, 1)
    this.review(queue)
  }

  /** Looks whether a queue has something to wait for; one that is empty is forgotten. */
  review(queue: DeliveryQueue): void {
    const [first] = queue.events
    const isWaiting = !queue.busy && first?.status === 'waiting' && first.rank < BEHIND_NEXT
    if (isWaiting) this.#waiting.add(queue)
    else this.#waiting.delete(queue)
    if (!first && !queue.busy && this.#queues.get(queue.name) === queue) this.#queues.delete(queue.name)
  }

  /** When the next attempt is due. */
  dueAt(): number | null {
    let earliest = Infinity
    for (const { events } of this.#waiting) earliest = Math.min(earliest, events[0]?.nextAttemptAt ?? Infinity)
    return earliest === Infinity ? null : earliest
  }

  /** The queues with an attempt that is due. */
  due(now: number): DeliveryQueue[] {
    return [...this.#waiting].filter(({ events }) => (events[0]?.nextAttemptAt ?? Infinity) <= now)
  }

  /** No attempt is under way any more. */
  rest(): void {
    for (const queue of this.#queues.values()) {
      queue.busy = false
      queue.underWay = null
      this.review(queue)
    }
  }

  clear(): void {
    this.#queues.clear()
    this.#waiting.clear()
  }
}

function nameOf({ url, candidateKey }: CallbackRecord): string {
  return `${url}\n${candidateKey}`
}
