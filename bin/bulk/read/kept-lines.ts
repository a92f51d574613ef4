import { type Delimiter, LONGEST_RECORD } from './file-record.ts'

/** The text of a table, with the lines that may have to be read again. */
export class KeptLines {
  /** From the start of line `#first`. */
  text = ''
  #first = 1
  readonly #source: AsyncIterator<string>

  constructor(pieces: AsyncIterable<string>) {
    this.#source = pieces[Symbol.asyncIterator]()
  }

  /** The next piece; `undefined` at the end. */
  async next(): Promise<string | undefined> {
    const { value, done } = await this.#source.next()
    if (done === true) return undefined
    this.text += value
    return value
  }

  forgetBefore(line: number): void {
    let at = 0
    while (this.#first < line) {
      const end = this.text.indexOf('\n', at)
      if (end === -1) break
      at = end + 1
      this.#first += 1
    }
    this.text = this.text.slice(at)
  }

  /** Goes to the first line after one that has a value, and returns its number. */
  async firstLineAfter(line: number, delimiter: Delimiter): Promise<number> {
    this.forgetBefore(line + 1)
    while (isBlank(await this.#firstLine(), delimiter) && this.text.includes('\n')) this.forgetBefore(this.#first + 1)
    return this.#first
  }

  /** Whether the line after this one is certainly a row: it has a value for each name, and one is an address. */
  async isFollowed(names: readonly string[], delimiter: Delimiter): Promise<boolean> {
    await this.#firstLine()
    let at = this.text.indexOf('\n') + 1
    while (at > 0) {
      let end = this.text.indexOf('\n', at)
      while (end === -1 && (await this.#more())) end = this.text.indexOf('\n', at)
      const line = this.text.slice(at, end === -1 ? undefined : end)
      if (!isBlank(line, delimiter)) {
        return [line.split(delimiter), valuesOf(line, delimiter)].some(
          (values) => values?.length === names.length && values.some((value) => ADDRESS.test(value.trim())),
        )
      }
      at = end + 1
    }
    return true
  }

  /** Removes this line, and returns it. */
  takeLine(): string {
    const [line = ''] = this.text.split('\n', 1)
    this.text = this.text.slice(line.length + 1)
    this.#first += 1
    return line
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #firstLine(): Promise<string> {
    while (!this.text.includes('\n') && (await this.#more()));
    return this.text.split('\n', 1)[0] ?? ''
  }

  /* A line may have no end. */
  async #more(): Promise<boolean> {
    return this.text.length <= 2 * LONGEST_RECORD && (await this.next()) !== undefined
  }
}

const ADDRESS = /^"?([^<>]*<)?[^\s@<>"]+@[^\s@<>"]+>?"?$/

function isBlank(line: string, delimiter: Delimiter): boolean {
  return line.replaceAll(delimiter, '').replaceAll('""', '').trim() === ''
}

/* The values of a line in which every quote that opens also closes. */
function valuesOf(line: string, delimiter: Delimiter): readonly string[] | undefined {
  const value = `(?:"(?:[^"]|"")*"|[^"${delimiter}]*)`
  if (!new RegExp(`^${value}(?:${delimiter}${value})*$`).test(line)) return undefined
  return line.match(new RegExp(`(?<=^|${delimiter})${value}(?=${delimiter}|$)`, 'g')) ?? undefined
}
