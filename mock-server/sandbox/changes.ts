import type { ChangeListener, MockPart } from '../contract/changes.ts'

/** Notifies subscribers that something has changed: soon after, once for many changes, and never in their midst. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()
  readonly #changed = new Set<MockPart>()

  /** Costs next to nothing while nobody listens. */
  note(...parts: readonly MockPart[]): void {
    if (this.#listeners.size === 0) return
    if (this.#changed.size === 0) void Promise.resolve().then(() => this.#tell())
    for (const part of parts) this.#changed.add(part)
  }

  subscribe(listener: ChangeListener): () => void {
    // A function of its own for each subscription: the same listener may be there twice.
    const subscribed: ChangeListener = (parts) => listener(parts)
    this.#listeners.add(subscribed)
    return () => void this.#listeners.delete(subscribed)
  }

  #tell(): void {
    const parts = [...this.#changed]
    this.#changed.clear()
    for (const listener of this.#listeners) listener(parts)
  }
}
