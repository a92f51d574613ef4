import {
  type $strict,
  type $strip,
  $ZodArray,
  $ZodObject,
  $ZodOptional,
  type $ZodShape,
  type $ZodType,
  $ZodUnknown,
  type output,
  type ParsePayload,
  util,
} from 'zod/v4/core'
import type { Issue } from './errors.ts'
import { closest } from './spelling.ts'

/*
 * The schemas of this client, made of zod's core, each with a rule in words. zod and zod/mini give every schema methods
 * besides that nobody calls here, and a type of its own to each kind of value: bytes that every user would load.
 */

export type Schema<Value = unknown> = $ZodType<Value>
type OutputOf<Of> = output<Of>

export type { OutputOf as Output }

/** A rule in words. Of several, the first that does not hold is told. */
export const must = <Value>(holds: (value: Value) => boolean, rule: string) =>
  checkOf<Value>((value) => (holds(value) ? undefined : { message: rule }))

type Check<Value> = ReturnType<typeof checkOf<Value>>

/** A value that is checked by its rules alone. */
export const any = <Value>(...checks: Check<never>[]) => new $ZodUnknown({ type: 'unknown', checks }) as Schema<Value>

export const string = (...checks: Check<string>[]) => any<string>(must(isString, 'must be a string'), ...checks)

export const isString = (value: unknown) => typeof value === 'string'
export const isBoolean = (value: unknown) => typeof value === 'boolean'

export const array = <Item extends Schema>(element: Item, ...checks: Check<unknown[]>[]) =>
  new $ZodArray({ type: 'array', element, checks, error: () => 'must be a list' }) as $ZodArray<Item>

export const optional = <Inner extends Schema>(innerType: Inner) =>
  new $ZodOptional({ type: 'optional', innerType }) as $ZodOptional<Inner>

/** Leaves out the fields that it does not know. */
export const object = <Shape extends $ZodShape>(shape: Shape) =>
  new $ZodObject({ type: 'object', shape, error: notAnObject }) as $ZodObject<Shape, $strip>

/** Refuses the fields that it does not know. */
export const strictObject = <Shape extends $ZodShape>(shape: Shape) =>
  new $ZodObject({ type: 'object', shape, catchall: noField(Object.keys(shape)), error: notAnObject }) as $ZodObject<
    Shape,
    $strict
  >

const notAnObject = () => 'must be an object'

/* A field of `undefined` counts as absent, as it does in JSON. */
const noField = (known: readonly string[]) =>
  any(checkOf((value: unknown) => (value === undefined ? undefined : { params: { known } })))

function checkOf<Value>(faultOf: (value: Value) => object | undefined) {
  const check = ({ value, issues }: ParsePayload<Value>) => {
    const fault = faultOf(value)
    if (fault !== undefined) issues.push({ code: 'custom', input: value, ...fault })
  }
  return { _zod: { check, def: { check: 'custom' }, onattach: [] } }
}

/** What a value is by a schema, or every field at fault with its rule. */
export type Validated<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly value?: undefined }

export function validate<Of extends Schema>(schema: Of, given: unknown): Validated<output<Of>> {
  // oxlint-disable-next-line no-underscore-dangle -- how zod's core names what libraries may use
  const { value, issues } = schema._zod.run({ value: given, issues: [] }, {}) as ParsePayload<output<Of>>
  return issues.length === 0 ? { value } : { issues: issues.map(issueOf) }
}

/* zod's finding as a path and a rule, and never a value. */
function issueOf(raw: ParsePayload['issues'][number]): Issue {
  const { path, message, input, ...more } = util.finalizeIssue(raw, { reportInput: true }, {})
  const key = String(path.at(-1))
  if ('params' in more) {
    /* A caller's key is shown only if it looks like the name of a field: it may be somebody's address. */
    const shown = /^[\w$-]{1,64}$/.test(key) ? key : '(a key)'
    return { path: [...path.slice(0, -1), shown].join('.'), rule: unknownRule(key, more.params?.['known'] as string[]) }
  }
  const missing = input === undefined && path.length > 0
  return { path: path.join('.'), rule: missing ? `is missing; it ${message}` : message }
}

function unknownRule(key: string, known: readonly string[]): string {
  const meant = closest(key, known)
  return `is not known here; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`}`
}
