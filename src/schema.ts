import { $constructor, $ZodType, type $ZodTypeDef, type output, type ParsePayload } from 'zod/v4/core'
import type { Issue } from './errors.ts'
import { closest } from './spelling.ts'

/*
 * The schemas of this client: one kind of schema on zod's core, with rules in words. zod's own objects and lists do far
 * more than is asked for here; every user would load that, and every call would run it.
 */

export type Schema<Value = unknown> = $ZodType<Value>
export type Output<Of> = output<Of>

/** A rule in words. */
export interface Rule<Value> {
  readonly holds: (value: Value) => boolean
  readonly words: string
}

export const must = <Value>(holds: (value: Value) => boolean, words: string): Rule<Value> => ({ holds, words })

/** A value that is checked by its rules alone. Of several, the first that does not hold is told. */
export const any = <Value>(...rules: Rule<never>[]) =>
  schemaOf<Value>((payload) => {
    check(payload, rules)
    return payload
  })

export const string = (...rules: Rule<string>[]) => any<string>(must(isString, 'must be a string'), ...rules)

export const isString = (value: unknown) => typeof value === 'string'
export const isBoolean = (value: unknown) => typeof value === 'boolean'

export const array = <Of extends Schema>(item: Of, ...more: Rule<unknown[]>[]) => {
  const rules = [must(Array.isArray, 'must be a list'), ...more]
  return schemaOf<Output<Of>[]>((payload) => {
    const given = payload.value as unknown[]
    if (!check(payload, rules)) return payload
    let read = given
    for (let index = 0; index < given.length; index += 1) {
      const value = readAt(index, item, given[index], payload)
      if (value === given[index]) continue
      if (read === given) read = [...given]
      read[index] = value
    }
    payload.value = read
    return payload
  })
}

/** A field that may be left out. */
export const optional = <Of extends Schema>(schema: Of) =>
  schemaOf((payload) => (payload.value === undefined ? payload : run(schema, payload))) as Optional<Of>

/** Leaves out the fields that it does not know. */
export const object = <Of extends Shape>(shape: Of) => objectOf(shape, undefined)

/** Refuses the fields that it does not know, by name. One of `undefined` counts as absent, as it does in JSON. */
export const strictObject = <Of extends Shape>(shape: Of) =>
  /* A caller's key is shown only if it looks like the name of a field: it may be somebody's address. */
  objectOf(shape, (key) => /^[\w$-]{1,64}$/.test(key))

/** As {@link strictObject}; the name is shown only where it is a known one misspelt: it may be a secret in the wrong place. */
export const strictOptions = <Of extends Shape>(shape: Of) =>
  objectOf(shape, (key) => closest(key, Object.keys(shape)) !== undefined)

type Shape = Readonly<Record<string, Schema>>
type Optional<Of> = Schema<Output<Of> | undefined> & { readonly _zod: { readonly optout: 'optional' } }

type ObjectOf<Of extends Shape> = Flat<
  { [Key in Exclude<keyof Of, MayBeAbsent<Of>>]: Output<Of[Key]> } & { [Key in MayBeAbsent<Of>]?: Output<Of[Key]> }
>
type MayBeAbsent<Of extends Shape> = {
  [Key in keyof Of]: Of[Key] extends { readonly _zod: { readonly optout: 'optional' } } ? Key : never
}[keyof Of]
type Flat<Of> = { [Key in keyof Of]: Of[Key] }

/* An object that needs no change stays what it is, unless it is a caller's own, who may change it later. */
function objectOf<Of extends Shape>(shape: Of, isShown: ((unknownKey: string) => boolean) | undefined) {
  const isStrict = isShown !== undefined
  const known = Object.keys(shape)
  const schemas = Object.values(shape)
  return schemaOf<ObjectOf<Of>>((payload) => {
    const given = payload.value as Record<string, unknown>
    if (!check(payload, anObject)) return payload
    let read = isStrict || Object.keys(given).length !== known.length ? {} : given
    for (let index = 0; index < known.length; index += 1) {
      const key = known[index] as string
      const here = given[key]
      const value = readAt(key, schemas[index] as Schema, here, payload)
      if (read === given) {
        if (value !== undefined && value === here) continue
        read = Object.fromEntries(known.slice(0, index).map((each) => [each, given[each]]))
      }
      if (value !== undefined) read[key] = value
    }
    if (isStrict) refuseOthers(given, known, isShown, payload)
    payload.value = read
    return payload
  })
}

const anObject = [
  must((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object'),
]

function refuseOthers(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  isShown: (key: string) => boolean,
  { issues }: ParsePayload,
): void {
  for (const key in given) {
    const input = given[key]
    if (input === undefined || known.includes(key)) continue
    const meant = closest(key, known)
    const message = `is not known here; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`}`
    issues.push({ code: 'custom', input, message, path: [isShown(key) ? key : '(a key)'] })
  }
}

/* Reads what stands at a place, and puts that place before whatever is wrong with it. */
function readAt(place: PropertyKey, schema: Schema, value: unknown, payload: ParsePayload): unknown {
  const { issues } = payload
  const before = issues.length
  payload.value = value
  run(schema, payload)
  if (issues.length > before) {
    const found = issues.splice(before)
    issues.push(...found.map((issue) => ({ ...issue, path: [place, ...(issue.path ?? [])] })))
  }
  return payload.value
}

/* Whether all of the rules hold. Every value of every answer comes through here: a loop by index is the fastest. */
function check(payload: ParsePayload, rules: readonly Rule<never>[]): boolean {
  const { value } = payload
  for (let index = 0; index < rules.length; index += 1) {
    const { holds, words } = rules[index] as Rule<unknown>
    if (holds(value)) continue
    payload.issues.push({ code: 'custom', input: value, message: words })
    return false
  }
  return true
}

/** Leaves in the place of a value what it is, and beside it what is wrong with it. */
type Read = (payload: ParsePayload) => ParsePayload

/* zod's core names what libraries build on with a dash. */
/* oxlint-disable no-underscore-dangle */
const Kind = $constructor<Schema, $ZodTypeDef & { readonly read: Read }>('CertifySchema', (schema, def) => {
  $ZodType.init(schema, def)
  schema._zod.parse = def.read
})

const schemaOf = <Value>(read: Read) => new Kind({ type: 'custom', read }) as Schema<Value>

const run = (schema: Schema, payload: ParsePayload) => schema._zod.run(payload, CONTEXT) as ParsePayload
/* oxlint-enable no-underscore-dangle */

const CONTEXT = {}

/** What a value is by a schema, or every field at fault with its rule. */
export type Validated<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly value?: undefined }

export function validate<Of extends Schema>(schema: Of, given: unknown): Validated<Output<Of>> {
  const payload: ParsePayload = { value: given, issues: [] }
  run(schema, payload)
  const { value, issues } = payload
  return issues.length === 0 ? { value: value as Output<Of> } : { issues: issues.map(issueOf) }
}

/* A finding as a path and a rule, and never a value. */
function issueOf({ path = [], message = '', input }: ParsePayload['issues'][number]): Issue {
  const isMissing = input === undefined && path.length > 0
  return { path: path.join('.'), rule: isMissing ? `is missing; it ${message}` : message }
}
