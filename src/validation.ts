import * as z from 'zod/v4/core'
import { MAX_TIMER_MS } from './clock.ts'
import { type Issue, optionsInvalid } from './errors.ts'

/* Zod's core, as its documentation suggests for libraries: the classes of zod/mini would add 5 % to the SDK. */

export type Schema<Value = unknown> = z.$ZodType<Value>
export type Output<Of> = z.output<Of>

/**
 * The schema of a value with a rule, or one more rule of a schema.
 *
 * @param message what the value must be: it follows the name of the field
 * @param checks further rules, looked at only if this one holds
 */
export function rule<Value>(
  holds: (value: Value) => boolean,
  message: string | ((value: Value) => string),
  ...checks: z.$ZodCheck<Value>[]
): z.$ZodCustom<Value, Value> {
  const error = ({ input }: { readonly input?: unknown }) =>
    typeof message === 'string' ? message : message(input as Value)
  return custom<Value>({ fn: holds, error, checks })
}

const custom = <Value>(definition: object) =>
  new z.$ZodCustom({ type: 'custom', check: 'custom', abort: true, ...definition } as z.$ZodCustomDef) as z.$ZodCustom<
    Value,
    Value
  >

export const boolean = (message = 'must be true or false') =>
  rule<boolean>((value: unknown) => typeof value === 'boolean', message)

/** A string with further rules. */
export const string = (...rules: z.$ZodCheck<string>[]) => rule<string>(isString, 'must be a string', ...rules)

export const isString = (value: unknown): value is string => typeof value === 'string'

export const optional = <Of extends Schema>(innerType: Of) =>
  new z.$ZodOptional({ type: 'optional', innerType }) as z.$ZodOptional<Of>

/** A descriptive field in a response, which no caller acts on: a value or an object. It is `null` if it is null or absent. */
export const nullable = <Of extends Schema>(innerType: Of) =>
  new z.$ZodDefault({
    type: 'default',
    innerType: new z.$ZodNullable({ type: 'nullable', innerType }),
    defaultValue: null,
  }) as unknown as Schema<Output<Of> | null>

export const list = <Of extends Schema>(element: Of, ...checks: z.$ZodCheck<unknown[]>[]) =>
  new z.$ZodArray({ type: 'array', element, error: () => 'must be a list', checks }) as z.$ZodArray<Of>

/** An object in a response. Unknown fields are left out. */
export const openObject = <Of extends z.$ZodShape>(shape: Of) =>
  new z.$ZodObject({ type: 'object', shape, error: notAnObject }) as z.$ZodObject<Of, z.$strip>

/**
 * An object from a caller. An unknown field is refused, by its name if that looks like one, in letters: any other may be a secret
 * or an e-mail address. Not zod's strict object: here a field with `undefined` counts as absent, as in JSON.
 */
export function closedObject<Of extends z.$ZodShape>(shape: Of, ...checks: z.$ZodCheck[]) {
  const catchall = custom<unknown>({
    fn: (value: unknown) => value === undefined,
    error: () => `is unknown; known fields: ${Object.keys(shape).join(', ')}`,
    params: { isUnknown: true },
  })
  const definition = { type: 'object', shape, error: notAnObject, catchall, checks } as const
  return new z.$ZodObject(definition) as z.$ZodObject<Of, z.$strict>
}

/** The same for options, compared with their interface: a key that one of them lacks does not compile. */
export function closedAs<Options>() {
  return <Of extends z.$ZodShape>(shape: Of & SameKeys<keyof Of, KeysOf<Options>>, ...checks: z.$ZodCheck[]) =>
    closedObject<Of>(shape, ...checks)
}

const notAnObject = () => 'must be an object'

/** The checked value, or every invalid field with its rule. */
export type Validated<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly value?: undefined }

export function validate<Of extends Schema>(schema: Of, given: unknown): Validated<Output<Of>> {
  const { data, error } = safeParse(schema, given)
  return error === undefined ? { value: data } : { issues: error.issues.map((issue) => issueOf(issue, given)) }
}

