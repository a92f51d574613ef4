import type { AbortSignalLike, Bounds, Ending } from '../clock.ts'
import type { Phase } from '../errors.ts'
import { decodeBody, readerOf, readWhole } from '../util/body.ts'
import { AttemptFailed, endedEarly, type HeaderReader } from './failures.ts'

/**
 * Sends a request: the part of the standard `fetch` that this client uses. It can be the global one, one with a proxy,
 * a mock's, or your own. It must honour `redirect: 'manual'` and `signal`.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** One request, as {@link Fetch} receives it. */
export interface FetchInit {
  method: 'POST'
  headers: Record<string, string>
  body: string
  redirect: 'manual'
  signal: RuntimeAbortSignal
  /** How long the request may take before it is aborted, in milliseconds. */
  timeoutMs?: number
  /** Whether the request may still be sent. Ask it again once there is a connection: connecting may have taken long. */
  maySend?: () => boolean
}

/** What {@link Fetch} resolves with. */
export interface FetchResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  /** The body, to be read in chunks: a web stream or an iterable of bytes; null if there is none. */
  readonly body: unknown
}

/** The runtime's own AbortSignal, if its types are loaded. With it the global `fetch` matches {@link Fetch}. */
export type RuntimeAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike

/** A whole response, read to its end. */
export interface HttpResponse {
  readonly status: number
  readonly ok: boolean
  readonly header: HeaderReader
  readonly text: string
  /** Why the call was ended while the body arrived. A body that ends with its connection may then be incomplete. */
  readonly givenUp: Ending | undefined
}

/**
 * Sends one request and reads its response, within its bounds and a maximum size. It follows no redirect: that would
 * send the key and the candidate's data to another host.
 *
 * @param isGiven whether `send` is the caller's own: the cause of any other failure may contain the request
 * @param maxBytes a larger response is not read
 * @throws AttemptFailed with how far the request got
 */
export async function sendWithin(
  bounds: Bounds,
  send: Fetch,
  isGiven: boolean,
  { url, headers, body }: { readonly url: string } & Pick<FetchInit, 'headers' | 'body'>,
  maxBytes: number,
): Promise<HttpResponse> {
  let phase = 'not-sent' as Phase
  let status: number | undefined
  const exchange = async () => {
    const maySend = () => !bounds.isLate()
    if (!maySend()) throw endedEarly({ by: 'timedOut' }, phase)
    phase = 'sent'
    const { signal, timeoutMs } = bounds
    const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal, timeoutMs, maySend })
    phase = 'headers'
    status = response.status
    refuseRedirect(response)
    const bytes = await readWhole(readerOf(response.body), maxBytes, () => (phase = 'body'))
    const { ok, headers: received } = response
    const text = await textOf(bytes, received, maxBytes)
    return { status, ok, text, givenUp: bounds.ending(), header: (name: string) => readHeader(received, name) }
  }
  try {
    return await bounds.race(exchange)
  } catch (error) {
    bounds.cancel()
    if (error instanceof AttemptFailed) throw error
    const ending = bounds.ending()
    const unsent = phase === 'sent' ? proofOfUnsent(error, isRuntimeFetch(send)) : undefined
    if (unsent !== undefined) phase = 'not-sent'
    if (ending !== undefined) throw endedEarly(ending, phase, status)
    const cause = isGiven ? error : undefined
    if (unsent !== undefined) {
      const kind = isCertificate(unsent) ? 'untrusted' : 'unreachable'
      throw new AttemptFailed({ kind, phase, reason: unsent, cause })
    }
    const reason = errorCodeOf(error)
    /* Only the system's code shows that it was the connection, and no other fault of the caller's own function. */
    const lost = isGiven && reason === undefined ? 'fetchFailed' : 'connectionLost'
    throw new AttemptFailed({ kind: phase === 'sent' ? lost : 'unreadable', phase, status, reason, cause })
  }
}

/*
 * A `fetch` decodes bodies, but not every caller's own does, and ours only asks for none that are encoded. What cannot be
 * decoded is read as it is: it may have been decoded before.
 */
