import { LONGEST_TIMER_MS } from './clock.ts'
import { optionsInvalid } from './refusals.ts'
import { boolean, closedOptions, isString, once, optional, rule, type Schema, string, validate } from './validation.ts'

/* The rule of each option, and its message. No message quotes a value: a secret may be in the wrong option. */
export const option = (holds: (value: unknown) => boolean, message: string) => optional(rule(holds, message))

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const isFunction = (value: unknown) => typeof value === 'function'
const within = (value: unknown, from: number, to: number) => typeof value === 'number' && value >= from && value <= to

/** What may be in a header and in a log. */
export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w.+=-]{1,128}$/.test(value)

/** A token in HTTP: the name of a header or of a product. */
export const HTTP_TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

const token = () => string(rule((value) => HTTP_TOKEN.test(value), 'must be a word without spaces'))
export const milliseconds = (from = 1) =>
  option(
    (value) => within(value, from, LONGEST_TIMER_MS),
    `must be a number of milliseconds between ${from} and ${LONGEST_TIMER_MS}`,
  )
export const clockOption = () =>
  option(
    (value) => isObject(value) && isFunction(value['now']) && isFunction(value['startTimer']),
    'must be a clock: { now, startTimer }',
  )
const limits = () => ({
  timeoutMs: milliseconds(),
  deadlineMs: milliseconds(),
  retry: option(
    (value) =>
      value === false ||
      (isObject(value) &&
        Number.isInteger(value['maxAttempts']) &&
        within(value['maxAttempts'], 1, 10) &&
        Object.keys(value).length === 1),
    'must be false or { maxAttempts }, a whole number from 1 to 10',
  ),
})
const callback = () => option(isFunction, 'must be a function')
const provided = (value: unknown) => isObject(value) || isFunction(value)

const callRules = () => ({
  signal: option(
    (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value && 'removeEventListener' in value,
    'must be an AbortSignal',
  ),
  ...limits(),
  reference: option(
    (value) => isString(value) && /^[\w.=-]{1,120}$/.test(value),
    'must be 1 to 120 letters, digits and _.=-',
  ),
  onResponse: callback(),
})

export const callOptions = once(() => closedOptions(callRules()))

/* A misspelt choice must not count as the default. */
export const createOptions = once(() =>
  closedOptions({
    ...callRules(),
    ifInvited: option(
      (value) => ['refuse', 'reuse', 'create'].includes(value as string),
      'must be refuse, reuse or create',
    ),
    ifUnknown: option((value) => ['refuse', 'create'].includes(value as string), 'must be refuse or create'),
    waitForInProgressMs: milliseconds(0),
  }),
)

export const clientOptions = once(() =>
  closedOptions({
    baseUrl: string(),
    apiKey: option((value) => typeof value === 'string' || isFunction(value), 'must be a string or a function'),
    adminSession: optional(
      closedOptions({
        headers: rule(provided, 'must be an object or a function'),
      }),
    ),
    ...limits(),
    appInfo: optional(closedOptions({ name: token(), version: optional(token()) })),
    hooks: optional(
      closedOptions({
        onAttempt: callback(),
        onRetry: callback(),
        onSettled: callback(),
        onUnrecorded: callback(),
        onRecordedLate: callback(),
      }),
    ),
    headers: option(provided, 'must be an object or a function'),
    allowInsecureHttp: optional(boolean('must be true or false')),
    fetch: callback(),
    callbacks: option((value) => isObject(value) && isFunction(value['mint']), 'must be the result of callbackUrls'),
    ledger: option((value) => isObject(value) && isFunction(value['guard']), 'must be a ledger: see openLedger'),
    account: option((value) => isString(value) && value.trim() !== '', 'must be a name'),
    waitForInProgressMs: milliseconds(0),
    allowClockSkew: optional(boolean('must be true or false')),
  }),
)

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, with every invalid option and its rule */
export function checkOptions(of: string, schema: () => Schema, options: unknown): void {
  const { issues } = validate(schema(), options)
  if (issues !== undefined) throw optionsInvalid(of, issues)
}
