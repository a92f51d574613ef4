import * as z from 'zod/mini'
import { CertifyError } from './errors.ts'
import { describeIssues, issuesOf } from './issues.ts'
import type { AbortSignalLike, Fetch } from './transport/fetch.ts'

/** How a client proves who it is. */
export type Authentication = 'api-key' | 'admin-session'

/** A value, or a function that is asked for it before each request. */
export type Provided<T> = T | (() => T | Promise<T>)

/** What every client can be told. */
export interface CommonOptions {
  /** Where the service is: an absolute https URL. The endpoint is `{baseUrl}/api/developer/graphql`. */
  readonly baseUrl: string
  /** How long one attempt may take, answer included, in milliseconds: 1 to 2,147,483,647. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Allows plain http to a host that is not this machine. The key then travels unprotected. Default: `false`. */
  readonly allowInsecureHttp?: boolean | undefined
  /** What sends the requests instead of the global `fetch`. It has to honour `redirect: 'manual'` and `signal`. */
  readonly fetch?: Fetch | undefined
}

/** Options of a client that sends an API key. Source: specification, part 5. */
export interface ApiKeyOptions extends CommonOptions {
  /** The key, or a function that gives the current one. Visible ASCII only; it is never printed. */
  readonly apiKey: Provided<string>
  readonly adminSession?: undefined
}

/** Options of a client inside an admin session. Source: specification, part 5. */
export interface AdminSessionOptions extends CommonOptions {
  /** How a session is established is not specified: give the headers that carry yours. */
  readonly adminSession: { readonly headers: Provided<Readonly<Record<string, string>>> }
  readonly apiKey?: undefined
}

export type ClientOptions = ApiKeyOptions | AdminSessionOptions

/** What one call can be told. */
export interface CallOptions {
  /** Ends the call when it is aborted. */
  readonly signal?: AbortSignalLike | undefined
  /** As {@link CommonOptions.timeoutMs}, for this call. */
  readonly timeoutMs?: number | undefined
}

/** The options of a client, checked. */
export interface Settings {
  readonly endpoint: string
  readonly authentication: Authentication
  readonly timeoutMs: number
  readonly fetch: Fetch | undefined
  /** The headers that authenticate one request. */
  readonly credentials: () => Promise<Readonly<Record<string, string>>>
}

const API_PATH = '/api/developer/graphql'
const LOOPBACK = /^(localhost|[^.]+\.localhost|127(\.\d+){3}|\[::1\])$/

/* A timer takes a 32-bit number of milliseconds; a larger one would fire at once. */
const milliseconds = z
  .number('must be a number of milliseconds')
  .check(z.refine((ms) => ms >= 1 && ms <= 2_147_483_647, 'must be between 1 and 2147483647 milliseconds'))
const aFunction = (rule: string) =>
  z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', rule)
