/* The little of Headers that graphql-request needs. The real one would load all of Node's fetch when the CLI starts. */
export class PlainHeaders {
  #fields

  constructor(fields = {}) {
    const entries = fields instanceof PlainHeaders ? [...fields] : Object.entries(fields)
    this.#fields = new Map(entries.map(([name, value]) => [name.toLowerCase(), value]))
  }

  has(name) {
    return this.#fields.has(name.toLowerCase())
  }

  set(name, value) {
    this.#fields.set(name.toLowerCase(), value)
  }

  [Symbol.iterator]() {
    return this.#fields[Symbol.iterator]()
  }
}
