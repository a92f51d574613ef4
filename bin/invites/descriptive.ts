import type { Cell, Column } from '../terminal/table.ts'

/** A column of a field that the service may leave out. */
export function descriptive<Row>(title: string, value: (row: Row) => Cell, isLong = false): Column<Row> {
  return { title, value, absent: ABSENT, ...(isLong && { fit: 'end' as const }) }
}

/** A descriptive field for a terminal. */
export function shown(text: string | null): string {
  return text ?? ABSENT
}

const ABSENT = '-'
