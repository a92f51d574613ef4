import { InvalidArgumentError } from 'commander'
import { TEMPLATE_FORMATS, template } from '../bulk/template.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

interface Flags {
  readonly format: (typeof TEMPLATE_FORMATS)[number]
  readonly excel?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: ['Replace its row by your own; columns that you do not need may go.'],
    output: 'the line with the columns, and one row.',
    examples: ['certify bulk template > candidates.csv', 'certify bulk template --excel > candidates.csv'],
  })
    .option(`--format <${TEMPLATE_FORMATS.join('|')}>`, 'default: csv', readFormat, 'csv')
    .option('--excel', 'with the mark that Excel needs to read names in UTF-8')
    .action(async ({ format, excel = false }: Flags) => {
      await context.output.text(template(format, excel))
    })
}

function readFormat(text: string): Flags['format'] {
  const format = TEMPLATE_FORMATS.find((each) => each === text)
  if (format === undefined) throw new InvalidArgumentError(`It has to be ${TEMPLATE_FORMATS.join(' or ')}.`)
  return format
}
