/**
 * Looks for so many things ahead, and hands them out in the order in which it began to look for them. When half of them
 * are taken it looks for as many at once, which costs a ledger one commit.
 */
export class Ahead<Found> {
  readonly #find: () => Promise<Found | undefined>
  readonly #half: number
  readonly #next: Promise<Found | undefined>[] = []

  /** @param find gives `undefined` where there is no more */
  constructor(count: number, find: () => Promise<Found | undefined>) {
    this.#find = find
    this.#half = Math.ceil(count / 2)
    this.#look(count)
  }

  /** Gives `undefined` where there is no more. Where one looked in vain, another may have found something before. */
  async take(): Promise<Found | undefined> {
    for (let next = this.#next.shift(); next !== undefined; next = this.#next.shift()) {
      const found = await next
      if (found === undefined) continue
      if (this.#next.length < this.#half) this.#look(this.#half)
      return found
    }
    return undefined
  }

  #look(count: number): void {
    for (let each = 0; each < count; each += 1) {
      const next = this.#find()
      /* It is waited for when it is taken, perhaps much later. */
      next.catch(() => {})
      this.#next.push(next)
    }
  }
}
