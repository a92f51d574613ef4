const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * An endless row of identifiers that look random and are not: the same seed and stream give the same row, and streams
 * do not disturb each other. Nothing here is secret.
 */
export class IdStream {
  readonly #prefix: string
  readonly #length: number
  readonly #next: () => number

  constructor(seed: string, prefix: string, length: number) {
    this.#prefix = prefix
    this.#length = length
    this.#next = randomNumbers(`${prefix}\u0000${seed}`)
  }

  next(): string {
    const letters = Array.from({ length: this.#length }, () => ALPHABET.charAt(this.#next() >>> 27))
    return this.#prefix + letters.join('')
  }
}

/** The sfc32 generator over a state of four words mixed from the text. */
function randomNumbers(text: string): () => number {
  const state = Uint32Array.of(mixed(text, 1), mixed(text, 2), mixed(text, 3), 1)
  const next = (): number => {
    const [a = 0, b = 0, c = 0, counter = 0] = state
    const result = (a + b + counter) >>> 0
    state.set([b ^ (b >>> 9), (c + (c << 3)) >>> 0, ((c << 21) | (c >>> 11)) + result, counter + 1])
    return result
  }
  for (let round = 0; round < 15; round += 1) next()
  return next
}

/** FNV-1a with a final avalanche, salted. */
function mixed(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1)
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
