import type { Text } from './decoding.ts'
import { delimitedRecords } from './delimited.ts'
import { fileError } from './file-error.ts'
import { type Format, LONGEST_RECORD, type Records } from './file-record.ts'
import { arrayRecords, lineRecords } from './json.ts'

/** Finds out the format and reads the header. @throws CliError, while it is read, for what is not in that format */
export async function readRecords(text: Text, asked: Format | undefined): Promise<Records> {
  const { start, pieces } = await begin(text.pieces)
  const format = asked ?? FORMAT_OF[start.trimStart().charAt(0)] ?? 'csv'
  if (format === 'ndjson') return { format, header: undefined, delimiter: undefined, rows: lineRecords(pieces) }
  if (format === 'json') return { format, header: undefined, delimiter: undefined, rows: arrayRecords(pieces) }
  return delimitedRecords(pieces, start, asked)
}

const FORMAT_OF: Readonly<Record<string, Format>> = { '{': 'ndjson', '[': 'json' }

/* The start of a text up to the end of its first line that is not blank, and the whole text all the same. */
async function begin(pieces: AsyncIterable<string>) {
  const source = pieces[Symbol.asyncIterator]()
  let start = ''
  while (!start.trimStart().includes('\n')) {
    const { value, done } = await source.next()
    if (done === true) break
    start += value
    if (start.length > LONGEST_RECORD) break
  }
  if (start.trim() === '')
    throw fileError(
      'the file is empty, or begins with nothing but blanks.',
      'Its first line has to name the columns: certify bulk template shows how.',
    )
  const first = start
  async function* whole(): AsyncGenerator<string> {
    yield first
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return { start, pieces: whole() }
}
