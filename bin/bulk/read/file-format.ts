import type { BulkOptions, Format } from '../options/bulk-options.ts'
import type { Text } from './decoding.ts'
import { delimitedRecords } from './delimited.ts'
import { fileError } from './file-error.ts'
import { LONGEST_RECORD, type Records } from './file-record.ts'
import { arrayRecords, beginsWithCandidates, lineRecords } from './json.ts'

/**
 * Detects the format, unless it is set, and reads the header.
 *
 * @param example where an example of a header is, for a hint
 * @throws CliError, also while the rows are read
 */
export async function readRecords(
  text: Text,
  options: Pick<BulkOptions, 'format' | 'skipInvalid'>,
  example = 'certify bulk template shows how',
): Promise<Records> {
  const { start, pieces } = await begin(text.pieces, example)
  const hasCandidates = beginsWithCandidates(start)
  const detected = options.format ?? (hasCandidates ? 'json' : FORMAT_OF[start.trimStart().charAt(0)])
  if (detected !== 'ndjson' && detected !== 'json') return delimitedRecords(pieces, start, options)
  const rows = detected === 'ndjson' ? lineRecords(pieces) : arrayRecords(pieces, hasCandidates)
  return { format: detected, header: undefined, delimiter: undefined, rows }
}

const FORMAT_OF: Readonly<Record<string, Format>> = { '{': 'ndjson', '[': 'json' }

/* Enough to see whether an object has a list of candidates. */
const JSON_START = 2 ** 12

/* The start of a text up to its first line that is not blank, of JSON a little more; and the whole text. */
async function begin(pieces: AsyncIterable<string>, example: string) {
  const source = pieces[Symbol.asyncIterator]()
  let start = ''
  while (!start.trimStart().includes('\n') || (start.trimStart().startsWith('{') && start.length < JSON_START)) {
    const { value, done } = await source.next()
    if (done === true) break
    start += value
    if (start.length > LONGEST_RECORD) break
  }
  if (start.trim() === '')
    throw fileError(
      'the file is empty, or begins with too many blanks.',
      `Its first line has to name the columns: ${example}.`,
    )
  const first = start
  async function* whole(): AsyncGenerator<string> {
    yield first
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return { start, pieces: whole() }
}
