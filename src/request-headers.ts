import {
  canBeSent,
  FRAMING,
  type HeaderSource,
  type HeaderValues,
  type Provided,
  provider,
  SENDABLE,
} from './credentials.ts'
import { configInvalid } from './refusals.ts'
import type { RequestEvent } from './transport/hooks.ts'

/** Called before each attempt is sent. It may return headers to add. */
export type OnRequest = (
  event: RequestEvent,
) => HeaderValues | undefined | void | Promise<HeaderValues | undefined | void>

/** The headers of an attempt except the client's own, or a function that returns them. */
export type RequestHeaders = HeaderValues | ((event: RequestEvent) => Promise<HeaderValues>)

/**
 * Puts together the credentials, the option `headers` and what `onRequest` returns. The later of these two overrides
 * the earlier, and the credentials override both.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if a header of the caller cannot be sent or is not the
 *   caller's to set
 */
export function requestHeaders(
  credentials: HeaderSource,
  headers: Provided<HeaderValues>,
  onRequest: OnRequest | undefined,
): RequestHeaders {
  const given = provider('headers', headers, (value) => addedHeaders('headers', value))
  if (typeof credentials !== 'function' && typeof given !== 'function' && onRequest === undefined) {
    return { ...given, ...credentials }
  }
  return async (event) => {
    const authentication = await valuesOf(credentials)
    const common = await valuesOf(given)
    /* Last: after it nothing of the caller can fail before the request is sent. */
    const added = provider(
      'onRequest',
      () => onRequest?.(Object.freeze(event)),
      (value) => addedHeaders('onRequest', value ?? {}),
    )
    return { ...common, ...(await valuesOf(added)), ...authentication }
  }
}

const valuesOf = (source: HeaderSource) => (typeof source === 'function' ? source() : source)

function addedHeaders(option: string, given: unknown): HeaderValues {
  /* `Headers` and a Map have no entries of their own: they would count as empty. */
  const isRecord = typeof given === 'object' && given !== null && !(Symbol.iterator in given)
  const entries = Object.entries(isRecord ? given : {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  const [refused] = entries.find(([name]) => FRAMING.test(name) || NOT_THEIRS.test(name)) ?? []
  if (refused !== undefined) throw configInvalid({ path: option, rule: `must not set ${refused}` }, OWN_OPTIONS)
  if (isRecord && entries.every(([name, value]) => canBeSent(name, value))) return Object.fromEntries(entries)
  throw configInvalid({ path: option, rule: 'is not an object with headers that can be sent' }, SENDABLE)
}

/*
 * The client sets the first ones itself. With one of the others, the response could not be read, or a proxy's password
 * would reach the service. Whole names: what is not in these lists may be a secret, and no message has it.
 */
const NOT_THEIRS =
  /^(accept|content-type|user-agent|x-api-key|x-client-reference|accept-encoding|content-encoding|proxy-authorization|proxy-connection)$/

const OWN_OPTIONS = 'Leave it out. The client has options for its own headers: apiKey, appInfo and reference.'
