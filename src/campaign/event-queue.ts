/** Hands events from those who do the work to the one who reads them; whoever is too far ahead waits. */
export class EventQueue<Event> {
  readonly #most: number
  #events: Event[] = []
  #ended = false
  #onEvent: () => void = () => {}
  #room: Promise<void> | undefined
  #onRoom: () => void = () => {}

  /** @param most how many events may be unread before those who make them wait */
  constructor(most: number) {
    this.#most = most
  }

  push(event: Event): void {
    this.#events.push(event)
    this.#onEvent()
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    if (this.#events.length < this.#most || this.#ended) return
    this.#room ??= new Promise((resolve) => {
      this.#onRoom = resolve
    })
    await this.#room
  }

  /** No events follow. */
  end(): void {
    this.#ended = true
    this.#onEvent()
    this.#makeRoom()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const batch = this.#events
      this.#events = []
      this.#makeRoom()
      for (const event of batch) yield event
      if (this.#events.length > 0) continue
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#onEvent = resolve
      })
    }
  }

  #makeRoom(): void {
    this.#room = undefined
    this.#onRoom()
  }
}
