/** Writes the names of the operations of a schema as a type. @type {import('@graphql-codegen/plugin-helpers').PluginFunction} */
export const plugin = (schema) => {
  const names = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  return `/** The name of an operation of the service. */\nexport type OperationName =\n${names.map((name) => `  | '${name}'\n`).join('')}`
}
