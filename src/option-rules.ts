import { CertifyError, type Issue } from './errors.ts'
import { describeIssues } from './issues.ts'
import { closest } from './spelling.ts'

/** What each option has to be, and how that is said. No rule quotes a value: it may be a secret in the wrong place. */
export type Rules = Readonly<Record<string, Rule>>

type Rule = readonly [holds: (value: unknown) => boolean, rule: string]

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isFunction = (value: unknown) => typeof value === 'function'
const within = (from: number, to: number) => (value: unknown) =>
  typeof value === 'number' && value >= from && value <= to
/* A timer takes a 32-bit number of milliseconds; a larger one would ring at once. */
const milliseconds: Rule = [within(1, 2_147_483_647), 'must be a number of milliseconds between 1 and 2147483647']

export const CALL_RULES: Rules = {
  signal: [
    (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value && 'removeEventListener' in value,
    'must be an AbortSignal',
  ],
  timeoutMs: milliseconds,
  deadlineMs: milliseconds,
}

export const CLIENT_RULES: Rules = {
  baseUrl: [(value) => typeof value === 'string', 'must be a string'],
  apiKey: [(value) => typeof value === 'string' || isFunction(value), 'must be a string or a function that gives one'],
  adminSession: [
    (value) =>
      isObject(value) &&
      Object.keys(value).join() === 'headers' &&
      (isObject(value['headers']) || isFunction(value['headers'])),
    'must be { headers }, with headers an object of strings or a function that gives one',
  ],
  timeoutMs: milliseconds,
  deadlineMs: milliseconds,
  retry: [
    (value) =>
      value === false ||
      (isObject(value) &&
        Object.keys(value).join() === 'maxAttempts' &&
        Number.isInteger(value['maxAttempts']) &&
        within(1, 10)(value['maxAttempts'])),
    'must be false or { maxAttempts }, a whole number from 1 to 10',
  ],
  appInfo: [
    (value) =>
      isObject(value) &&
      Object.entries(value).every(
        ([key, part]) =>
          /^(name|version)$/.test(key) && (part === undefined || (typeof part === 'string' && HTTP_TOKEN.test(part))),
      ) &&
      value['name'] !== undefined,
    'must be { name, version }, each a word without spaces',
  ],
  hooks: [
    (value) =>
      isObject(value) &&
      Object.entries(value).every(
        ([key, hook]) => /^on(Attempt|Retry|Settled)$/.test(key) && (hook === undefined || isFunction(hook)),
      ),
    'must be an object of functions: onAttempt, onRetry, onSettled',
  ],
  allowInsecureHttp: [(value) => typeof value === 'boolean', 'must be true or false'],
  fetch: [isFunction, 'must be a function'],
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, naming every option at fault and its rule */
export function checkOptions(what: string, rules: Rules, options: unknown): void {
  const given = isObject(options) ? Object.entries(options).filter(([, value]) => value !== undefined) : []
  const issues = given.flatMap(([path, value]): Issue[] => {
    const known = Object.hasOwn(rules, path) ? rules[path] : undefined
    if (known === undefined) return [{ path, rule: unknownRule(path, Object.keys(rules)) }]
    const [holds, rule] = known
    return holds(value) ? [] : [{ path, rule }]
  })
  if (!isObject(options)) issues.push({ path: '', rule: 'must be an object' })
  else if ('baseUrl' in rules && options['baseUrl'] === undefined) {
    issues.push({ path: 'baseUrl', rule: 'is missing; it must be a string' })
  }
  if (issues.length === 0) return
  throw new CertifyError({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    message: `The options of ${what} are not valid: ${describeIssues(issues)}.`,
    hint: 'Correct the options.',
    issues,
  })
}

function unknownRule(key: string, known: readonly string[]): string {
  const meant = closest(key, known)
  return meant === undefined
    ? `is not known here; known are ${known.join(', ')}`
    : `is not known here; did you mean ${meant}?`
}

/** What HTTP calls a token: the name of a header, or of a product. */
export const HTTP_TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
