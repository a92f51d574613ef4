import { z } from 'zod/mini'
import type { Issue } from './errors.ts'

export type Schema<Value = unknown> = z.core.$ZodType<Value>
export type Output<Of> = z.output<Of>

/** A rule. Its message follows the name of the field. */
export const rule = <Value>(holds: (value: Value) => boolean, message: string) => z.refine<Value>(holds, message)

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

export const boolean = (message: string) => z.custom<boolean>(isBoolean, message)

/** A string with further rules. */
export const string = (...rules: z.core.$ZodCheck<string>[]) =>
  z.custom<string>(isString, 'must be a string').check(...rules)

export const isString = (value: unknown): value is string => typeof value === 'string'

/**
 * A field in a response that only describes: nobody acts on it. If it is null or absent, it is `null`.
 */
export const nullable = <Value>(holds: (value: unknown) => boolean, message: string) =>
  z.optional(z.custom<Value | null>((value) => value === null || holds(value), message)) as unknown as z.ZodMiniCustom<
    Value | null,
    Value | null
  >

/** An object in a response. Unknown fields are left out. */
export const openObject = <Of extends z.core.$ZodShape>(shape: Of) =>
  z.object(shape, AN_OBJECT).check(
    /* Of a valid object only a nullable field may be absent. */
    z.check(({ value }) => {
      for (const key in shape) (value as Record<string, unknown>)[key] ??= null
    }),
  )

/** An object from a caller. An unknown field is refused by its name. */
export const closedObject = <Of extends z.core.$ZodShape>(shape: Of) =>
  /* Shows a key only if it looks like a field name: it may be an e-mail address. */
  closed(shape, (key) => /^[\w$-]{1,64}$/.test(key))

/** As {@link closedObject}. It shows a name only if its case alone is wrong: any other may be a secret. */
export const closedOptions = <Of extends z.core.$ZodShape>(shape: Of) =>
  closed(shape, (key) => Object.keys(shape).some((known) => known.toLowerCase() === key.toLowerCase()))

const AN_OBJECT = 'must be an object'

/* Not zod's strict object: here a field with `undefined` counts as absent, as in JSON. */
function closed<Of extends z.core.$ZodShape>(shape: Of, isShown: (key: string) => boolean) {
  const known = Object.keys(shape)
  const refuseOthers = z.check<Record<string, unknown>>(
    ({ value, issues }) => {
      for (const [key, input] of Object.entries(value)) {
        if (input === undefined || known.includes(key)) continue
        const path = [isShown(key) ? key : '(a key)']
        issues.push({
          code: 'custom',
          input,
          message: `is unknown; known fields: ${known.join(', ')}`,
          path,
          params: { isUnknown: true },
        })
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  return z.looseObject(shape, AN_OBJECT).check(refuseOthers) as unknown as z.ZodMiniObject<Of, z.core.$strict>
}

/** The checked value, or every invalid field with its rule. */
export type Validated<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly value?: undefined }

export function validate<Of extends Schema>(schema: Of, given: unknown): Validated<Output<Of>> {
  const { data, error } = z.safeParse(schema, given)
  return error === undefined ? { value: data } : { issues: error.issues.map((issue) => issueOf(issue, given)) }
}

/* A path and a rule, never a value. */
function issueOf(issue: z.core.$ZodIssue, given: unknown): Issue {
  const { path, message } = issue
  const isUnknown = issue.code === 'custom' && issue.params !== undefined
  const isMissing = !isUnknown && path.length > 0 && valueAt(given, path) === undefined
  return { path: path.join('.'), rule: isMissing ? `is missing; it ${message}` : message }
}

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

/** How a client authenticates: a rule may differ. */
export type Authentication = 'api-key' | 'admin-session'

/** As {@link once}, for each kind of client. */
export function onceFor<Kind extends string, Of extends Schema>(make: (kind: Kind) => Of): (kind: Kind) => Of {
  const made = new Map<Kind, Of>()
  return (kind) => {
    const schema = made.get(kind) ?? make(kind)
    made.set(kind, schema)
    return schema
  }
}
