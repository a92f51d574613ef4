/*
 * The part of the standard `Headers` that graphql-request uses. Naming the global ones, even for an instanceof, loads all of
 * undici, which the CLI would feel at its start.
 */
export class LightHeaders {
  readonly #values = new Map<string, string>()

  constructor(init: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(init)) this.set(name, value)
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#values[Symbol.iterator]()
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value)
  }
}
