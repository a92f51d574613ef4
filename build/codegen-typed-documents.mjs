import { Kind, OperationTypeNode, print, stripIgnoredCharacters } from 'graphql'

/**
 * Writes each document as a minified string, with the types of its result and its variables.
 *
 * @type {import('@graphql-codegen/plugin-helpers').PluginFunction}
 */
export const plugin = (_schema, documents) => {
  const operations = documents.flatMap(({ document }) => document?.definitions ?? [])
  const constants = operations.map((operation) => {
    if (operation.kind !== Kind.OPERATION_DEFINITION || operation.name === undefined)
      throw new Error('not a named operation')
    const name = operation.name.value
    const type = `${name}${operation.operation === OperationTypeNode.QUERY ? 'Query' : 'Mutation'}`
    return `export const ${name}Document = '${stripIgnoredCharacters(print(operation))}' as TypedDocument<${type}, ${type}Variables>\n`
  })
  return { prepend: ["import type { TypedDocument } from '../transport/graphql.ts'"], content: constants.join('\n') }
}
