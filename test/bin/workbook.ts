import { type Cell, type CellValue, type RowDef, writeXlsx } from 'hucre'

/** A cell with a format or a formula. */
export type Special = Partial<Cell>

/** A sheet of a workbook. In its rows, `undefined` is an empty cell. */
export interface SheetOf {
  readonly name?: string
  readonly rows: readonly (readonly (CellValue | Special | undefined)[])[]
  /** Counted from 1. */
  readonly hiddenRows?: readonly number[]
  readonly zeroHeightRows?: readonly number[]
  readonly hiddenColumns?: readonly number[]
  /** Merges the first cells of this row and the next. */
  readonly mergedRow?: number
  readonly isHidden?: boolean
}

/** An Excel workbook. */
export async function workbook(...sheets: readonly SheetOf[]): Promise<Buffer> {
  return Buffer.from(await writeXlsx({ sheets: sheets.map(sheetOf) }))
}

function sheetOf({ name = 'Candidates', rows, mergedRow, isHidden = false, ...more }: SheetOf) {
  const { hiddenRows = [], zeroHeightRows = [], hiddenColumns = [] } = more
  const cells = new Map<string, Special>()
  const values = rows.map((row, index) =>
    row.map((cell = null, column) => {
      if (cell === null || typeof cell !== 'object' || cell instanceof Date) return cell
      cells.set(`${index},${column}`, cell)
      return null
    }),
  )
  return {
    name,
    rows: values,
    cells,
    hidden: isHidden,
    rowDefs: new Map<number, RowDef>([
      ...hiddenRows.map((row) => [row - 1, { hidden: true }] as const),
      ...zeroHeightRows.map((row) => [row - 1, { height: 0 }] as const),
    ]),
    columns: Array.from({ length: Math.max(0, ...hiddenColumns) }, (_each, index) => ({
      hidden: hiddenColumns.includes(index + 1),
    })),
    merges: mergedRow === undefined ? [] : [{ startRow: mergedRow - 1, endRow: mergedRow, startCol: 0, endCol: 0 }],
  }
}
