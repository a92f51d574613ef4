import { CliError } from '../../cli-error.ts'
import { isJsonObject } from '../../json-object.ts'
import { ExactJsonParser, RepeatedKey } from './exact-json.ts'
import { fileError } from './file-error.ts'
import { type FileRecord, LONGEST_RECORD } from './file-record.ts'
import { fieldOf } from './heading-names.ts'

export async function* lineRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let row = 0
  for await (const line of linesOf(pieces)) {
    row += 1
    if (line.trim() !== '') yield recordOf(row, parsed(line, row))
  }
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let line = 1
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      if (each.length > LONGEST_RECORD) throw tooLong(`line ${line}`)
      yield each
      line += 1
    }
    if (rest.length > LONGEST_RECORD) throw tooLong(`line ${line}`)
  }
  yield rest
}

function parsed(line: string, row: number): unknown {
  let found: unknown
  const parser = new ExactJsonParser('$', (value) => {
    found = value
  })
  try {
    parser.write(line.trim())
    parser.end()
    if (!parser.isEnded) throw new SyntaxError('not complete')
  } catch (error) {
    if (error instanceof CliError) throw error
    if (error instanceof RepeatedKey) throw repeated(`line ${row}`, error)
    throw fileError(
      `line ${row} is not a JSON object.`,
      'NDJSON has one whole object a line; for an array give --format json.',
    )
  }
  return found
}

/** The beginning of an object with a list of candidates. */
const CANDIDATES = /^\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"candidates"\s*:\s*\[/

export function beginsWithCandidates(start: string): boolean {
  return CANDIDATES.test(start)
}

/**
 * Reads a JSON array of objects, or an object with such an array as its `candidates`. Its rows are numbered by their
 * place: all may be on one line.
 */
export async function* arrayRecords(pieces: AsyncIterable<string>, hasCandidates: boolean): AsyncGenerator<FileRecord> {
  let found: FileRecord[] = []
  let [row, line, sinceLast] = [0, 1, 0]
  let isArray = hasCandidates ? true : undefined
  const onValue = (value: unknown) => {
    row += 1
    sinceLast = 0
    found.push(recordOf(row, value))
  }
  const parser = new ExactJsonParser(hasCandidates ? '$.candidates.*' : '$.*', onValue, refuseOuterField)
  for await (const piece of pieces) {
    isArray ??= piece.trim() === '' ? undefined : piece.trimStart().startsWith('[')
    for (const part of piece.split(/(?<=\n)/)) {
      sinceLast += part.length
      try {
        if (isArray === false) throw new TypeError('no array')
        if (!(parser.isEnded && part.trim() === '')) parser.write(part)
      } catch (error) {
        if (error instanceof CliError) throw error
        if (error instanceof RepeatedKey) throw repeated(error.depth === 1 ? 'the file' : `object ${row + 1}`, error)
        throw fileError(
          `line ${line} is not part of a JSON array.`,
          'Correct it there; for one object a line give --format ndjson.',
        )
      }
      if (part.endsWith('\n')) line += 1
    }
    if (sinceLast > LONGEST_RECORD) throw tooLong(`object ${row + 1} of the array`)
    yield* found
    found = []
  }
  if (!parser.isEnded)
    throw fileError('the file ends in the middle of its array.', 'It may have been cut off: write it again.')
}

/* It would seem to be for all candidates. */
function refuseOuterField(key: string): void {
  if (fieldOf(key) === undefined) return
  throw fileError(`the file has "${key}" beside its list of candidates.`, 'Give it in each candidate, or by a flag.')
}

/* A candidate may be an object of its own, as in the API. */
function recordOf(row: number, original: unknown): FileRecord {
  if (!isJsonObject(original)) return { row, names: [], values: [original], original }
  const fields = Object.entries(original).flatMap(([name, value]) =>
    name === 'candidate' && isJsonObject(value)
      ? Object.entries(value).map(([inner, each]) => [`candidate.${inner}`, each] as const)
      : [[name, value] as const],
  )
  return { row, names: fields.map(([name]) => name), values: fields.map(([, value]) => value), original }
}

function repeated(where: string, { key }: RepeatedKey) {
  return fileError(
    `${where} has the key "${key.slice(0, 100)}" twice.`,
    'Keep one of them: only one value can be used.',
  )
}

function tooLong(what: string) {
  return fileError(`${what} is longer than 1 MiB.`, 'Correct it there.')
}
