const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * An endless row of identifiers that look random and are not: the same seed and stream give the same row, and streams
 * do not disturb each other. Nothing here is secret.
 */
export class IdStream {
  readonly #prefix: string
  readonly #length: number
  readonly #random: RandomNumbers

  constructor(seed: string, prefix: string, length: number) {
    this.#prefix = prefix
    this.#length = length
    this.#random = new RandomNumbers(`${prefix}\u0000${seed}`)
  }

  next(): string {
    let id = this.#prefix
    for (let index = 0; index < this.#length; index += 1) id += ALPHABET.charAt(this.#random.next() >>> 27)
    return id
  }

  /** How far the row has come; set, it goes on from there. */
  get position(): readonly number[] {
    return this.#random.position
  }

  set position(position: readonly number[]) {
    this.#random.position = position
  }
}

/** The sfc32 generator over a state of four words mixed from the text: numbers of 32 bits. */
export class RandomNumbers {
  readonly #state: Uint32Array

  constructor(text: string) {
    this.#state = Uint32Array.of(mixed(text, 1), mixed(text, 2), mixed(text, 3), 1)
    for (let round = 0; round < 15; round += 1) this.next()
  }

  next(): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.#state
    const result = (a + b + counter) >>> 0
    this.#state.set([b ^ (b >>> 9), (c + (c << 3)) >>> 0, ((c << 21) | (c >>> 11)) + result, counter + 1])
    return result
  }

  get position(): readonly number[] {
    return [...this.#state]
  }

  set position(position: readonly number[]) {
    this.#state.set(position)
  }
}

/** FNV-1a with a final avalanche, salted. */
function mixed(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1)
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
