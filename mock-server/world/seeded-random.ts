const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * An endless sequence of identifiers that look random: the same seed and prefix always give the same sequence. Nothing
 * here is secret.
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

  /** The place in the sequence, to read and to set. */
  get position(): readonly number[] {
    return this.#random.position
  }

  set position(position: readonly number[]) {
    this.#random.position = position
  }
}

/** The sfc32 generator, seeded with a text: numbers of 32 bits. */
export class RandomNumbers {
  readonly #state: Uint32Array

  constructor(text: string) {
    this.#state = Uint32Array.of(hash(text, 1), hash(text, 2), hash(text, 3), 1)
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
function hash(text: string, salt: number): number {
  let bits = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1)
  for (let index = 0; index < text.length; index += 1) bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
