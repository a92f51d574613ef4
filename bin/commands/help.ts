import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { TOPICS, topicText } from '../help/topics.ts'
import { widthOf } from '../help/wrap.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      `Topics: ${Object.keys(TOPICS).join(', ')}.`,
      'After a global install there are manual pages as well, except on Windows: `man certify`, and one for each command, as ' +
        '`man certify-invites-create`.',
    ],
    output: 'the help.',
    examples: ['certify help tracks list', 'certify help exit-codes'],
  })
    .argument('[words...]', 'a command or a topic')
    .action(async (words: readonly string[]) => {
      const { io, output, program } = context
      const topic = topicText(words.join(' '), widthOf(io.stdout))
      if (topic !== undefined) return output.text(topic)
      await program.run([...words, '--help'])
    })
}
