import { Argument } from 'commander'
import { SCRIPTS } from '../completion/scripts.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'Completes commands, options, their choices, and files.',
    output: 'the script.',
    examples: ['source <(certify completion bash)', 'certify completion fish | source'],
    guide: 'getting-started.md',
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action(async (shell: string) => {
      await context.output.text(SCRIPTS[shell] ?? '')
    })
}
