import { JSONParser } from '@streamparser/json'
import { isJsonObject } from '../../json-object.ts'
import { fileError } from './file-error.ts'
import { type FileRecord, LONGEST_RECORD } from './file-record.ts'

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
  try {
    return JSON.parse(line)
  } catch {
    throw fileError(
      `line ${row} is not a JSON object.`,
      'NDJSON has one whole object a line; for an array give --format json.',
    )
  }
}

/** Reads a JSON array of objects. Its rows are numbered by their place: all may be on one line. */
export async function* arrayRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let found: FileRecord[] = []
  let [row, line, sinceLast] = [0, 1, 0]
  let isArray: boolean | undefined
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false })
  parser.onValue = ({ value }) => {
    row += 1
    sinceLast = 0
    found.push(recordOf(row, value))
  }
  for await (const piece of pieces) {
    isArray ??= piece.trim() === '' ? undefined : piece.trimStart().startsWith('[')
    for (const part of piece.split(/(?<=\n)/)) {
      sinceLast += part.length
      try {
        if (isArray === false) throw new TypeError('no array')
        if (!(parser.isEnded && part.trim() === '')) parser.write(part)
      } catch {
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

function tooLong(what: string) {
  return fileError(`${what} is longer than 1 MiB.`, 'Correct it there.')
}
