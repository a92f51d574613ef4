import sdl from '../../mock-server/schema.graphql?raw'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'The GraphQL schema (SDL) of this package, as its mock has it. The service publishes none: this one is written after ' +
        'its specification, and marks each choice of our own. Use it for editors and linters of GraphQL documents. The ' +
        'package has the same file as certify-sdk/schema.graphql.',
      '`certify doctor` checks whether a service has what this program uses.',
    ],
    output: 'the schema.',
    examples: ['certify schema > schema.graphql'],
  }).action(async () => {
    await context.output.text(sdl)
  })
}
