import { getDirectiveValues } from 'graphql'

/** Writes the operations of a schema, with the scope that the directive of each names. @type {import('@graphql-codegen/plugin-helpers').PluginFunction} */
export const plugin = (schema) => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  )
  const directive = schema.getDirective('scope')
  const scopes = fields.map(({ name, astNode }) => {
    const scope = directive && astNode && getDirectiveValues(directive, astNode)?.['name']
    if (typeof scope !== 'string') throw new Error(`${name} has no @scope.`)
    return `  ${name}: '${scope}',\n`
  })
  return `/** The operations of the service, and the scope that each needs. */
export const SCOPE_OF = {
${scopes.join('')}} as const

/** The name of an operation of the service. */
export type OperationName = keyof typeof SCOPE_OF

/** A permission of a key or of a session. */
export type Scope = (typeof SCOPE_OF)[OperationName]

/** The names of the operations. */
export const OPERATIONS = [
${fields.map(({ name }) => `  '${name}',\n`).join('')}] as const satisfies readonly OperationName[]
`
}
