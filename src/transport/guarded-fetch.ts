import type { Phase } from '../errors.ts'
import type { FailureKind } from './failures.ts'
import type { AbortSignalLike, Fetch, FetchInit, FetchResponse } from './fetch.ts'
import { proofOfUnsent } from './unsent.ts'

/** A whole answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly text: string
}

/** What one attempt is bound by. */
export interface Bounds {
  readonly timeoutMs: number
  readonly signal: AbortSignalLike | undefined
}

/** An attempt that brought no whole answer. Never leaves the transport. */
export class Interruption extends Error {
  readonly kind: FailureKind
  readonly phase: Phase
  readonly status: number | undefined
  /** The runtime's word for it, as in `ECONNREFUSED`. */
  readonly reason: string | undefined

  constructor(
    kind: FailureKind,
    phase: Phase,
    more: { status?: number | undefined; reason?: string; cause?: unknown } = {},
  ) {
    super(kind, { cause: more.cause })
    this.kind = kind
    this.phase = phase
    this.status = more.status
    this.reason = more.reason
  }
}

/** More than any answer of this API can need; what is larger comes from somebody else. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Sends one request and reads its answer to the end, within its time and its size. The time covers the body. No
 * redirect is followed: it would carry the key and the candidate's data to another host.
 *
 * @throws Interruption with how far the request had got
 */
export async function guardedFetch(
  send: Fetch,
  url: string,
  init: Pick<FetchInit, 'headers' | 'body'>,
  bounds: Bounds,
): Promise<Answer> {
  let phase: Phase = 'not-sent'
  let status: number | undefined
  const watch = watchBounds(bounds)
  try {
    watch.check()
    const request: FetchInit = { ...init, method: 'POST', redirect: 'manual', signal: watch.signal }
    phase = 'sent'
    const response = await watch.race(send(url, request))
    phase = 'headers'
    status = response.status
    refuseRedirect(response)
    const bytes = readBody(response, () => (phase = 'body'))
    return { status, ok: response.ok, text: await watch.race(bytes) }
  } catch (error) {
    watch.cancel()
    if (error instanceof Interruption) throw error
    const unsent = phase === 'sent' ? proofOfUnsent(error) : undefined
    if (unsent !== undefined) phase = 'not-sent'
    const ended = watch.ended()
    if (ended !== undefined) {
      const kind = phase === 'not-sent' ? (`${ended.by}BeforeSending` as const) : ended.by
      throw new Interruption(kind, phase, { status, cause: ended.reason })
    }
    if (unsent !== undefined) throw new Interruption('unreachable', phase, { reason: unsent })
    throw new Interruption(phase === 'sent' ? 'connectionLost' : 'unreadable', phase, { status })
  } finally {
    watch.dispose()
  }
}

/** Ends an attempt when its time is up or its caller aborts, whether or not `fetch` listens to its signal. */
function watchBounds({ timeoutMs, signal }: Bounds) {
  const controller = new AbortController()
  let ended: { by: 'aborted' | 'timedOut'; reason?: unknown } | undefined
  const stopped = new Promise<never>((_resolve, reject) => {
    /* Whoever was really interrupted speaks first: its error may prove that nothing was sent. */
    controller.signal.addEventListener('abort', () => setTimeout(() => reject(new Error('given up')), 0))
  })
  stopped.catch(() => {})
  const end = (by: 'aborted' | 'timedOut', reason?: unknown) => {
    ended ??= { by, reason }
    controller.abort()
  }
  const onAbort = () => end('aborted', signal?.reason)
  const timer = setTimeout(() => end('timedOut'), timeoutMs)
  signal?.addEventListener('abort', onAbort)
  return {
    signal: controller.signal,
    ended: () => ended,
    check() {
      if (signal?.aborted !== true) return
      throw new Interruption('abortedBeforeSending', 'not-sent', { cause: signal.reason })
    },
    race: <T>(work: Promise<T>): Promise<T> => Promise.race([work, stopped]),
    /** Lets go of a connection whose answer nobody will read. */
    cancel: () => controller.abort(),
    dispose() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

function refuseRedirect(response: FetchResponse & { readonly type?: string }): void {
  const { status, type } = response
  /* A browser hides the status of a redirect that it was told not to follow; it might have been a 303. */
  if (type === 'opaqueredirect') throw new Interruption('redirectedAfterPost', 'headers')
  if (status < 300 || status > 399) return
  throw new Interruption(status === 303 ? 'redirectedAfterPost' : 'redirected', 'headers', { status })
}

async function readBody(response: FetchResponse, onPiece: () => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const piece of pieces(response.body)) {
    onPiece()
    size += piece.byteLength
    if (size > MAX_BYTES) throw new Interruption('unreadable', 'body', { status: response.status })
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

async function* pieces(body: unknown): AsyncIterable<Uint8Array> {
  if (body === null || body === undefined) return
  if (typeof body === 'object' && 'getReader' in body) {
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
    return
  }
  yield* body as AsyncIterable<Uint8Array>
}
