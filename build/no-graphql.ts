/*
 * In the SDK's bundles, graphql-request gets this in place of the package `graphql`: 12 kB gzip of a parser and a printer
 * that are never called, because documents are strings and their operations are not looked up by name.
 */
export const Kind = { OPERATION_DEFINITION: 'OperationDefinition' }

export function parse(): never {
  throw new Error('This bundle cannot parse GraphQL documents')
}

export function print(): never {
  throw new Error('This bundle cannot print GraphQL documents')
}
