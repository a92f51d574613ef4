import type { ChangeListener, MockPart } from '../contract/changes.ts'

/** Notifies subscribers of changes: soon after, and once for many changes. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()
  readonly #changed = new Set<MockPart>()

  /** Does nothing while there is no subscriber: this keeps every action fast. */
  note(...parts: readonly MockPart[]): void {
    if (this.#listeners.size === 0) return
    if (this.#changed.size === 0) void Promise.resolve().then(() => this.#notify())
    for (const part of parts) this.#changed.add(part)
  }

  subscribe(listener: ChangeListener): () => void {
    // The same listener may subscribe twice.
    const subscribed: ChangeListener = (parts) => listener(parts)
    this.#listeners.add(subscribed)
    return () => void this.#listeners.delete(subscribed)
  }

  #notify(): void {
    const parts = [...this.#changed]
    this.#changed.clear()
    for (const listener of this.#listeners) listener(parts)
  }
}
