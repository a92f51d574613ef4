/* The little of Headers that graphql-request needs. The real one would load all of Node's fetch when the CLI starts. */
export class PlainHeaders {
  readonly #fields: Map<string, string>

  constructor(fields: PlainHeaders | Readonly<Record<string, string>> = {}) {
    const entries: readonly [string, string][] = fields instanceof PlainHeaders ? [...fields] : Object.entries(fields)
    this.#fields = new Map(entries.map(([name, value]) => [name.toLowerCase(), value]))
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase())
  }

  set(name: string, value: string): void {
    this.#fields.set(name.toLowerCase(), value)
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#fields[Symbol.iterator]()
  }
}