async function textOf(bytes: Uint8Array, headers: unknown, maxBytes: number): Promise<string> {
  const decoded = await decodeBody(bytes, readHeader(headers, 'content-encoding'), maxBytes).catch((error: unknown) => {
    if (error instanceof RangeError) throw error
  })
  /* In one step: with chunks, text decoders are several times slower. */
  return new TextDecoder().decode(decoded ?? bytes)
}

/* A caller's fetch may return anything here. It is too late for an error: something may have been created. */
function readHeader(headers: unknown, name: string): string | null {
  try {
    const value: unknown = (headers as FetchResponse['headers']).get(name)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

function refuseRedirect(response: FetchResponse & { readonly type?: string }): void {
  const { status, type } = response
  /* A browser hides the status of a redirect that it does not follow: it can be any. */
  const hidden = type === 'opaqueredirect'
  if (!hidden && (status < 300 || status > 399)) return
  const kind = MOVED.has(status) ? 'redirected' : 'redirectedAfterPost'
  throw new AttemptFailed({ kind, phase: 'headers', status: hidden ? undefined : status })
}

/* These require the same request at another URL. After any other redirect the request may have been executed. */
const MOVED: ReadonlySet<number> = new Set([301, 307, 308])

/**
 * The runtime's own `fetch`. It is looked up at each call: a test or a proxy agent may replace it later.
 *
 * Deno's `fetch` sends a request again, even a create, if the connection ends before a response arrived
 * (https://github.com/denoland/deno/issues/35610). It cannot do so with a stream, which is read only once.
 */
export const globalFetch: Fetch = (url, init) => {
  if (typeof globalThis.fetch !== 'function') throw new AttemptFailed({ kind: 'fetchMissing', phase: 'not-sent' })
  return fetch(url, 'Deno' in globalThis ? readableOnce(init) : init)
}

/* Read as early as possible, before other code can replace it. */
const RUNTIME_FETCH = globalThis.fetch

/** Whether requests use the runtime's own `fetch`, and not a replacement. */
export function isRuntimeFetch(send: Fetch): boolean {
  return (send === globalFetch ? globalThis.fetch : send) === RUNTIME_FETCH
}

function readableOnce(init: FetchInit): RequestInit {
  const stream = { body: new Blob([init.body]).stream(), duplex: 'half' as const }
  return { ...init, ...stream }
}

/**
 * Returns the code in an error of `fetch` that proves that the request never left this machine, or `undefined`. Proofs
 * are: a name that does not resolve, a connection that was not made, a certificate that was not accepted.
 *
 * A reset alone proves nothing, and no message does. A runtime without error codes proves nothing either.
 *
 * @param isRuntimes whether the error is from the runtime's own `fetch`: an error from another one may lack `syscall`
 */
export function proofOfUnsent(error: unknown, isRuntimes: boolean): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, syscall, erroredSysCall, cause, errors } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) {
    const proofs = errors.map((each) => proofOfUnsent(each, isRuntimes))
    return proofs.includes(undefined) ? undefined : proofs[0]
  }
  const validCode = asCode(code)
  /* The second is node-fetch's name for it. */
  const call = syscall ?? erroredSysCall
  if (call === 'connect' || call === 'getaddrinfo') return validCode ?? call
  /* An established connection may end with the same codes, if the network reports late: that proves nothing. */
  if (typeof call === 'string') return undefined
  if (validCode !== undefined && (HANDSHAKE.test(validCode) || (isRuntimes && UNSENT.has(validCode)))) return validCode
  return proofOfUnsent(cause, isRuntimes)
}

/** The runtime's code of an error, as in `ECONNRESET`. Never its message, which may contain anything. */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause } = error as Record<string, unknown>
  return asCode(code) ?? errorCodeOf(cause)
}

function asCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined
}

/** Whether such a code says that a certificate was not accepted. */
export const isCertificate = (code: string): boolean => HANDSHAKE.test(code) && !code.startsWith('UND_')

/* The network may also report these for a connection that was made long ago. */
const UNSENT = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

/*
 * These codes occur only while a connection is made: undici's for a connect time-out, and OpenSSL's and Node's for a
 * refused certificate. No other code of OpenSSL: data that is not TLS may arrive at any time.
 */
const HANDSHAKE =
  /^(UND_ERR_CONNECT_TIMEOUT$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/
