/** Looks for so many things ahead, and hands them out in the order in which it began to look for them. */
export class Ahead<Found> {
  readonly #find: () => Promise<Found | undefined>
  readonly #next: Promise<Found | undefined>[] = []

  /** @param find gives `undefined` where there is no more */
  constructor(count: number, find: () => Promise<Found | undefined>) {
    this.#find = find
    for (let each = 0; each < count; each += 1) this.#look()
  }

  /** Gives `undefined` where there is no more. Where one looked in vain, another may have found something before. */
  async take(): Promise<Found | undefined> {
    for (let next = this.#next.shift(); next !== undefined; next = this.#next.shift()) {
      const found = await next
      if (found === undefined) continue
      this.#look()
      return found
    }
    return undefined
  }

  #look(): void {
    const next = this.#find()
    /* It is waited for when it is taken, perhaps much later. */
    next.catch(() => {})
    this.#next.push(next)
  }
}
