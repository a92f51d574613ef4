import { isJsonObject } from '../json-object.ts'
import { fileError, LONGEST_ROW, rowTooLong } from './file-error.ts'

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
  const whole = parse(text, isList ? 1 : 2)
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
    if (line.length > LONGEST_ROW) throw rowTooLong(`row at line ${row}`, UNCLOSED)
    const { value } = parse(line, 0)
    if (value !== undefined) return [{ row, value }]
    throw fileError(`line ${row} is not a JSON object.`, 'Write one complete object per line, or a list: [{…}, {…}].')
  })
  return { format: 'ndjson', rows }
}

/*
 * A string, even an unclosed one, so that no part is scanned twice; a number; or a bracket. The end of a string longer than a row is
 * not looked for: the pattern would overflow the stack.
 */
const TOKEN = /"(?:[^"\\]|\\[\s\S]){0,1048576}(?:"|\\?$)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[[\]{}]/g

/* A row has two levels. */
const MOST_LEVELS = 200

/**
 * The value, or else the line of the first fault if the parser reports it.
 *
 * @param outer how many brackets are around a row
 * @throws CliError if a row is too long, or anything is nested too deeply
 */
function parse(text: string, outer: number): { readonly value?: unknown; readonly line?: number } {
  const lineAt = (index: number) => text.slice(0, index).split('\n').length
  const exact: string[] = []
  let [copied, level, rowStart] = [0, 0, 0]
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    const isOpening = token === '[' || token === '{'
    if (isOpening) level += 1
    if (isOpening && level === outer + 1) rowStart = index
    if (level > MOST_LEVELS) throw fileError(`line ${lineAt(index)} nests more than ${MOST_LEVELS} levels.`, FLAT)
    const start = level > outer ? rowStart : index
    if (end - start > LONGEST_ROW) throw rowTooLong(`row at line ${lineAt(start)}`, UNCLOSED)
    if (token === ']' || token === '}') level -= 1
    if (!/^[-\d]/.test(token)) continue
    exact.push(text.slice(copied, index), `"\\u0000number ${token}"`)
    copied = end
  }
  const whole = exact.join('') + text.slice(copied)
  try {
    return { value: JSON.parse(whole) as unknown }
  } catch (error) {
    const [, at] = /at position (\d+)/.exec((error as Error).message) ?? []
    return at === undefined ? {} : { line: whole.slice(0, Number(at)).split('\n').length }
  }
}

const UNCLOSED = 'Perhaps a quote is not closed.'
const FLAT = 'Write an object for each row, with texts as its values.'
