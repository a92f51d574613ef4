import { buildASTSchema, type DocumentNode, type GraphQLSchema, Kind, parse, visit } from 'graphql'
import type { Dialect } from '../contract/behaviour-switches.ts'
import sdl from '../schema.graphql?raw'

/**
 * The schema that requests are executed against. Where refused fields are to stand as `null` beside their errors, the
 * operations have to be nullable: that is the one thing in which it then differs from the SDL.
 */
export function schemaFor(refusedData: Dialect['refusedData']): GraphQLSchema {
  const document = parse(sdl)
  return buildASTSchema(refusedData === 'partial' ? withNullableOperations(document) : document)
}

function withNullableOperations(document: DocumentNode): DocumentNode {
  return visit(document, {
    ObjectTypeDefinition(node) {
      if (node.name.value !== 'Query' && node.name.value !== 'Mutation') return undefined
      const fields = node.fields?.map((field) =>
        field.type.kind === Kind.NON_NULL_TYPE ? { ...field, type: field.type.type } : field,
      )
      return fields && { ...node, fields }
    },
  })
}
