/** Passes events from workers to one reader. Workers wait while too many events are unread. */
export class EventQueue<Event> {
  readonly #most: number
  #events: Event[] = []
  #ended = false
  #onEvent: () => void = () => {}
  #space: Promise<void> | undefined
  #onSpace: () => void = () => {}

  /** @param most how many events may be unread before the workers wait */
  constructor(most: number) {
    this.#most = most
  }

  push(event: Event): void {
    this.#events.push(event)
    this.#onEvent()
  }

  /** Resolves when few enough events are unread. */
  async waitForSpace(): Promise<void> {
    if (this.#events.length < this.#most || this.#ended) return
    this.#space ??= new Promise((resolve) => {
      this.#onSpace = resolve
    })
    await this.#space
  }

  /** Ends the queue: no further events. */
  end(): void {
    this.#ended = true
    this.#onEvent()
    this.#freeSpace()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const batch = this.#events
      this.#events = []
      this.#freeSpace()
      for (const event of batch) yield event
      if (this.#events.length > 0) continue
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#onEvent = resolve
      })
    }
  }

  #freeSpace(): void {
    this.#space = undefined
    this.#onSpace()
  }
}
