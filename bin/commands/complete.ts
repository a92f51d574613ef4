import { complete } from '../completion/complete.ts'
import type { DefineCommand } from '../context.ts'

/** certify __complete: called by the scripts of `certify completion`. The last word is the one at the cursor. */
export const define: DefineCommand = (command, context) => {
  command.argument('[words...]').action(async (words: readonly string[]) => {
    const { program } = context
    await context.output.text(await complete(program, words).catch(() => ''))
  })
}
