import type { CallbackEvent } from './event.ts'

/** The distance from one rank to the place right behind it. */
export const BEHIND = 0.5

/** The rank of an event that lets the next one pass, while there is no next one. */
export const BEHIND_NEXT: number = Number.MAX_SAFE_INTEGER

/** The events of one candidate for one address that are still to be delivered, by rank. */
export interface DeliveryQueue {
  readonly name: string
  readonly events: CallbackEvent[]
  /** Whether an attempt is about to begin, or under way. */
  busy: boolean
  /** The event of the attempt that is under way. */
  underWay: CallbackEvent | null
}

/** The queues of a world, and which of them wait for an attempt. */
export class DeliveryQueues {
  readonly #queues = new Map<string, DeliveryQueue>()
  /** The queues whose first event waits for an attempt. */
  readonly #waiting = new Set<DeliveryQueue>()

  /** The queue of an event: a new one if there is none. */
  of(event: CallbackEvent): DeliveryQueue {
    const name = nameOf(event)
    const queue = this.#queues.get(name) ?? { name, events: [], busy: false, underWay: null }
    this.#queues.set(name, queue)
    return queue
  }

  /** Whether an event is the next one of its queue. */
  isFirst(event: CallbackEvent): boolean {
    return this.#queues.get(nameOf(event))?.events[0] === event && event.rank < BEHIND_NEXT
  }

  /** The first event of its queue, if that is a different one. */
  before(event: CallbackEvent): CallbackEvent | null {
    const first = this.#queues.get(nameOf(event))?.events[0]
    return first === undefined || first === event ? null : first
  }

  /** Inserts an event by its rank. An event that lets this one pass is put behind it. */
  insert(event: CallbackEvent): void {
    const queue = this.of(event)
    const last = queue.events.at(-1)
    if (last?.rank === BEHIND_NEXT && event.rank < BEHIND_NEXT) last.rank = event.rank + BEHIND
    queue.events.push(event)
    queue.events.sort((a, b) => a.rank - b.rank)
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
    const isWaiting = !queue.busy && first?.status === 'waiting' && first.rank < BEHIND_NEXT
    if (isWaiting) this.#waiting.add(queue)
    else this.#waiting.delete(queue)
    if (!first && !queue.busy && this.#queues.get(queue.name) === queue) this.#queues.delete(queue.name)
  }

  dueAt(): number | null {
    let earliest = Infinity
    for (const { events } of this.#waiting) earliest = Math.min(earliest, events[0]?.nextAttemptAt ?? Infinity)
    return earliest === Infinity ? null : earliest
  }

  due(now: number): DeliveryQueue[] {
    return [...this.#waiting].filter(({ events }) => (events[0]?.nextAttemptAt ?? Infinity) <= now)
  }

  /** Forgets the attempts that are under way. */
  interrupt(): void {
    for (const queue of this.#queues.values()) {
      queue.busy = false
      queue.underWay = null
      this.update(queue)
    }
  }

  clear(): void {
    this.#queues.clear()
    this.#waiting.clear()
  }
}

function nameOf({ url, candidateKey }: CallbackEvent): string {
  return `${url}\n${candidateKey}`
}
