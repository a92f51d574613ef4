import type { CliError } from '../../cli-error.ts'
import { fileError } from './file-error.ts'
import type { Delimiter } from './file-record.ts'

/** The number of values with line breaks, and of their line breaks. */
export function countSpanning(record: readonly string[]): { readonly values: number; readonly lines: number } {
  let [values, lines] = [0, 0]
  for (const cell of record) {
    if (!cell.includes('\n')) continue
    values += 1
    lines += breaksIn(cell)
  }
  return { values, lines }
}

/**
 * The error of a value that takes in other rows: its quote may be a mistake, and the next quote of the file closed it.
 *
 * @param row the first line of the record
 */
export function refuseSwallowedRows(
  record: readonly string[],
  row: number,
  delimiter: Delimiter,
): CliError | undefined {
  let line = row
  for (const cell of record) {
    const last = line + breaksIn(cell)
    const fault = last === line ? undefined : faultOf(cell, record.length, delimiter)
    if (fault !== undefined) {
      return fileError(
        `the value in quotes from line ${line} to line ${last} ${fault}.`,
        `One of these two lines probably has a quote too many. ${QUOTES}`,
      )
    }
    line = last
  }
  return undefined
}

export const QUOTES = 'Put a value with quotes into quotes, and double its own: "Ada ""the first"" Byron".'

/* The length of a value over several lines, above which it is certainly a mistake. */
const LONGEST_SPANNING = 1000
const ADDRESS = /[^\s@<>"']@[^\s@<>"']+\.[^\s@<>"']/

function faultOf(cell: string, width: number, delimiter: Delimiter): string | undefined {
  const [first = '', ...others] = cell.split('\n')
  /* A single comma is usual in an address of a street. */
  const delimiters = Math.max(2, width - 1)
  const isLikeRow =
    (first.includes(delimiter) && ADDRESS.test(first)) ||
    others.some((line) => ADDRESS.test(line) || line.split(delimiter).length > delimiters)
  if (isLikeRow) return 'contains what looks like rows'
  return cell.length > LONGEST_SPANNING ? 'is longer than 1,000 characters' : undefined
}

function breaksIn(cell: string): number {
  return cell.includes('\n') ? cell.split('\n').length - 1 : 0
}
