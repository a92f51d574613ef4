import { type Cell, type CellValue, formatValue } from 'hucre'
import { CellFault } from './file-record.ts'

/** The value of a cell as the sheet shows it. */
export function shownValue(value: CellValue, cell: Cell | undefined): string | CellFault {
  if (value === null) return cell?.formula === undefined ? '' : new CellFault('', NO_RESULT)
  if (cell?.type === 'error') return new CellFault(String(value), 'is an error of the sheet, such as #N/A')
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const { numFmt: format = GENERAL } = cell?.style ?? {}
  const isPlain = format === GENERAL || format === '@'
  if (typeof value === 'string') return (isPlain ? value : formatValue(value, format)).replaceAll(/\r\n?/g, '\n')
  if (value instanceof Date) return isPlain ? value.toISOString() : formatValue(value, format)
  const text = isPlain ? String(value) : formatValue(value, format)
  if (Math.abs(value) >= FIRST_ROUNDED) return new CellFault(text, ROUNDED)
  return /\dE[+-]?\d/i.test(text) ? new CellFault(text, SCIENTIFIC) : text
}

const GENERAL = 'General'

/* Excel keeps 15 digits. */
const FIRST_ROUNDED = 1e15

const NO_RESULT = 'is a formula without a result: open the sheet and save it again'
const ROUNDED = 'is a number of more than 15 digits, which the sheet has rounded: it has to be a text there'
const SCIENTIFIC = 'is shown with an exponent, not with all its digits: it has to be a text in the sheet'
