import { print } from 'graphql'

/** Writes the documents as a list of texts. @type {import('@graphql-codegen/plugin-helpers').PluginFunction} */
export const plugin = (_schema, documents) => {
  const texts = documents.flatMap(({ document }) => (document === undefined ? [] : [print(document)]))
  return `export const documents: readonly string[] = ${JSON.stringify(texts, undefined, 2)}\n`
}
