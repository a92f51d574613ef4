import type { Authentication } from './validation.ts'
import type { CallOptions, ClientLimits, CreateOptions, RetryOption } from './call-options.ts'
import type { ClientLedger, GuardSettings } from './create-guard.ts'
import { readEndpoint } from './endpoint.ts'
import { callOptions, checkOptions, clientOptions, createOptions } from './option-rules.ts'
import { clientInvalid, optionsInvalid } from './refusals.ts'
import {
  type HeaderSource,
  type HeaderValues,
  keyCredentials,
  type Provided,
  requestHeaders,
  sessionCredentials,
} from './request-headers.ts'
import type { Fetch } from './transport/fetch.ts'
import type { Hooks } from './transport/hooks.ts'
import { type AppInfo, userAgent } from './transport/user-agent.ts'

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
   * The limit for a call including all attempts, and all waits for the ledger, in milliseconds: 1 to 2,147,483,647. Default:
   * 90,000.
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
  readonly headers?: Provided<Readonly<Record<string, string>>> | undefined
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
   * With a ledger: how long a create waits while another call is inviting the same candidate, in milliseconds: 0 to
   * 2,147,483,647, and never longer than its deadline. After that it throws IN_PROGRESS. Default: 5,000.
   */
  readonly waitForInProgressMs?: number | undefined
  /**
   * With a ledger: sends even if its clock is more than five minutes behind its newest entry, or too far from the
   * service's (CLOCK_SKEW), or if an invite has expired by its clock, but not by the service's. Default: `false`.
   */
  readonly allowClockSkew?: boolean | undefined
}

/** Options of a client that sends an API key. Source: specification, part 5. */
export interface ApiKeyOptions extends CommonOptions {
  /**
   * The key, or a function that returns it. Visible ASCII only. It is never printed. If the function throws, nothing is
   * sent: CREDENTIALS_UNAVAILABLE, which is retried.
   */
  readonly apiKey: Provided<string>
  /** Not together with `apiKey`. */
  readonly adminSession?: undefined
  /**
   * Gives each create a `callbackUrl` with a token of its own: the result of `callbackUrls`. An input with its own
   * `callbackUrl` keeps it. Default: none.
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
    readonly headers: Provided<Readonly<Record<string, string>>>
  }
  /** Not together with `adminSession`. */
  readonly apiKey?: undefined
  /** Not together with `adminSession`: a session has no callbacks. */
  readonly callbacks?: undefined
}

/** The options of a client. */
export type ClientOptions = ApiKeyOptions | AdminSessionOptions

/** The checked options of a client. */
export interface Settings {
  readonly endpoint: string
  readonly authentication: Authentication
  readonly limits: ClientLimits
  /** The client's own headers of every request. */
  readonly headers: HeaderValues
  /** The credentials and the caller's headers. */
  readonly requestHeaders: HeaderSource
  readonly hooks: Hooks
  readonly fetch: Fetch | undefined
  readonly callbacks: CallbackMinter | undefined
  readonly ledger: ClientLedger | undefined
  /** The defaults of creates with a ledger. */
  readonly ledgerSettings: Pick<GuardSettings, 'account' | 'waitForInProgressMs' | 'allowClockSkew'>
}

/* What callers may pass at run time, in spite of the types. */
type UncheckedOptions = CommonOptions & {
  readonly apiKey?: Provided<string> | undefined
  readonly adminSession?: AdminSessionOptions['adminSession'] | undefined
  readonly callbacks?: CallbackMinter | undefined
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readOptions(options: ClientOptions): Settings {
  checkOptions('the client', clientOptions, options)
  const { apiKey, adminSession, callbacks, baseUrl, allowInsecureHttp = false }: UncheckedOptions = options
  const { timeoutMs = 30_000, deadlineMs = 90_000, retry, appInfo, hooks = {}, fetch } = options
  const { ledger, account = 'default', waitForInProgressMs = 5000, allowClockSkew = false } = options
  const limits = { timeoutMs, deadlineMs, maxAttempts: attemptsOf(retry) ?? 3 }
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
  const credentials = adminSession === undefined ? keyCredentials(apiKey) : sessionCredentials(adminSession.headers)
  return {
    endpoint,
    authentication: adminSession === undefined ? 'api-key' : 'admin-session',
    limits,
    headers,
    requestHeaders: requestHeaders(credentials, options.headers ?? {}),
    hooks,
    fetch,
    callbacks,
    ledger,
    ledgerSettings: { account, waitForInProgressMs, allowClockSkew },
  }
}

/** The number of attempts, if it is set. */
export const attemptsOf = (retry: RetryOption | undefined): number | undefined =>
  retry === false ? 1 : retry?.maxAttempts

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readCallOptions(operation: string, options: CallOptions | undefined): CallOptions {
  if (options === undefined) return {}
  checkOptions(operation, callOptions, options)
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
  const needing = hasLedger ? undefined : LEDGER_OPTIONS.find((path) => options[path] !== undefined)
  if (needing === undefined) return options
  throw optionsInvalid(operation, [{ path: needing, rule: 'needs a client with a ledger' }])
}

const LEDGER_OPTIONS = ['ifInvited', 'ifUnknown', 'waitForInProgressMs'] as const satisfies (keyof CreateOptions)[]
