import type { Bounds } from '../clock.ts'
import { clientInvalid, isCertifyError, notSet } from '../errors.ts'
import { AttemptFailed, endedEarly } from './failures.ts'
import type { RequestEvent } from './observe.ts'

/** A value, or a function that returns it. The client calls the function before each attempt. */
export type ValueOrFunction<T> = T | ((event: RequestEvent) => T | Promise<T>)

/** Headers by name. */
export type HeaderValues = Readonly<Record<string, string>>

/** Provides a checked value for one attempt, within its bounds. @throws AttemptFailed: nothing was sent */
export type Provider<T> = (event: RequestEvent, bounds: Bounds) => Promise<T>

/** Checked headers, or what provides them. */
export type HeaderSource = HeaderValues | Provider<HeaderValues>

/* The options with headers, and what makes the headers of each. */
const SOURCES = {
  apiKey: keyHeader,
  'adminSession.headers': sessionHeaders,
  headers: (given: unknown) => sendable('headers', given),
} as const

/**
 * The headers of an option: checks a value now, and a function's result at each call.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if a header cannot contain the key, cannot be sent, or is not the
 *   caller's to set
 */
export function headerSource(option: keyof typeof SOURCES, given: ValueOrFunction<unknown>): HeaderSource {
  const headersOf = SOURCES[option]
  if (typeof given !== 'function') return headersOf(given)
  return provider(option, given as (event: RequestEvent) => unknown, headersOf)
}

/**
 * The one place that calls a caller's functions: before anything counts as sent, and within the bounds of the attempt.
 *
 * @param check returns what is sent, or throws CONFIG_INVALID
 */
export function provider<Given, T>(
  option: string,
  provide: (event: RequestEvent) => Given | Promise<Given>,
  check: (given: Given) => T,
): Provider<T> {
  return async (event, bounds) => {
    try {
      return check(await bounds.race(async () => provide(Object.freeze(event))))
    } catch (cause) {
      const ending = bounds.ending()
      if (ending?.by === 'aborted') throw endedEarly(ending, 'not-sent')
      if (ending !== undefined) throw new AttemptFailed({ kind: 'providedLate', phase: 'not-sent', reason: option })
      const isOurs = isCertifyError(cause) && cause.code === 'CONFIG_INVALID'
      if (isOurs) throw new AttemptFailed({ kind: 'unsendable', issues: cause.issues, hint: cause.hint })
      /* Headers may have getters, which are the caller's code too. */
      throw new AttemptFailed({ kind: 'credentialsUnavailable', phase: 'not-sent', reason: option, cause })
    }
  }
}

/* Checked before `Headers` sees it: the error of `Headers` would contain the key. */
function keyHeader(given: unknown): HeaderValues {
  if (typeof given === 'string' && /^[\x21-\x7e]+$/.test(given)) return { 'x-api-key': given }
  if (given === undefined || given === null || given === '') throw notSet('apiKey')
  throw clientInvalid('apiKey', 'is not one line of visible ASCII characters', 'It may end in a line break.')
}

function sessionHeaders(given: unknown): HeaderValues {
  const headers = sendable('adminSession.headers', given)
  if (Object.keys(headers).length > 0) return headers
  throw clientInvalid('adminSession.headers', 'is empty', SENDABLE)
}

/* The headers with lower-case names. A name is shown only if it is a refused one: any other may be a secret. */
function sendable(path: string, given: unknown): HeaderValues {
  const entries = entriesOf(given)
  const [name] = entries?.find((entry) => RESERVED.has(entry[0])) ?? []
  if (name !== undefined) throw clientInvalid(path, `must not set ${name}`, OWN_OPTIONS)
  if (entries?.every(canBeSent) === true) return Object.fromEntries(entries)
  throw clientInvalid(path, 'is not an object with headers that can be sent', SENDABLE)
}

/* `undefined` unless it is a plain record: `Headers` and `Map` have no own properties, and would count as empty. */
function entriesOf(headers: unknown): readonly (readonly [name: string, value: string])[] | undefined {
  if (typeof headers !== 'object' || headers === null || Symbol.iterator in headers) return undefined
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as string])
}

function canBeSent([name, value]: readonly [string, unknown]): boolean {
  return HTTP_TOKEN.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
}

const SENDABLE = 'Names are HTTP tokens, values are one line of ASCII.'

/** A token in HTTP: the name of a header or of a product. */
export const HTTP_TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

/*
 * A caller may not set these. The client sets the first ones itself. The next control the connection and the length of the
 * request: with some of them, a `fetch` throws after the request counts as sent. With the last, the response could not be
 * read, or a proxy's password would reach the service.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `accept content-type user-agent x-api-key x-client-reference
  connection content-length expect host keep-alive te trailer transfer-encoding upgrade
  accept-encoding content-encoding proxy-authorization proxy-connection`.split(/\s+/),
)

const OWN_OPTIONS = 'Leave it out: the client sets it, or the connection does.'
