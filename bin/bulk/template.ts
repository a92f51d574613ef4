import { csvLine } from './read/csv.ts'

export const TEMPLATE_FORMATS = ['csv', 'ndjson'] as const

const EXAMPLE = {
  email: 'ada@example.com',
  name: 'Ada Byron',
  quiz_id: 'quiz_react_beginner_state',
  package_id: '',
  external_reference: 'application-1',
  send_email: 'yes',
  callback_url: '',
}

/** A file to begin with: the columns, and one row. Excel needs a mark to read UTF-8. */
export function template(format: (typeof TEMPLATE_FORMATS)[number], forExcel: boolean): string {
  if (format === 'ndjson') {
    const { package_id: _either, callback_url: _optional, ...row } = EXAMPLE
    return `${JSON.stringify(row)}\n`
  }
  return `${forExcel ? '\uFEFF' : ''}${csvLine(Object.keys(EXAMPLE))}${csvLine(Object.values(EXAMPLE))}`
}
