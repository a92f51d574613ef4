import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { fileError } from './file-error.ts'

/** A number that JavaScript would round. It stays a text. */
export class InexactNumber {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toJSON(): string {
    return this.#text
  }
}

/** A key that an object has twice: one of its values would be lost. */
export class RepeatedKey extends Error {
  readonly key: string
  /** How many objects and lists are around it. */
  readonly depth: number

  constructor(key: string, depth: number) {
    super('a key occurs twice')
    this.key = key
    this.depth = depth
  }
}

/** Parses JSON piece by piece. It loses nothing: no digit of a number, and no value of a key. */
export class ExactJsonParser {
  /** For each object and list around: the keys so far, of an object. */
  readonly #around: (Set<string> | undefined)[] = []
  readonly #tokenizer = new ExactTokenizer()
  readonly #parser: TokenParser
  readonly #onOuterKey: (key: string) => void
  #text = ''

  /** @param path which values are returned, as in `$.*` */
  constructor(path: string, onValue: (value: unknown) => void, onOuterKey: (key: string) => void = () => {}) {
    this.#onOuterKey = onOuterKey
    this.#parser = new TokenParser({ paths: [path], keepStack: false })
    this.#parser.onValue = ({ value }) => onValue(value)
    this.#parser.onEnd = () => {
      if (!this.#tokenizer.isEnded) this.#tokenizer.end()
    }
    this.#tokenizer.onToken = (token) => {
      this.#check(token.token, token.value)
      this.#parser.write(token)
    }
  }

  get isEnded(): boolean {
    return this.#parser.isEnded
  }

  /** @throws RepeatedKey, CliError if it is nested too deeply, or another error if it is not JSON */
  write(text: string): void {
    this.#tokenizer.write(text)
  }

  /** Ends the text: a number alone has no other end. @throws Error if it is not complete */
  end(): void {
    if (!this.#tokenizer.isEnded) this.#tokenizer.end()
  }

  #check(type: TokenType, value: unknown): void {
    if (this.#around.length > DEEPEST) {
      throw fileError(`a value is nested more than ${DEEPEST} levels deep.`, 'A candidate is an object of texts.')
    }
    if (type === TokenType.LEFT_BRACE) this.#around.push(new Set())
    else if (type === TokenType.LEFT_BRACKET) this.#around.push(undefined)
    else if (type === TokenType.RIGHT_BRACE || type === TokenType.RIGHT_BRACKET) this.#around.pop()
    else if (type === TokenType.STRING) this.#text = value as string
    else if (type === TokenType.COLON) this.#addKey(this.#text)
  }

  #addKey(key: string): void {
    const keys = this.#around.at(-1)
    if (keys?.has(key) === true) throw new RepeatedKey(key, this.#around.length)
    keys?.add(key)
    if (this.#around.length === 1) this.#onOuterKey(key)
  }
}

/* A candidate has two levels. To write a value takes a call for each. */
const DEEPEST = 100

class ExactTokenizer extends Tokenizer {
  protected override parseNumber(text: string): number {
    const number = Number(text)
    if (isExact(text, number)) return number
    return new InexactNumber(text) as unknown as number
  }
}

function isExact(text: string, number: number): boolean {
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) return false
  const digits = text.replace(/e.*$/i, '').replaceAll(/\D/g, '').replace(/^0+/, '')
  if (number === 0 && digits !== '') return false
  return digits.length <= EXACT_DIGITS || String(number) === text
}

/* A decimal number with so many digits is read and written without a change. */
const EXACT_DIGITS = 15
