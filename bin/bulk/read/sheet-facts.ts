/** What a table of texts does not show about the sheet that it is from. */
export interface SheetFacts {
  readonly name: string
  /** The number of sheets in the workbook that are not hidden. */
  readonly sheets: number
  /** Ranges of cells that are one cell: only the first one has the value. */
  readonly mergedRanges: number
  /** Rows with values, and columns with a heading. */
  readonly hiddenRows: number
  readonly hiddenColumns: number
  readonly formulas: number
}
