import { clientInvalid, inputInvalid, notSet, optionsInvalid } from './errors.ts'
import { type Authentication, isCallbackUrl, NO_CALLBACK_URL } from './operations.ts'
import {
  type ClientLedger,
  type CreateOptions,
  INTERNALS,
  type RecordedClient,
  type RecordingLedger,
} from './internals.ts'
import type { CallOptions, CallSettings, RetryOption } from './transport/call.ts'
import type { Fetch } from './transport/fetch.ts'
import { headerSource, HTTP_TOKEN, type ValueOrFunction, type Provider, provider } from './transport/headers.ts'
import type { Hooks } from './transport/observe.ts'
import { type AppInfo, userAgent } from './util/runtime.ts'
import { API_PATH, isLoopback, parseUrl } from './util/url.ts'
import {
  callback,
  checkOptions,
  closedObject,
  flag,
  isFunction,
  isObject,
  isString,
  closedAs,
  milliseconds,
  once,
  oneOf,
  option,
  optional,
  referenceOption,
  rule,
  signalOption,
  string,
  within,
} from './validation.ts'

/** The options of every client. */
export interface CommonOptions {
  /** The URL of the service: absolute, with https. The endpoint is `{baseUrl}/api/developer/graphql`. */
  readonly baseUrl: string
  /**
   * The limit for one attempt, from connecting to the end of the response, in milliseconds: 1 to 2,147,483,647.
   * Default: 30,000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The limit for a call including all attempts, and all waits for the ledger or for another call that is inviting the
   * candidate, in milliseconds: 1 to 2,147,483,647. Default: 90,000.
   */
  readonly deadlineMs?: number | undefined
  /**
   * How many attempts a call may make: 1 to 10; `false` means one. Default: 3. A query is retried after a transient
   * failure. A create is retried only with proof that nothing happened: it was not sent, or it was refused with HTTP
   * 429.
   */
  readonly retry?: RetryOption | undefined
  /** Your application, for the user agent. */
  readonly appInfo?: AppInfo | undefined
  /** Observers of attempts, retries and ends of calls. */
  readonly hooks?: Hooks | undefined
  /**
   * Headers for every request, for example for a gateway or tracing, or a function that returns them. It is called
   * before each attempt, within its time limit, with `{ operation, reference, attempt }`. Headers that the client sets
   * itself, or that control the connection, are refused. The values are never printed. In an admin session, a header of
   * the session takes precedence. If the function throws, nothing is sent: CREDENTIALS_UNAVAILABLE, which is retried.
   * If a header cannot be sent, the call ends with CONFIG_INVALID.
   */
  readonly headers?: ValueOrFunction<Readonly<Record<string, string>>> | undefined
  /** Allows http to another machine. The key is then sent unencrypted. Default: `false`. */
  readonly allowInsecureHttp?: boolean | undefined
  /**
   * Sends the requests. It must honour `redirect: 'manual'` and `signal`. Default: on Node.js the SDK's own, which
   * knows whether a connection was made; elsewhere the runtime's `fetch`. See `createFetch` of `certify-sdk/node` for
   * proxies and certificates.
   */
  readonly fetch?: Fetch | undefined
  /**
   * The record of creates: the result of `openLedger` or `openPostgresLedger`. With it, a create is recorded before it
   * is sent, and not sent if the candidate has an open invite, or may have one. It does not know about invites from
   * elsewhere, or mutations sent with `request`. Default: none.
   */
  readonly ledger?: ClientLedger | undefined
  /**
   * With a ledger: your own name for the account of the credentials, as in `acme-production`. Keys rotate, so it is not derived
   * from them. Invites of different accounts never conflict. Default: `default`.
   */
  readonly account?: string | undefined
  /**
   * With a ledger: sends even if its clock is more than five minutes behind its newest record (CLOCK_SKEW), or if an invite
   * has expired by its clock, but not by the service's. Default: `false`.
   */
  readonly allowClockSkew?: boolean | undefined
}

