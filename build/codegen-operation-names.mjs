/** Writes the names of the operations of a schema as a list and a type. @type {import('@graphql-codegen/plugin-helpers').PluginFunction} */
export const plugin = (schema) => {
  const names = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  return `/** The names of the operations of the service. */
export const OPERATIONS = [
${names.map((name) => `  '${name}',\n`).join('')}] as const

/** The name of an operation of the service. */
export type OperationName = (typeof OPERATIONS)[number]
`
}
