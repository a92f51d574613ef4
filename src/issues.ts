import type * as z from 'zod/mini'
import type { Issue } from './errors.ts'

/** Sentences for keys that a caller may try and that are refused with a reason of their own. */
export type RefusedKeys = Readonly<Record<string, string>>

/** Turns zod's findings into ours: a path and a rule, and never a value. */
export function issuesOf(error: z.core.$ZodError, input: unknown, refused: RefusedKeys = {}): readonly Issue[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), rule: ruleOf(issue, input) }]
    return issue.keys.map((key) => ({
      path: [...path, NAME.test(key) ? key : '(a key)'].join('.'),
      rule: (path.length === 0 && Object.hasOwn(refused, key) ? refused[key] : undefined) ?? UNKNOWN,
    }))
  })
}

/** One line for a message: every field with the rule that it breaks. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, rule }) => (path === '' ? `it ${rule}` : `${path} ${rule}`)).join('; ')
}

function ruleOf(issue: z.core.$ZodIssue, input: unknown): string {
  /* Without a language of its own, zod says only this where a schema does not say more. */
  if (issue.code !== 'invalid_type' || issue.message !== 'Invalid input') return issue.message
  const kind = TYPES[issue.expected] ?? `of the type ${issue.expected}`
  const missing = issue.path.length > 0 && valueAt(input, issue.path) === undefined
  return missing ? `is missing; it must be ${kind}` : `must be ${kind}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input)
}

/* A caller's key is shown only if it looks like the name of a field: it may be somebody's address. */
const NAME = /^[\w$-]{1,64}$/
const UNKNOWN = 'is not known here; check the spelling'

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}
