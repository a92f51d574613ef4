import { type DocumentNode, executeSync, type GraphQLSchema } from 'graphql'
import { OPERATIONS } from '../contract/fault-rules.ts'
import type { AskedField } from './exchange.ts'
import type { Parameters } from './parameters.ts'

/**
 * The operations that a valid document would execute: it is executed on nothing, so that aliases, fragments, directives
 * and variables count as they do in truth. In the schema every operation may be null, so that none ends the others.
 */
export function askedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: Parameters,
): AskedField[] {
  const fields: AskedField[] = []
  const noted = OPERATIONS.map((name) => {
    const note = ({ input }: Arguments): null => {
      fields.push({ name, email: input?.candidate.email ?? null })
      return null
    }
    return [name, note]
  })
  const rootValue = Object.fromEntries(noted)
  executeSync({ schema, document, rootValue, variableValues: variables, operationName })
  return fields
}

interface Arguments {
  readonly input?: { readonly candidate: { readonly email: string } }
}
