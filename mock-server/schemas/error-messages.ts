import * as z from 'zod/mini'
import { LONGEST_MS, millisecondsIn } from '../world/clock.ts'
import { didYouMean } from '../world/near-names.ts'

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
export function object<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape) {
  const names = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${what} has no ${issue.keys.join(', ')}; there are ${names.join(', ')}${didYouMean(issue.keys[0] ?? '', names)}`
        : `${what} is an object`,
  })
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
  return z.union([z.number().check(z.gte(0, { error }), z.lte(LONGEST_MS, { error })), text], { error })
}

/** For checks of several members: they run even where single members are wrong. */
export function isPlainObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
