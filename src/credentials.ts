import { isCertifyError } from './errors.ts'
import { HTTP_TOKEN } from './option-rules.ts'
import { configInvalid } from './refusals.ts'
import { Interruption } from './transport/guarded-fetch.ts'

/** A value, or a function that returns it. The client calls the function before each attempt. */
export type Provided<T> = T | (() => T | Promise<T>)

/** Headers by name. */
export type HeaderValues = Readonly<Record<string, string>>

/** Checked headers, or a function that returns them for one attempt. */
export type HeaderSource = HeaderValues | (() => Promise<HeaderValues>)

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if a header cannot contain the key */
export function keyCredentials(apiKey: Provided<string>): HeaderSource {
  return provider('apiKey', apiKey, keyHeader)
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if the headers cannot be sent */
export function sessionCredentials(headers: Provided<HeaderValues>): HeaderSource {
  return provider('adminSession.headers', headers, sessionHeaders)
}

/** Checks a value now, and a function's result at each call. */
export function provider<T>(option: string, given: Provided<T>, headersOf: (value: T) => HeaderValues): HeaderSource {
  if (typeof given !== 'function') return headersOf(given)
  const provide = given as () => T | Promise<T>
  const failed = (cause: unknown) =>
    new Interruption({ kind: 'credentialsUnavailable', phase: 'not-sent', reason: option, cause })
  return async () => {
    const value = await Promise.resolve()
      .then(provide)
      .catch((cause: unknown) => {
        throw failed(cause)
      })
    try {
      return headersOf(value)
    } catch (error) {
      /* Reading a header is code of the caller as well, if it is a getter. */
      throw isCertifyError(error) ? error : failed(error)
    }
  }
}

/* Checked before `Headers` sees it: the error of `Headers` would contain the key. */
function keyHeader(key: string): HeaderValues {
  const given: unknown = key
  if (given === undefined || given === null || given === '') {
    throw configInvalid({ path: 'apiKey', rule: 'is empty' }, SOURCE)
  }
  if (typeof given === 'string' && /^[\x21-\x7e]+$/.test(given)) return { 'x-api-key': given }
  throw configInvalid({ path: 'apiKey', rule: 'is not one line of visible ASCII characters' }, SOURCE)
}

const SOURCE = 'Check the source of the key: it may be empty, or end in a line break.'

function sessionHeaders(headers: HeaderValues): HeaderValues {
  const entries = typeof headers === 'object' && (headers as unknown) !== null ? Object.entries(headers) : []
  if (entries.length > 0 && entries.every(([name, value]) => canBeSent(name, value) && !FRAMING.test(name)))
    return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
  throw configInvalid('adminSession.headers is empty or has a header that cannot be sent', SENDABLE)
}

/** Whether a header can have this name and this value. */
export const canBeSent = (name: string, value: unknown): boolean =>
  HTTP_TOKEN.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)

/** The hint for a header that cannot be sent. */
export const SENDABLE = 'Names are HTTP tokens, values are one line of ASCII.'

/**
 * A caller may not set these: they control the connection and the length of the request. With some of them, a `fetch`
 * throws after the client counts the request as sent.
 */
export const FRAMING: RegExp =
  /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i
