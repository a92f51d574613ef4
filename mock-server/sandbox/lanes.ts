import type { MockCallback, MockCallbackAttempt } from './callback.ts'

/** An event in the log, as it is kept and written down. */
export interface CallbackRecord extends Omit<MockCallback, 'occurredAt' | 'nextAttemptAt'> {
  readonly occurredAt: number
  readonly candidateKey: string
  status: MockCallback['status']
  /** When its next attempt is due, once it is the first of its lane. */
  nextAttemptAt: number
  attempts: readonly MockCallbackAttempt[]
  /** How many attempts there were before it was redelivered. */
  attemptsBefore: number
  /** Its place in the log. */
  readonly order: number
  /** Its place in its lane: that in the log, or behind another event where a fault has put it there. */
  rank: number
  /** Whether a fault has put the next attempt off: it is made when its turn comes, without another fault. */
  wasPutOff: boolean
  /** Whether it was to be redelivered while an attempt was under way. */
  again: boolean
}

/** From one event to the place right behind it. */
export const BEHIND = 0.5

/** The place of an event that lets the next one by, while there is none. */
export const BEHIND_NEXT: number = Number.MAX_SAFE_INTEGER

/** The events of one candidate for one address that have still to arrive, in the order in which they are to. */
export interface Lane {
  readonly name: string
  readonly events: CallbackRecord[]
  /** Whether an attempt is about to begin, or under way. */
  busy: boolean
  /** The event that the attempt under way is for. */
  underWay: CallbackRecord | null
}

/** The lanes of a world, and which of them have something to wait for. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  /** The lanes whose first event has an attempt before it. */
  readonly #waiting = new Set<Lane>()

  /** The lane of an event, made where there is none. */
  of(event: CallbackRecord): Lane {
    const name = nameOf(event)
    const lane = this.#lanes.get(name) ?? { name, events: [], busy: false, underWay: null }
    this.#lanes.set(name, lane)
    return lane
  }

  /** Whether an event is the next one to arrive in its lane. */
  isFirst(event: CallbackRecord): boolean {
    return this.#lanes.get(nameOf(event))?.events[0] === event && event.rank < BEHIND_NEXT
  }

  /** Puts an event where its rank has it. One that waited for another to pass it goes behind that. */
  insert(event: CallbackRecord): void {
    const lane = this.of(event)
    const last = lane.events.at(-1)
    if (last?.rank === BEHIND_NEXT && event.rank < BEHIND_NEXT) last.rank = event.rank + BEHIND
    lane.events.push(event)
    lane.events.sort((a, b) => a.rank - b.rank)
    this.review(lane)
  }

  remove(event: CallbackRecord): void {
    const lane = this.of(event)
    const place = lane.events.indexOf(event)
    if (place >= 0) lane.events.splice(place, 1)
    this.review(lane)
  }

  /** Looks whether a lane has something to wait for; one that is empty is forgotten. */
  review(lane: Lane): void {
    const [first] = lane.events
    const isWaiting = !lane.busy && first?.status === 'waiting' && first.rank < BEHIND_NEXT
    if (isWaiting) this.#waiting.add(lane)
    else this.#waiting.delete(lane)
    if (!first && !lane.busy && this.#lanes.get(lane.name) === lane) this.#lanes.delete(lane.name)
  }

  /** When the next attempt is due. */
  dueAt(): number | null {
    let earliest = Infinity
    for (const { events } of this.#waiting) earliest = Math.min(earliest, events[0]?.nextAttemptAt ?? Infinity)
    return earliest === Infinity ? null : earliest
  }

  /** The lanes with an attempt that is due. */
  due(now: number): Lane[] {
    return [...this.#waiting].filter(({ events }) => (events[0]?.nextAttemptAt ?? Infinity) <= now)
  }

  /** No attempt is under way any more. */
  rest(): void {
    for (const lane of this.#lanes.values()) {
      lane.busy = false
      lane.underWay = null
      this.review(lane)
    }
  }

  clear(): void {
    this.#lanes.clear()
    this.#waiting.clear()
  }
}

function nameOf({ url, candidateKey }: CallbackRecord): string {
  return `${url}\n${candidateKey}`
}
