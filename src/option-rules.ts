import { optionsInvalid } from './refusals.ts'
import { any, isBoolean, must, optional, type Schema, strictOptions, string, validate } from './schema.ts'

/* What each option has to be, and how that is said. No rule quotes a value: it may be a secret in the wrong place. */
const option = (holds: (value: unknown) => boolean, rule: string) => optional(any(must(holds, rule)))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isFunction = (value: unknown) => typeof value === 'function'
const within = (value: unknown, from: number, to: number) => typeof value === 'number' && value >= from && value <= to

/** What may travel in a header and stand in a log. */
export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w.+=-]{1,128}$/.test(value)

/** What HTTP calls a token: the name of a header, or of a product. */
export const HTTP_TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

const token = string(must((value) => HTTP_TOKEN.test(value), 'must be a word without spaces'))
const milliseconds = option(
  /* A timer takes a 32-bit number of milliseconds; a larger one would ring at once. */
  (value) => within(value, 1, 2_147_483_647),
  'must be a number of milliseconds between 1 and 2147483647',
)
const limits = {
  timeoutMs: milliseconds,
  deadlineMs: milliseconds,
  retry: option(
    (value) =>
      value === false ||
      (isObject(value) &&
        Number.isInteger(value['maxAttempts']) &&
        within(value['maxAttempts'], 1, 10) &&
        Object.keys(value).length === 1),
    'must be false or { maxAttempts }, a whole number from 1 to 10',
  ),
}
const hook = option(isFunction, 'must be a function')
export const callOptions = strictOptions({
  signal: option(
    (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value && 'removeEventListener' in value,
    'must be an AbortSignal',
  ),
  ...limits,
  reference: option(isIdentifier, 'must be 1 to 128 letters, digits and _.+=-'),
})

export const clientOptions = strictOptions({
  baseUrl: string(),
  apiKey: option((value) => typeof value === 'string' || isFunction(value), 'must be a string or a function'),
  adminSession: optional(
    strictOptions({
      headers: any(must((value) => isObject(value) || isFunction(value), 'must be an object or a function')),
    }),
  ),
  ...limits,
  appInfo: optional(strictOptions({ name: token, version: optional(token) })),
  hooks: optional(strictOptions({ onAttempt: hook, onRetry: hook, onSettled: hook })),
  allowInsecureHttp: option(isBoolean, 'must be true or false'),
  fetch: option(isFunction, 'must be a function'),
})

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, naming every option at fault and its rule */
export function checkOptions(of: string, schema: Schema, options: unknown): void {
  const { issues } = validate(schema, options)
  if (issues !== undefined) throw optionsInvalid(of, issues)
}