/* Zod's own error class would add 2 % to the SDK. */
// oxlint-disable-next-line no-underscore-dangle
const safeParse = z._safeParse(
  class {
    readonly issues: readonly z.$ZodIssue[]

    constructor(issues: readonly z.$ZodIssue[]) {
      this.issues = issues
    }
  } as unknown as z.$ZodErrorClass,
)

/* A path and a rule, never a value. */
function issueOf(issue: z.$ZodIssue, given: unknown): Issue {
  const { path, message } = issue
  if (issue.code === 'custom' && issue.params !== undefined) {
    const key = String(path.at(-1))
    return { path: [...path.slice(0, -1), IS_NAME.test(key) ? key : '(name withheld)'].join('.'), rule: message }
  }
  const isMissing = path.length > 0 && valueAt(given, path) === undefined
  return { path: path.join('.'), rule: isMissing ? `is missing; it ${message}` : message }
}

const IS_NAME = /^[a-z][a-z_-]{0,30}\d{0,2}$/i

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key]
  return value
}

/** Makes a schema at its first use. */
export function once<Of extends Schema>(make: () => Of): () => Of {
  let made: Of | undefined
  return () => (made ??= make())
}

/* The rules of options. No message quotes a value: a secret may be in the wrong option. */
export const option = (holds: (value: unknown) => boolean, message: string) => optional(rule(holds, message))

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isFunction = (value: unknown) => typeof value === 'function'
export const within = (value: unknown, from: number, to: number) =>
  typeof value === 'number' && value >= from && value <= to

export const milliseconds = (from = 1) =>
  option(
    (value) => within(value, from, MAX_TIMER_MS),
    `must be a number of milliseconds between ${from} and ${MAX_TIMER_MS}`,
  )

export const flag = () => optional(boolean())

export const oneOf = (...values: readonly string[]) =>
  option((value) => values.includes(value as string), `must be one of: ${values.join(', ')}`)

export const atLeast = (least: number) =>
  option((value) => within(value, least, Number.POSITIVE_INFINITY), `must be a number of ${least} or more`)

export const wholeNumber = (least: number) =>
  option(
    (value) => Number.isSafeInteger(value) && within(value, least, Number.MAX_SAFE_INTEGER),
    `must be a whole number, ${least} or more`,
  )

export const callback = () => option(isFunction, 'must be a function')

export const signalOption = () =>
  option(
    (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value && 'removeEventListener' in value,
    'must be an AbortSignal',
  )

export const referenceOption = () =>
  option((value) => isString(value) && /^[\w.=-]{1,120}$/.test(value), 'must be 1 to 120 letters, digits and _.=-')

export const timeOption = () =>
  option(
    (value) => (isString(value) || value instanceof Date) && !Number.isNaN(new Date(value).getTime()),
    'must be a Date, or a time in ISO 8601',
  )

export const clockOption = () =>
  option(
    (value) => isObject(value) && isFunction(value['now']) && isFunction(value['startTimer']),
    'must be a clock: { now, startTimer }',
  )

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, with every invalid option and its rule */
export function checkOptions(of: string, schema: () => Schema, options: unknown): void {
  const { issues } = validate(schema(), options)
  if (issues !== undefined) throw optionsInvalid(of, issues)
}

/**
 * Checks a schema against a generated type. If the type of the schema differs in any field, this does not compile.
 * Enumerations count as strings: outputs are open.
 */
export function matchesGenerated<Generated>() {
  return <Of extends Schema>(schema: Of & SameShape<Output<Of>, Generated>): Of => schema
}

type KeysOf<T> = T extends unknown ? keyof T : never

type SameKeys<Ours, Theirs> =
  Same<Ours, Theirs> extends true ? unknown : { 'differs in': Exclude<Ours | Theirs, Ours & Theirs> }

type SameShape<Ours, Theirs> = Same<Shape<Ours>, Shape<Theirs>> extends true ? unknown : { 'differs from': Theirs }

/* The usual test for identical types. Assignability would miss an absent optional field. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Shape<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Shape<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Shape<T[Key]> }
      : T
