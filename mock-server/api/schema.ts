import { buildASTSchema, type DocumentNode, type GraphQLSchema, Kind, parse, visit } from 'graphql'
import type { BehaviourSwitches } from '../generated/contract.ts'
import sdl from '../schema.graphql?raw'

const document = parse(sdl)

/** The descriptive fields of results, which are nullable in the SDL. */
export const DESCRIPTIVE_FIELDS: ReadonlySet<string> = new Set(
  document.definitions.flatMap((node) => {
    const fields = node.kind === Kind.OBJECT_TYPE_DEFINITION ? (node.fields ?? []) : []
    return fields.filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE).map(({ name }) => name.value)
  }),
)

/**
 * The schema that executes requests, shared by all mocks. With `partial`, a refused operation is `null` beside its
 * error, so every operation is nullable: the only difference from the SDL.
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
      if (node.name.value !== 'Query' && node.name.value !== 'Mutation') return undefined
      const fields = node.fields?.map((field) =>
        field.type.kind === Kind.NON_NULL_TYPE ? { ...field, type: field.type.type } : field,
      )
      return fields && { ...node, fields }
    },
  })
}
