import type { MockPart } from '../contract/members.ts'

/** Notifies subscribers of changes: soon after, and once for many changes. */
export class Changes<Part extends string = MockPart> {
  readonly #listeners = new Set<(parts: readonly Part[]) => void>()
  readonly #endings = new Set<() => void>()
  readonly #changed = new Set<Part>()
  /** How many streams of events are open. */
  streams = 0

  /** Does nothing while there is no subscriber: this keeps every action fast. */
  note(...parts: readonly Part[]): void {
    if (this.#listeners.size === 0) return
    if (this.#changed.size === 0) void Promise.resolve().then(() => this.#notify())
    for (const part of parts) this.#changed.add(part)
  }

  subscribe(listener: (parts: readonly Part[]) => void): () => void {
    // The same listener may subscribe twice.
    const subscribed = (parts: readonly Part[]) => listener(parts)
    this.#listeners.add(subscribed)
    return () => void this.#listeners.delete(subscribed)
  }

  /** Calls this once when the mock is closed. Returns a function that cancels it. */
  onEnd(ending: () => void): () => void {
    this.#endings.add(ending)
    return () => void this.#endings.delete(ending)
  }

  /** The mock is closed. */
  end(): void {
    const endings = [...this.#endings]
    this.#endings.clear()
    for (const ending of endings) ending()
  }

  #notify(): void {
    const parts = [...this.#changed]
    this.#changed.clear()
    for (const listener of this.#listeners) {
      // Each in its own microtask: one that throws silences no other.
      void Promise.resolve().then(() => this.#listeners.has(listener) && listener(parts))
    }
  }
}
