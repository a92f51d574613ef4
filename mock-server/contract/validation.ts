import * as z from 'zod/mini'
import { type Duration, LONGEST_MS, millisecondsIn } from '../world/clock.ts'
import { didYouMean } from '../world/near-names.ts'

/* How every schema of the contract checks a value, words its errors, and becomes a type and a JSON Schema. */

type Issue = z.core.$ZodIssue

interface Given {
  readonly input?: unknown
  readonly path?: readonly PropertyKey[] | undefined
}

/** The value as the schema parses it. Throws one error that names everything that is wrong with it. */
export function parseWith<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  intro: string,
): z.output<Schema> {
  // Not compiled: a schema that is used once does not gain by it.
  const result = z.safeParse(schema, value, { reportInput: true, jitless: true })
  if (result.success) return result.data
  const issues = result.error.issues.toSorted((a, b) => Number(isUnknownKey(b)) - Number(isUnknownKey(a)))
  throw new Error(`${intro}: ${[...new Set(issues.flatMap(messagesOf))].join('; ')}.`.replace(/\?\.$/, '?'))
}

/** An object that has these members and no others. */
export function object<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape, description?: string) {
  const names = Object.keys(shape)
  const schema = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${what} has no ${issue.keys.join(', ')}${didYouMean(issue.keys[0] ?? '', names) || `; there are ${names.join(', ')}`}`
        : `${what} is an object`,
  })
  return described(schema, description)
}

/** A copy of a schema that has this description: in its type, in JSON Schema and in the OpenAPI document. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string | undefined): Schema {
  if (description === undefined) return schema
  const copy = schema.clone(schema.def)
  z.globalRegistry.add(copy, { description })
  return copy
}

/** A message that begins with the path of the value. */
export function mustBe(text: string): (issue: Given) => string {
  return ({ path = [] }) => `${path.map(String).join('.')} has to be ${text}`
}

export function given({ input }: Given): string {
  return input === undefined ? 'undefined' : JSON.stringify(input)
}

/** A length of time: milliseconds, or a text with a unit. At most a thousand years. */
export function durationSchema(error: (issue: Given) => string = mustBe('a length of time, at most 365000d')) {
  const pattern = /^\d+(\.\d+)?(ms|s|m|h|d)$/
  const isShort = (text: string): boolean => !pattern.test(text) || millisecondsIn(text) <= LONGEST_MS
  const text = z.string().check(z.regex(pattern, { error }), z.refine(isShort, { error }))
  const schema = z.union([z.number().check(z.gte(0, { error }), z.lte(LONGEST_MS, { error })), text], { error })
  return typedAs<Duration>('Duration', schema)
}

/** A schema that accepts what another one does, with one message for everything that may be wrong. */
export function withOneMessage<Schema extends z.ZodMiniType>(
  schema: Schema,
  error: (issue: Given) => string,
  meta: Readonly<Record<string, unknown>>,
) {
  const fits = (value: unknown): boolean => z.safeParse(schema, value, { jitless: true }).success
  const whole = z.custom<z.output<Schema>>(fits, { error }).check(z.meta(meta))
  DESCRIBED.set(whole, schema)
  return whole
}

/** For checks of several members: they run even where single members are wrong. */
export function isPlainObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** The messages of an issue. For a union, those of the option that the value is closest to. */
function messagesOf(issue: Issue): string[] {
  if (issue.code !== 'invalid_union') return [issue.message]
  const near = issue.errors.find((issues) =>
    issues.every((each) => isUnknownKey(each) || (each.path.length > 0 && each.input !== undefined)),
  )
  const within = near ?? issue.errors.flat().filter(({ code }) => code === 'invalid_union')
  return within.length > 0 ? within.flatMap(messagesOf) : [issue.message]
}

function isUnknownKey({ code }: Issue): boolean {
  return code === 'unrecognized_keys'
}

/* What the generated types and the JSON Schemas say of a schema that zod itself cannot write. */

const TYPE_NAMES = new WeakMap<object, string>()
const DESCRIBED = new WeakMap<object, z.ZodMiniType>()

/** A schema whose type has a name, or an expression, that is defined elsewhere. */
export function typedAs<Type>(name: string, schema: z.ZodMiniType): z.ZodMiniType<Type, Type> {
  TYPE_NAMES.set(schema, name)
  return schema as z.ZodMiniType<Type, Type>
}

export function typeNameOf(schema: object): string | undefined {
  return TYPE_NAMES.get(schema)
}

export function describedBy(schema: object): z.ZodMiniType | undefined {
  return DESCRIBED.get(schema)
}

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

function refine({ zodSchema, jsonSchema }: Made): void {
  const other = describedBy(zodSchema)
  if (other) Object.assign(jsonSchema, jsonSchemaOf(other, 'input'))
  // Zod adds the range of safe integers to every whole number.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  // A function cannot be written in JSON: without this, it would allow everything.
  const { anyOf } = jsonSchema
  if (anyOf) jsonSchema.anyOf = anyOf.filter((each) => typeof each === 'boolean' || Object.keys(each).length > 0)
}
