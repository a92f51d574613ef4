import { isJsonObject } from '../parsing.ts'
import { MAX_ROW_LENGTH } from './delimited.ts'
import { fileError } from './faults.ts'

/** An object of a JSON file, with its line or its place in the list. */
export interface JsonRow {
  readonly row: number
  readonly value: unknown
}

/** Marks a number as it was written: JavaScript would round some. */
const NUMBER = '\u0000number '

/** Whether a value was a number in the file: numbers are read as strings. */
export function isNumber(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(NUMBER)
}

/** The digits of a number of the file. */
export function digitsOf(value: string): string {
  return value.slice(NUMBER.length)
}

/** The JSON of a value that {@link readJson} returned, on one line. No number is rounded. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"\\u0000number ([^"]*)"/g, '$1')
}

/** Refuses a row that is longer than one of a table may be, or nested too deeply to be written again. @throws CliError */
export function checkLength({ row, value }: JsonRow): void {
  if (!isDeeper(value, 200) && exactJson(value).length <= MAX_ROW_LENGTH) return
  throw fileError(`row ${row} is longer than 1 MiB, or has more than 200 levels.`, UNCLOSED)
}

const UNCLOSED = 'Perhaps a quote is not closed.'

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

/**
 * Reads a list of objects, an object with such a list as its `candidates`, or one object per line.
 *
 * @param refuseBeside gets the names beside a list of candidates, which could seem to apply to all of them
 * @throws CliError
 */
export function readJson(
  text: string,
  refuseBeside: (names: readonly string[]) => void,
): { readonly format: 'json' | 'ndjson'; readonly rows: readonly JsonRow[] } {
  const isList = text.trimStart().startsWith('[')
  const whole = parse(text)
  const { candidates, ...beside } = isJsonObject(whole.value) ? whole.value : {}
  const list = isList ? whole.value : candidates
  if (Array.isArray(list)) {
    refuseBeside(Object.keys(beside))
    return { format: 'json', rows: list.map((value: unknown, index) => ({ row: index + 1, value })) }
  }
  if (isList) {
    if (whole.line === undefined) throw fileError('the JSON list ends too early.', 'The file may have been cut off.')
    throw fileError(`line ${whole.line} of the JSON list has a mistake.`, 'Correct it there, or export the file again.')
  }
  const lines = text.split('\n').map((line, index) => ({ row: index + 1, line: line.trim() }))
  const rows = lines.flatMap(({ row, line }) => {
    if (line === '') return []
    const { value } = parse(line)
    if (value !== undefined) return [{ row, value }]
    throw fileError(`line ${row} is not a JSON object.`, 'Write one complete object per line, or a list: [{…}, {…}].')
  })
  return { format: 'ndjson', rows }
}

/* A string, even an unclosed one, so that no part is scanned twice; or a number. A longer string would overflow the stack. */
const TOKEN = /"(?:[^"\\]|\\[\s\S]){0,1048576}(?:"|\\?$)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/* The value, or else the line of the first fault if the parser reports it. */
function parse(text: string): { readonly value?: unknown; readonly line?: number } {
  const exact = text.replaceAll(TOKEN, (token, index: number) => {
    if (token.length <= MAX_ROW_LENGTH) return token.startsWith('"') ? token : `"\\u0000number ${token}"`
    const line = text.slice(0, index).split('\n').length
    throw fileError(`the row at line ${line} is longer than 1 MiB.`, UNCLOSED)
  })
  try {
    return { value: JSON.parse(exact) as unknown }
  } catch (error) {
    const [, at] = /at position (\d+)/.exec((error as Error).message) ?? []
    return at === undefined ? {} : { line: exact.slice(0, Number(at)).split('\n').length }
  }
}
