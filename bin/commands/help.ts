import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual, showAllOptions } from '../help.ts'
import { didYouMean } from '../spelling.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'Like --help after the command, with every option.',
    output: 'the help.',
    examples: ['certify help invites create', 'certify help bulk'],
    guide: 'getting-started.md',
  })
    .argument('[words...]', 'a command')
    .action(async (words: readonly string[]) => {
      const { program } = context
      const name = words.join(' ')
      const found = await program.find(words)
      if (found === undefined) {
        const hint = 'certify --help lists the commands.'
        throw new CliError(`there is no command '${name}'.${didYouMean(name, program.names)}`, hint)
      }
      showAllOptions(found)
      await program.run([...words, '--help'])
    })
}
