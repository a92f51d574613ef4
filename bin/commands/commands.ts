import type { DefineCommand } from '../context.ts'
import { describeCommands } from '../help/describe-commands.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    output: 'one row a command: its name and its summary.',
    json:
      'the common flags, and the list of commands with their arguments, flags, refused common flags, fields and ' +
      'scope.',
    ids: 'the name of each command',
    examples: ['certify commands', "certify commands --jq '.commands[].name'"],
  }).action(async () => {
    const { output, program } = context
    const tree = await describeCommands(program)
    await output.data({
      value: tree,
      columns: [
        { title: 'COMMAND', value: ({ name }) => name },
        { title: 'WHAT IT DOES', value: ({ summary }) => summary, cut: true },
      ],
      rows: tree.commands,
      ids: tree.commands.map(({ name }) => name),
    })
  })
}
