import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  visit,
} from 'graphql'
import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import sdl from '../schema.graphql?raw'

const document = parse(sdl)

/** The operations of the service: the fields of its root types. */
export const OPERATIONS: readonly string[] = document.definitions.flatMap((node) =>
  isRootType(node) ? (node.fields ?? []).map(({ name }) => name.value) : [],
)

/**
 * The schema that requests are executed against: one for all mocks, as nothing in it changes. Where refused fields are to
 * stand as `null` beside their errors, the operations have to be nullable: that is all in which it then differs from the SDL.
 */
export function schemaFor(refusedData: BehaviourSwitches['refusedData']): GraphQLSchema {
  const schema =
    schemas.get(refusedData) ?? buildASTSchema(refusedData === 'partial' ? withNullableOperations() : document)
  schemas.set(refusedData, schema)
  return schema
}

const schemas = new Map<BehaviourSwitches['refusedData'], GraphQLSchema>()

function withNullableOperations(): DocumentNode {
  return visit(document, {
    ObjectTypeDefinition(node) {
      if (!isRootType(node)) return undefined
      const fields = node.fields?.map((field) =>
        field.type.kind === Kind.NON_NULL_TYPE ? { ...field, type: field.type.type } : field,
      )
      return fields && { ...node, fields }
    },
  })
}

function isRootType(node: DefinitionNode): node is ObjectTypeDefinitionNode {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION && (node.name.value === 'Query' || node.name.value === 'Mutation')
}
