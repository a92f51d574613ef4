import { type Credentials, keyCredentials, type Provided, sessionCredentials } from './credentials.ts'
import { readEndpoint, UNSET } from './endpoint.ts'
import { callOptions, checkOptions, clientOptions } from './option-rules.ts'
import { configInvalid } from './refusals.ts'
import type { AbortSignalLike, Fetch } from './transport/fetch.ts'
import type { Hooks } from './transport/hooks.ts'
import { type AppInfo, userAgent } from './transport/user-agent.ts'

/** How a client proves who it is. */
export type Authentication = 'api-key' | 'admin-session'

/** What every client can be told. */
export interface CommonOptions {
  /** Where the service is: an absolute https URL. The endpoint is `{baseUrl}/api/developer/graphql`. */
  readonly baseUrl: string
  /** How long one attempt may take, from connecting to the end of the answer, in milliseconds: 1 to 2,147,483,647. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** How long a call may take with all its attempts and waits, in milliseconds: 1 to 2,147,483,647. Default: 90,000. */
  readonly deadlineMs?: number | undefined
  /**
   * How often a call may be sent, 1 to 10; `false` is once. Default: 3. A query is sent again after a passing failure; a
   * create only when it is proven that nothing happened: it was never sent, or it was refused with HTTP 429.
   */
  readonly retry?: { readonly maxAttempts: number } | false | undefined
  /** Your application, for the user agent. */
  readonly appInfo?: AppInfo | undefined
  /** Observers of attempts, retries and ends of calls. */
  readonly hooks?: Hooks | undefined
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
  /** As {@link CommonOptions.deadlineMs}, for this call. */
  readonly deadlineMs?: number | undefined
  /** As {@link CommonOptions.retry}, for this call. */
  readonly retry?: CommonOptions['retry']
  /** Your own identifier of this call instead of a new UUID: 1 to 128 letters, digits and `_.+=-`. */
  readonly reference?: string | undefined
}

/** The limits of a client's calls, with the defaults filled in. */
export interface ClientLimits {
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number
  /** For a call with all its attempts and waits, in milliseconds. */
  readonly deadlineMs: number
  /** How often a call may be sent. */
  readonly maxAttempts: number
}

/** The options of a client, checked. */
export interface Settings {
  readonly endpoint: string
  readonly authentication: Authentication
  readonly limits: ClientLimits
  /** Those that every request carries, whoever sends it. */
  readonly headers: Readonly<Record<string, string>>
  readonly hooks: Hooks
  readonly fetch: Fetch | undefined
  readonly credentials: Credentials
}

/* What may really be given, whatever the types say. */
type Given = CommonOptions & {
  readonly apiKey?: Provided<string> | undefined
  readonly adminSession?: AdminSessionOptions['adminSession'] | undefined
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readOptions(options: ClientOptions): Settings {
  checkOptions('the client', clientOptions, options)
  const { apiKey, adminSession, baseUrl, allowInsecureHttp = false }: Given = options
  const { timeoutMs = 30_000, deadlineMs = 90_000, retry, appInfo, hooks = {}, fetch } = options
  const limits = { timeoutMs, deadlineMs, maxAttempts: attemptsOf(retry) ?? 3 }
  const endpoint = readEndpoint(baseUrl, allowInsecureHttp)
  const headers = {
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    'user-agent': userAgent(appInfo),
  }
  const settings = { endpoint, limits, headers, hooks, fetch }
  if (apiKey !== undefined && adminSession !== undefined) {
    throw configInvalid('both apiKey and adminSession are given', 'Give the one that the service is to decide by.')
  }
  if (adminSession !== undefined) {
    return { ...settings, authentication: 'admin-session', credentials: sessionCredentials(adminSession.headers) }
  }
  if (apiKey === undefined) throw configInvalid({ path: 'apiKey', rule: 'is not given' }, UNSET)
  return { ...settings, authentication: 'api-key', credentials: keyCredentials(apiKey) }
}

/** How often a call may be sent, where that is said. */
export const attemptsOf = (retry: CommonOptions['retry']): number | undefined =>
  retry === false ? 1 : retry?.maxAttempts

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function readCallOptions(operation: string, options: CallOptions | undefined): CallOptions {
  if (options === undefined) return {}
  checkOptions(operation, callOptions, options)
  return options
}