/** Options of a client that sends an API key. Source: specification, part 5. */
export interface ApiKeyOptions extends CommonOptions {
  /**
   * The key, or a function that returns it. Visible ASCII only. It is never printed. If the function throws, nothing is
   * sent: CREDENTIALS_UNAVAILABLE, which is retried.
   */
  readonly apiKey: ValueOrFunction<string>
  /** Not together with `apiKey`. */
  readonly adminSession?: undefined
  /**
   * Gives each create a `callbackUrl` with a token of its own: the result of `callbackUrls`. An input with its own
   * `callbackUrl` keeps it. It is called before each attempt, within its time limit; if it fails, nothing is sent:
   * CREDENTIALS_UNAVAILABLE, which is retried. Default: none.
   */
  readonly callbacks?: CallbackMinter | undefined
}

/** Makes callback URLs: the part of `CallbackUrls` that a client uses. */
export interface CallbackMinter {
  /** Resolves with the `callbackUrl` for one create. */
  readonly mint: (reference: string) => Promise<string>
}

/** Options of a client inside an admin session. Source: specification, part 5. */
export interface AdminSessionOptions extends CommonOptions {
  /** Your session. The specification does not say how to start one. */
  readonly adminSession: {
    /** Its headers, or a function that returns them. They are never printed. */
    readonly headers: ValueOrFunction<Readonly<Record<string, string>>>
  }
  /** Not together with `adminSession`. */
  readonly apiKey?: undefined
  /** Not together with `adminSession`: a session has no callbacks. */
  readonly callbacks?: undefined
}

/** The options of a client. */
export type ClientOptions = ApiKeyOptions | AdminSessionOptions

/** The checked options of a client. */
export interface Settings extends CallSettings, Pick<RecordedClient, 'account' | 'allowClockSkew'> {
  readonly authentication: Authentication
  /** Provides the `callbackUrl` of a create. */
  readonly mint: Provider<string> | undefined
  readonly ledger: RecordingLedger | undefined
}

/* What callers may pass at run time, in spite of the types. */
type UncheckedOptions = CommonOptions & {
  readonly apiKey?: ValueOrFunction<string> | undefined
  readonly adminSession?: AdminSessionOptions['adminSession'] | undefined
  readonly callbacks?: CallbackMinter | undefined
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readOptions(options: ClientOptions): Settings {
  checkOptions('the client', clientOptions, options)
  const { apiKey, adminSession, callbacks, baseUrl, allowInsecureHttp = false }: UncheckedOptions = options
  const { timeoutMs = 30_000, deadlineMs = 90_000, retry, appInfo, hooks = {}, fetch } = options
  const { ledger, account = 'default', allowClockSkew = false } = options
  const limits = { timeoutMs, deadlineMs, maxAttempts: retry === false ? 1 : (retry?.maxAttempts ?? 3) }
  const endpoint = readEndpoint(baseUrl, allowInsecureHttp)
  const headers = {
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    'user-agent': userAgent(appInfo),
  }
  if (apiKey !== undefined && adminSession !== undefined) {
    throw clientInvalid('apiKey', 'is set beside adminSession', 'Set only one of them.')
  }
  if (adminSession !== undefined && callbacks !== undefined) {
    throw clientInvalid('callbacks', 'needs an API key: an admin session has none', 'Leave it out.')
  }
  const isSession = adminSession !== undefined
  return {
    endpoint,
    authentication: isSession ? 'admin-session' : 'api-key',
    limits,
    headers,
    credentials: isSession
      ? headerSource('adminSession.headers', adminSession.headers)
      : headerSource('apiKey', apiKey),
    callersHeaders: headerSource('headers', options.headers ?? {}),
    hooks,
    fetch,
    mint: callbacks && provider('callbacks.mint', ({ reference }) => callbacks.mint(reference), checkMinted),
    ledger: ledger as RecordingLedger | undefined,
    account,
    allowClockSkew,
  }
}

/* Otherwise the callbacks of an invite would be lost in silence. */
function checkMinted(url: unknown): string {
  if (isCallbackUrl(url)) return url
  throw clientInvalid('callbacks.mint', `returned no callback URL: it ${NO_CALLBACK_URL}`, 'Correct your function.')
}

/**
 * Returns the endpoint below a base URL.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 */
function readEndpoint(baseUrl: string, allowInsecureHttp: boolean): string {
  if (baseUrl === '') throw notSet('baseUrl')
  const url = parseUrl(baseUrl)
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash) {
    throw refuse(
      'must be an absolute http or https URL, without a user name, password, query or fragment',
      'An example is https://certify.example.com.',
    )
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url)) {
    throw refuse(
      'is http to another machine, which would send the key unencrypted',
      'Use https, or set allowInsecureHttp.',
    )
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (path.endsWith(API_PATH)) throw refuse(`must not end in ${API_PATH}`, 'The client adds that path.')
  return `${url.origin}${path}${API_PATH}`
}

