import * as z from 'zod/mini'
import { type Duration, MAX_MS, millisecondsIn } from '../world/clock.ts'
import { didYouMean } from '../world/near-names.ts'
import { pathText, type WorldProblem } from '../world/problems.ts'

/* How every schema of the contract checks a value, words its errors, and becomes a type and a JSON Schema. */

type Issue = z.core.$ZodIssue
type Path = WorldProblem['path']

/** The value as the schema parses it. Throws one error that names everything that is wrong with it. */
export function parseWith<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  intro: string,
): z.output<Schema> {
  const result = parsed(schema, value)
  if (result.success) return result.data
  const issues = result.error.issues.toSorted((a, b) => Number(isUnknownKey(b)) - Number(isUnknownKey(a)))
  const messages = issues
    .flatMap((issue) => problemsOf(issue))
    .map(({ path, message }) => withSubject(pathText(path) || 'this', message))
  throw new Error(`${intro}: ${[...new Set(messages)].join('; ')}.`.replace(/\?\.$/, '?'))
}

/** Everything that is wrong with the shape of a value, and where. */
export function shapeProblems(schema: z.ZodMiniType, value: unknown): WorldProblem[] {
  const issues = parsed(schema, value).error?.issues ?? []
  return issues
    .flatMap((issue) => problemsOf(issue))
    .map(({ path, message }) => ({ path, message: withSubject('this', message) }))
}

function parsed<Schema extends z.ZodMiniType>(schema: Schema, value: unknown) {
  // Not compiled: a schema that is used once does not gain by it.
  return z.safeParse(schema, value, { error: wordsFor, reportInput: true, jitless: true })
}

/** The problems of an issue. For a union, the problems of the closest option. */
function problemsOf(issue: Issue, base: Path = []): WorldProblem[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  if (issue.code === 'unrecognized_keys') return [{ path: [...path, issue.keys[0] ?? ''], message: issue.message }]
  if (issue.code !== 'invalid_union') return [{ path, message: issue.message }]
  const near = issue.errors.find((issues) =>
    issues.every((each) => isUnknownKey(each) || (each.path.length > 0 && each.input !== undefined)),
  )
  const isGeneral = issue.message === GENERAL
  const within = near ?? issue.errors.flat().filter(({ code }) => isGeneral && code === 'invalid_union')
  return within.length > 0 ? within.flatMap((each) => problemsOf(each, path)) : [{ path, message: issue.message }]
}

/** The words for an issue whose schema has none of its own: a predicate, whose subject is the value or its path. */
function wordsFor(issue: z.core.$ZodRawIssue): string {
  const { input } = issue
  if (input === undefined) return 'is missing'
  switch (issue.code) {
    case 'invalid_type': {
      const inQuotes = issue.expected === 'string' && ['number', 'boolean'].includes(typeof input)
      return `must be ${TYPES[issue.expected] ?? issue.expected}${inQuotes ? ': put it in quotes' : ''}`
    }
    case 'invalid_value': {
      const names = issue.values.map(String)
      return `must be ${names.join(', ')}${typeof input === 'string' ? didYouMean(input, names) : ''}`
    }
    case 'too_small':
      return `must ${amountOf(issue.origin)} ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
    case 'too_big':
      return `must ${amountOf(issue.origin)} at most ${issue.maximum}`
    default:
      return GENERAL
  }
}

function amountOf(origin: string): string {
  return { string: 'have a length of', array: 'have a length of' }[origin] ?? 'be'
}

function withSubject(subject: string, message: string): string {
  return /^(has|is|must) /.test(message) ? `${subject} ${message}` : message
}

const GENERAL = 'is not valid'

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** An object that has these members and no others. */
export function object<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape, description?: string) {
  const names = Object.keys(shape)
  const schema = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${what} has no ${issue.keys.join(', ')}${didYouMean(issue.keys[0] ?? '', names) || `; there are ${names.join(', ')}`}`
        : undefined,
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

/** An optional value that has this description. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return z.optional(schema.check(z.describe(description)))
}

/** An optional text. */
export function optionalText(description: string) {
  return optional(z.string(), description)
}

/** A length of time: milliseconds, or a text with a unit. At most a thousand years. */
export function durationSchema(description?: string) {
  const error = "must be a length of time such as '30s' or '14d', at most 365000d"
  const pattern = /^\d+(\.\d+)?(ms|s|m|h|d)$/
  const isShort = (text: string): boolean => !pattern.test(text) || millisecondsIn(text) <= MAX_MS
  const text = z.string(error).check(z.regex(pattern, { error }), z.refine(isShort, { error }))
  const schema = z.union([z.number(error).check(z.gte(0, error), z.lte(MAX_MS, error)), text], error)
  return typedAs<Duration>('Duration', described(schema, description))
}

/** For checks of several members, which run even if single members are wrong. */
export function isPlainObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isUnknownKey({ code }: Issue): boolean {
  return code === 'unrecognized_keys'
}

/* What the generated types and the JSON Schemas say about a schema that zod itself cannot express. */

const TYPE_NAMES = new WeakMap<object, string>()

/** A schema whose type has a name, or an expression, that is defined elsewhere. */
export function typedAs<Type>(name: string, schema: z.ZodMiniType): z.ZodMiniType<Type, Type> {
  TYPE_NAMES.set(schema, name)
  return schema as z.ZodMiniType<Type, Type>
}

export function typeNameOf(schema: object): string | undefined {
  return TYPE_NAMES.get(schema)
}

/** A function, which JSON Schema cannot express. */
export function functionAs<Type>(type: string): z.ZodMiniType<Type, Type> {
  return typedAs<Type>(
    type,
    z.custom((value) => typeof value === 'function', 'must be a function'),
  )
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

/** A schema, and the JSON Schema that is made from it. */
interface Made {
  readonly zodSchema: object
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
}

function refine({ jsonSchema }: Made): void {
  // Zod adds the range of safe integers to every whole number.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  // A function cannot be written in JSON: without this, it would allow everything.
  const { anyOf } = jsonSchema
  if (anyOf) jsonSchema.anyOf = anyOf.filter((each) => typeof each === 'boolean' || Object.keys(each).length > 0)
}
