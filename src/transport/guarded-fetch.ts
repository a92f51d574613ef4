import { decodeBody, readerOf, readWhole } from '../body.ts'
import type { Phase } from '../errors.ts'
import type { Bounds, Ending } from './attempt-limits.ts'
import type { Failed } from './failures.ts'
import type { Fetch, FetchInit, FetchResponse } from './fetch.ts'
import { defaultFetch } from './default-fetch.ts'
import { isRuntimeFetch } from './global-fetch.ts'
import { errorCodeOf, isCertificate, proofOfUnsent } from './unsent.ts'

/** A whole response, read to its end. */
export interface HttpResponse {
  readonly status: number
  readonly ok: boolean
  readonly header: (name: string) => string | null
  readonly text: string
  /** Why the call was ended while the body arrived. A body that ends with its connection may then be incomplete. */
  readonly givenUp: Ending | undefined
}

/** An attempt without a whole response. It never leaves the transport. */
export class Interruption extends Error {
  readonly failed: Failed

  constructor(failed: Failed) {
    super(failed.kind)
    this.failed = failed
  }
}

/** More than any response of this API needs. A larger one is not from the service. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Sends one request and reads its response, within its bounds and a maximum size. It follows no redirect: that would
 * send the key and the candidate's data to another host.
 *
 * @throws Interruption with how far the request got
 */
export async function guardedFetch(
  send: Fetch,
  { url, headers, body }: { readonly url: string } & Pick<FetchInit, 'headers' | 'body'>,
  bounds: Bounds,
): Promise<HttpResponse> {
  let phase = 'not-sent' as Phase
  let response: FetchResponse | undefined
  const exchange = async () => {
    const maySend = () => !bounds.isLate()
    if (!maySend()) throw interruptionBy({ by: 'timedOut' }, phase)
    phase = 'sent'
    const { signal, timeoutMs } = bounds
    response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal, timeoutMs, maySend })
    phase = 'headers'
    refuseRedirect(response)
    const bytes = await readWhole(readerOf(response.body), MAX_BYTES, () => (phase = 'body'))
    const { status, ok, headers: received } = response
    const text = await textOf(bytes, received)
    return { status, ok, text, givenUp: bounds.ending(), header: (name: string) => readHeader(received, name) }
  }
  try {
    return await bounds.race(exchange)
  } catch (error) {
    bounds.cancel()
    if (error instanceof Interruption) throw error
    const ending = bounds.ending()
    const status = response?.status
    const unsent = phase === 'sent' ? proofOfUnsent(error, isRuntimeFetch(send)) : undefined
    if (unsent !== undefined) phase = 'not-sent'
    if (ending !== undefined) throw interruptionBy(ending, phase, status)
    /* Only the caller's own: any other may contain the request. */
    const isGiven = send !== defaultFetch
    const cause = isGiven ? error : undefined
    if (unsent !== undefined) {
      const kind = isCertificate(unsent) ? 'untrusted' : 'unreachable'
      throw new Interruption({ kind, phase, reason: unsent, cause })
    }
    const lost = isGiven ? 'fetchFailed' : 'connectionLost'
    const kind = phase === 'sent' ? lost : 'unreadable'
    throw new Interruption({ kind, phase, status, reason: errorCodeOf(error), cause })
  }
}

/** The meaning of a time-out or an abort at this phase. */
export function interruptionBy({ by, reason }: Ending, phase: Phase, status?: number): Interruption {
  const kind = phase === 'not-sent' ? (`${by}BeforeSending` as const) : by
  return new Interruption({ kind, phase, status, cause: reason })
}

/*
 * A `fetch` decodes bodies, but not every caller's own does, and ours only asks for none that are encoded. What cannot be
 * decoded is read as it is: it may have been decoded before.
 */
async function textOf(bytes: Uint8Array, headers: unknown): Promise<string> {
  const decoded = await decodeBody(bytes, readHeader(headers, 'content-encoding'), MAX_BYTES).catch(
    (error: unknown) => {
      if (error instanceof RangeError) throw error
    },
  )
  /* In one step: with chunks, text decoders are several times slower. */
  return UTF8.decode(decoded ?? bytes)
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
  throw new Interruption({ kind, phase: 'headers', status: hidden ? undefined : status })
}

/* These require the same request at another URL. After any other redirect the request may have been executed. */
const MOVED: ReadonlySet<number> = new Set([301, 307, 308])

const UTF8 = new TextDecoder()