function refuse(broken: string, hint: string) {
  return clientInvalid('baseUrl', broken, hint)
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readCallOptions(operation: string, options: CallOptions | undefined): CallOptions {
  if (options === undefined) return {}
  checkOptions(operation, callOptions, options)
  checkReference(operation, options)
  return options
}

/**
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, including when an option needs a ledger and there is
 *   none
 */
export function readCreateOptions(
  operation: string,
  options: CreateOptions | undefined,
  hasLedger: boolean,
): CreateOptions {
  if (options === undefined) return {}
  checkOptions(operation, createOptions, options)
  checkReference(operation, options)
  const needing = hasLedger ? undefined : LEDGER_OPTIONS.find((path) => options[path] !== undefined)
  if (needing === undefined) return options
  throw optionsInvalid(operation, [{ path: needing, rule: 'needs a client with a ledger' }])
}

/* As in `{ reference: job.data.id }` with another name in the job: without its key, a create is not idempotent. */
function checkReference(operation: string, options: CallOptions): void {
  if (!Object.hasOwn(options, 'reference') || options.reference !== undefined) return
  throw inputInvalid(operation, [{ path: 'reference', rule: 'is undefined; leave it out for a new one' }])
}

const LEDGER_OPTIONS = ['ifInvited', 'ifUnknown'] as const satisfies (keyof CreateOptions)[]

const token = () => string(rule((value) => HTTP_TOKEN.test(value), 'must be a word without spaces'))
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
const provided = (value: unknown) => isObject(value) || isFunction(value)

const callRules = () => ({
  signal: signalOption(),
  ...limits(),
  reference: referenceOption(),
  onResponse: callback(),
})

const callOptions = once(() => closedAs<CallOptions>()(callRules()))

/* A misspelt choice must not count as the default. */
const createOptions = once(() =>
  closedAs<CreateOptions>()({
    ...callRules(),
    ifInvited: oneOf('refuse', 'reuse', 'create'),
    ifUnknown: oneOf('refuse', 'create'),
  }),
)

const clientOptions = once(() =>
  closedAs<ClientOptions>()({
    baseUrl: string(),
    apiKey: option((value) => typeof value === 'string' || isFunction(value), 'must be a string or a function'),
    adminSession: optional(
      closedObject({
        headers: rule(provided, 'must be an object or a function'),
      }),
    ),
    ...limits(),
    appInfo: optional(closedAs<AppInfo>()({ name: token(), version: optional(token()) })),
    hooks: optional(
      closedAs<Hooks>()({
        onAttempt: callback(),
        onRetry: callback(),
        onSettled: callback(),
        onInProgress: callback(),
        onUnrecorded: callback(),
        onRecordedLate: callback(),
        onBreakerOpened: callback(),
        onBreakerClosed: callback(),
      }),
    ),
    headers: option(provided, 'must be an object or a function'),
    allowInsecureHttp: flag(),
    fetch: callback(),
    callbacks: option((value) => isObject(value) && isFunction(value['mint']), 'must be the result of callbackUrls'),
    ledger: option(
      (value) => isObject(value) && isFunction((value as Partial<RecordingLedger>)[INTERNALS]?.creates),
      'must be the result of openLedger',
    ),
    account: option((value) => isString(value) && value.trim() !== '', 'must be a name'),
    allowClockSkew: flag(),
  }),
)
