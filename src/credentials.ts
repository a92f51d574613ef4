import { HTTP_TOKEN } from './option-rules.ts'
import { configInvalid } from './refusals.ts'

/** A value, or a function that returns it. The client calls the function before each attempt. */
export type Provided<T> = T | (() => T | Promise<T>)

type Headers = Readonly<Record<string, string>>

/** The headers that authenticate an attempt, or a function that returns them. */
export type Credentials = Headers | (() => Promise<Headers>)

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if a header cannot contain the key */
export function keyCredentials(apiKey: Provided<string>): Credentials {
  return provider('apiKey', apiKey, keyHeader)
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if the headers cannot be sent */
export function sessionCredentials(headers: Provided<Headers>): Credentials {
  return provider('adminSession.headers', headers, sessionHeaders)
}

/* Checks a value now, and a function's result at each call. */
function provider<T>(option: string, given: Provided<T>, headersOf: (value: T) => Headers): Credentials {
  if (typeof given !== 'function') return headersOf(given)
  const provide = given as () => T | Promise<T>
  return async () => {
    const value = await Promise.resolve()
      .then(provide)
      .catch((cause: unknown) => {
        throw configInvalid(`the function in ${option} failed`, 'See the cause of this error.', cause)
      })
    return headersOf(value)
  }
}

/* Checked before `Headers` sees it: the error of `Headers` would contain the key. */
function keyHeader(key: string): Headers {
  const given: unknown = key
  if (given === undefined || given === null || given === '') {
    throw configInvalid({ path: 'apiKey', rule: 'is empty' }, SOURCE)
  }
  if (typeof given === 'string' && /^[\x21-\x7e]+$/.test(given)) return { 'x-api-key': given }
  throw configInvalid({ path: 'apiKey', rule: 'is not one line of visible ASCII characters' }, SOURCE)
}

const SOURCE = 'Check the source of the key: it may be empty, or end in a line break.'

function sessionHeaders(headers: Headers): Headers {
  const entries = typeof headers === 'object' && (headers as unknown) !== null ? Object.entries(headers) : []
  const isValid = entries.every(
    ([name, value]) =>
      HTTP_TOKEN.test(name) && !FRAMING.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value),
  )
  if (isValid && entries.length > 0)
    return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
  throw configInvalid(
    'adminSession.headers is empty or has a header that cannot be sent',
    'Names are HTTP tokens, values are one line of ASCII.',
  )
}

/* A caller may not set these: they control the connection and the length of the request. */
const FRAMING = /^(connection|content-length|host|transfer-encoding|upgrade)$/i
