import { TEMPLATE_FORMATS, template } from '../bulk/template.ts'
import type { DefineCommand } from '../context.ts'
import { choice } from '../flags.ts'
import { addManual } from '../help/manual.ts'

interface Flags {
  readonly format: (typeof TEMPLATE_FORMATS)[number]
  readonly excel?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: ['Replace its row by your own. Remove columns that you do not need.'],
    output: 'the line with the columns, and one row.',
    examples: ['certify bulk template > candidates.csv', 'certify bulk template --excel > candidates.csv'],
  })
    .option(`--format <${TEMPLATE_FORMATS.join('|')}>`, 'default: csv', choice(TEMPLATE_FORMATS), 'csv')
    .option('--excel', 'with the mark that Excel needs to read names in UTF-8')
    .action(async ({ format, excel = false }: Flags) => {
      await context.output.text(template(format, excel))
    })
}
