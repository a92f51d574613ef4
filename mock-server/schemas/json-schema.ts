import * as z from 'zod/mini'

/** The JSON Schema of a value, without the address of its dialect. `override` may change what a schema becomes. */
export function jsonSchemaOf(
  schema: z.core.$ZodType,
  io: 'input' | 'output',
  override: (made: Made) => void = () => {},
): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override(made) {
      refine(made)
      override(made)
    },
  })
  return rest
}

/** A schema, and the JSON Schema that is made of it. */
interface Made {
  readonly zodSchema: object
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
}

/** Describes a schema with a check of its own by another schema. */
export function describeAs(schema: z.ZodMiniType, described: z.ZodMiniType): void {
  DESCRIBED.set(schema, described)
}

const DESCRIBED = new WeakMap<object, z.ZodMiniType>()

function refine({ zodSchema, jsonSchema }: Made): void {
  const described = DESCRIBED.get(zodSchema)
  if (described) Object.assign(jsonSchema, jsonSchemaOf(described, 'input'))
  // Zod adds the range of safe integers to every whole number.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  // A function cannot be written in JSON: without this, it would allow everything.
  const { anyOf } = jsonSchema
  if (anyOf) jsonSchema.anyOf = anyOf.filter((each) => typeof each === 'boolean' || Object.keys(each).length > 0)
}
