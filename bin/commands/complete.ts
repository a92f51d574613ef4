import { complete } from '../completion/complete.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

/** certify __complete: what the scripts of `certify completion` ask. The last word is the one at the cursor. */
export const define: DefineCommand = (command, context) => {
  addManual(command, context, { output: 'one candidate a line.', examples: ["certify __complete -- tracks ''"] })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { io, program } = context
      await context.output.text(await complete(program, io, words).catch(() => ''))
    })
}
