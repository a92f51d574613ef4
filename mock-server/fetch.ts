import { INSIDE } from './api/door.ts'
import { BODYLESS_STATUSES, type BrokenAnswer, bodyOf, firstHalf, type Outcome } from './api/exchange.ts'
import type { Router } from './api/router.ts'
import { type MockFetch, realClearTimeout, realSetTimeout } from './platform.ts'

/** A fetch that answers out of a router whatever is asked under the base, and refuses to ask anything else. */
export function fetchOf(router: Router, baseUrl: string): MockFetch {
  // Signals hold on to the requests that follow them only weakly: without this, an abort may find nobody who waits for it.
  const waiting = new Set<object>()
  return async (input, init) => {
    const request = new Request(typeof input === 'object' && 'href' in input ? input.href : input, init)
    const { signal } = request
    signal.throwIfAborted()
    const target = targetUnder(baseUrl, request.url)
    if (target === null) {
      const { origin, pathname } = new URL(request.url)
      const unknown = Object.assign(new Error(`${origin}${pathname} is not under ${baseUrl}`), NOT_FOUND)
      throw new TypeError(`This mock answers under ${baseUrl} and nowhere else.`, { cause: unknown })
    }
    const bytes = new Uint8Array(await request.arrayBuffer())
    signal.throwIfAborted()
    const outcome = router(
      {
        method: request.method,
        target,
        header: (name) => request.headers.get(name),
        ...bodyOf(bytes, target),
      },
      baseUrl,
      INSIDE,
    )
    if (outcome.kind === 'visit') return outcome.received(signal)
    if (outcome.kind === 'hang' || outcome.kind === 'stall') {
      const exchange = { input, request }
      waiting.add(exchange)
      signal.addEventListener('abort', () => waiting.delete(exchange), { once: true })
    }
    if (outcome.kind === 'answer' && outcome.delayMs !== undefined) await delay(outcome.delayMs, signal)
    return received(outcome, request)
  }
}

/** Waits for so long, or until the signal aborts. */
async function delay(delayMs: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof realSetTimeout> | undefined
  await new Promise<void>((resolve) => {
    timer = realSetTimeout(resolve, delayMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  realClearTimeout(timer)
  signal.throwIfAborted()
}

function received(
  outcome: Exclude<Outcome, { kind: 'visit' }>,
  { method, signal }: Request,
): Response | Promise<never> {
  if (outcome.kind === 'cut') throw connectionLost('fetch failed')
  if (outcome.kind === 'reset') throw connectionReset()
  if (outcome.kind === 'hang') return aborted(signal)
  const { status, headers, body } = outcome.answer
  const bytes = new TextEncoder().encode(body)
  if (outcome.kind === 'answer') {
    const bodyless = method === 'HEAD' || BODYLESS_STATUSES.has(status)
    return new Response(bodyless ? null : bytes, { status, headers })
  }
  const length = { 'content-length': String(bytes.byteLength) }
  return new Response(halfBody(outcome, signal), { status, headers: { ...headers, ...length } })
}

async function aborted(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  throw signal.reason
}

/** Half of a body, and then its end by an error or nothing more; an abort ends it too. */
function halfBody({ kind, answer }: BrokenAnswer, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = [firstHalf(answer.body)]
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
      },
      pull(controller) {
        const chunk = chunks.pop()
        if (chunk) controller.enqueue(chunk)
        else if (kind === 'truncate') controller.error(connectionLost('terminated'))
      },
    },
    // Nothing is pulled ahead: an error would throw away what has not been read yet.
    { highWaterMark: 0 },
  )
}

/** What the fetch of Node rejects with when the other side ends the connection. */
function connectionLost(message: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error('other side closed'), { code: LOST }) })
}

/** What it rejects with when the other side resets the connection. */
function connectionReset(): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: RESET }) })
}

/** Whether this is what {@link connectionLost} or {@link connectionReset} makes, in whichever copy of this module. */
export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && (cause.code === LOST || cause.code === RESET)
}

const RESET = 'ECONNRESET'

const LOST = 'UND_ERR_SOCKET'

/** What of an address comes after the base, or `null` where the address is not under the base. */
export function targetUnder(baseUrl: string, address: string): string | null {
  if (!address.startsWith(baseUrl)) return null
  const target = address.slice(baseUrl.length)
  return target === '' || /^[/?#]/.test(target) ? target : null
}

/* How a host is not found by Node's fetch: nothing was sent. */
const NOT_FOUND = { code: 'ENOTFOUND', syscall: 'getaddrinfo' }