/* Never coerced, so that no rule can quote a value: an option may be a secret in the wrong place. */
const common = {
  baseUrl: z.string(),
  timeoutMs: z.optional(milliseconds),
  allowInsecureHttp: z.optional(z.boolean()),
  fetch: z.optional(aFunction('must be a function')),
}
const apiKeyOptions = z.strictObject({
  ...common,
  apiKey: z.union([z.string(), aFunction('')], 'must be a string or a function that gives one'),
})
const adminSessionOptions = z.strictObject({
  ...common,
  adminSession: z.strictObject({
    headers: z.union([z.record(z.string(), z.string()), aFunction('')], 'must be an object of strings or a function'),
  }),
})
const callOptions = z.strictObject({
  signal: z.optional(
    z.custom<AbortSignalLike>(
      (value: unknown) =>
        typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
      'must be an AbortSignal',
    ),
  ),
  timeoutMs: z.optional(milliseconds),
})

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readOptions(options: ClientOptions): Settings {
  const given = withoutUndefined(options)
  if (!('apiKey' in given || 'adminSession' in given)) {
    throw configInvalid('apiKey is not given', 'If it comes from an environment variable, that variable is not set.')
  }
  if ('apiKey' in given && 'adminSession' in given) {
    throw configInvalid('both apiKey and adminSession are given', 'Give the one that the service is to decide by.')
  }
  const schema = 'apiKey' in given ? apiKeyOptions : adminSessionOptions
  const result = z.safeParse(schema, given)
  if (!result.success) throw optionsInvalid('the client', result.error, given)
  const { timeoutMs = 30_000, fetch } = given
  const settings = { endpoint: readEndpoint(given), timeoutMs, fetch }
  if (given.apiKey !== undefined) {
    if (typeof given.apiKey === 'string') checkKey(given.apiKey)
    return { ...settings, authentication: 'api-key', credentials: keyProvider(given.apiKey) }
  }
  if (typeof given.adminSession.headers === 'object') checkSession(given.adminSession.headers)
  return { ...settings, authentication: 'admin-session', credentials: sessionProvider(given.adminSession.headers) }
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readCallOptions(operation: string, options: CallOptions = {}): CallOptions {
  const given = withoutUndefined(options)
  const result = z.safeParse(callOptions, given)
  if (!result.success) throw optionsInvalid(operation, result.error, given)
  return options
}

function readEndpoint({ baseUrl, allowInsecureHttp = false }: ClientOptions): string {
  const example = 'It looks like https://certify.example.com.'
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw configInvalid('baseUrl is not an absolute http or https URL', example)
  }
  if (url.username !== '' || url.password !== '') {
    throw configInvalid('baseUrl must not hold a user name or a password', example)
  }
  if (url.search !== '' || url.hash !== '') throw configInvalid('baseUrl must not hold a query or a fragment', example)
  if (url.protocol === 'http:' && !allowInsecureHttp && !LOOPBACK.test(url.hostname)) {
    throw configInvalid(
      'baseUrl is plain http to another machine, which would send the key unprotected',
      'Use https, or set allowInsecureHttp if the network in between is yours.',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith(API_PATH)) throw configInvalid(`baseUrl must not end in ${API_PATH}`, 'The client adds that path.')
  return `${url.origin}${path}${API_PATH}`
}

function keyProvider(apiKey: Provided<string>): Settings['credentials'] {
  return async () => {
    const key = typeof apiKey === 'function' ? await ask('apiKey', apiKey) : apiKey
    checkKey(key)
    return { 'x-api-key': key }
  }
}

function sessionProvider(headers: Provided<Readonly<Record<string, string>>>): Settings['credentials'] {
  return async () => {
    const session = typeof headers === 'function' ? await ask('adminSession.headers', headers) : headers
    checkSession(session)
    return Object.fromEntries(Object.entries(session).map(([name, value]) => [name.toLowerCase(), value]))
  }
}

async function ask<T>(option: string, provider: () => T | Promise<T>): Promise<T> {
  try {
    return await provider()
  } catch (cause) {
    throw configInvalid(`the function given as ${option} failed`, 'Its error is the cause of this one.', cause)
  }
}

/* Checked before it can reach a Headers object, whose own complaint would print the key. */
function checkKey(key: unknown): asserts key is string {
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return
  throw configInvalid(
    key === '' ? 'apiKey is empty' : 'apiKey is not one line of visible ASCII characters',
    'Check where the key is read from; a line break at its end is the likeliest cause.',
  )
}

function checkSession(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers as Record<string, unknown>)
  const sound = entries.every(
    ([name, value]) =>
      /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value),
  )
  if (sound && entries.length > 0) return
  throw configInvalid(
    'adminSession.headers is empty or has a header that cannot be sent',
    'Names are HTTP tokens, values are one line of ASCII.',
  )
}

function optionsInvalid(what: string, error: z.core.$ZodError, given: object): CertifyError {
  const issues = issuesOf(error, given)
  return new CertifyError({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    message: `The options of ${what} are not valid: ${describeIssues(issues)}.`,
    hint: 'Correct the options.',
    issues,
  })
}

function configInvalid(what: string, hint: string, cause?: unknown): CertifyError {
  return new CertifyError({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    message: `The client cannot be used: ${what}.`,
    hint,
    cause,
  })
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
