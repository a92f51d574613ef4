import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { didYouMean } from '../spelling.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'The same as --help after the command.',
    output: 'the help.',
    examples: ['certify help invites create', 'certify help bulk'],
    guide: 'getting-started.md',
  })
    .argument('[words...]', 'a command')
    .action(async (words: readonly string[]) => {
      const { program } = context
      const name = words.join(' ')
      const isKnown = words.length === 0 || (await program.find(words)) !== undefined
      if (!isKnown) {
        const hint = 'certify --help lists the commands.'
        throw new CliError(`there is no command '${name}'.${didYouMean(name, program.names)}`, hint)
      }
      await program.run([...words, '--help'])
    })
}
