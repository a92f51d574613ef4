import { type DocumentNode, executeSync, type GraphQLSchema } from 'graphql'
import { OPERATIONS } from '../generated/operations.ts'
import type { SelectedOperation } from './exchange.ts'
import type { Parameters } from './graphql-parameters.ts'

/**
 * The operations that a valid document would execute. It is executed with resolvers that only note their names, so that
 * aliases, fragments, directives and variables count. In the schema every operation is nullable: none ends the others.
 */
export function selectedOperations(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: Parameters,
): SelectedOperation[] {
  const selected: SelectedOperation[] = []
  const noting =
    (name: string) =>
    (args: Arguments): null => {
      selected.push({ name, email: args.input?.candidate?.email ?? null })
      return null
    }
  const rootValue = Object.fromEntries(OPERATIONS.map((name) => [name, noting(name)]))
  executeSync({ schema, document, rootValue, variableValues: variables, operationName })
  return selected
}

interface Arguments {
  readonly input?: { readonly candidate?: { readonly email: string } }
}
