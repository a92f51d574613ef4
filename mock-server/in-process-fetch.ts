import { type PartialResponse, bodyOf, firstHalf, type Reply } from './api/exchange.ts'
import { BODYLESS_STATUSES } from './contract/faults.ts'
import type { MockFetch } from './contract/fetch-types.ts'
import { MAX_BODY_BYTES } from './contract/limits.ts'
import type { Changes } from './sandbox/changes.ts'
import { IN_PROCESS, type Router } from './sandbox/router.ts'
import { realClearTimeout, realSetTimeout } from './sandbox/unpatched-globals.ts'

/** A fetch that answers requests below the base from a router, and rejects all others. */
export function fetchOf(router: Router, baseUrl: string, changes: Changes): MockFetch {
  return async (input, init) => {
    const request = new Request(typeof input === 'object' && 'href' in input ? input.href : input, init)
    request.signal.throwIfAborted()
    const target = targetUnder(baseUrl, request.url)
    if (target === null) {
      const { origin, pathname } = new URL(request.url)
      const unknown = Object.assign(new Error(`${origin}${pathname} is not under ${baseUrl}`), NOT_FOUND)
      throw new TypeError(`This mock answers under ${baseUrl} and nowhere else.`, { cause: unknown })
    }
    const bytes = new Uint8Array(await request.arrayBuffer())
    request.signal.throwIfAborted()
    const header = (name: string): string | null => request.headers.get(name)
    const headers = () => Object.fromEntries(request.headers)
    const route = router({ method: request.method, target, header, headers }, baseUrl, IN_PROCESS)
    if (route.kind === 'site') return route.respond(async (maxBytes) => bodyOf(bytes, maxBytes), request.signal)
    const reply = route.reply(bodyOf(bytes, MAX_BODY_BYTES))
    const wait = (delayMs: number): Promise<void> => pause(delayMs, changes, request, input)
    if (reply.kind === 'response' && reply.delayMs !== undefined) await wait(reply.delayMs)
    if (reply.kind === 'hang') await wait(Infinity)
    return responseOf(reply, request.method, () => wait(Infinity))
  }
}

function responseOf(reply: Reply, method: string, forEver: () => Promise<void>): Response {
  if (!('response' in reply)) throw reply.kind === 'reset' ? connectionReset() : connectionLost('fetch failed')
  const { status, headers, body } = reply.response
  const bytes = new TextEncoder().encode(body)
  if (reply.kind === 'response') {
    const bodyless = method === 'HEAD' || BODYLESS_STATUSES.has(status)
    return new Response(bodyless ? null : bytes, { status, headers })
  }
  const length = { 'content-length': String(bytes.byteLength) }
  return new Response(halfBody(reply, forEver), { status, headers: { ...headers, ...length } })
}

/** Half of a body, then an error or nothing more. */
function halfBody({ kind, response }: PartialResponse, forEver: () => Promise<void>): ReadableStream<Uint8Array> {
  const chunks = [firstHalf(response.body)]
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (kind === 'stall') forEver().catch((reason: unknown) => controller.error(reason))
      },
      pull(controller) {
        const chunk = chunks.pop()
        if (chunk) controller.enqueue(chunk)
        else if (kind === 'truncate') controller.error(connectionLost('terminated'))
      },
    },
    // No chunk is buffered: an error would discard what has not been read yet.
    { highWaterMark: 0 },
  )
}

/** Resolves after this many milliseconds of real time; rejects as soon as the caller aborts or the mock is closed. */
async function pause(delayMs: number, changes: Changes, request: Request, input: unknown): Promise<void> {
  const { signal } = request
  await new Promise<void>((resolve, reject) => {
    const timer = delayMs === Infinity ? undefined : realSetTimeout(() => ended(resolve), delayMs)
    const onAbort = (): void => ended(resolve)
    const ended = (finish: () => void): void => {
      realClearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      forget()
      finish()
    }
    const onEnd = (): void => ended(() => reject(connectionReset()))
    // It keeps the request alive: signals reference dependent ones weakly, and an abort could get lost.
    const forget = changes.onEnd(Object.assign(onEnd, { request, input }))
    signal.addEventListener('abort', onAbort)
  })
  signal.throwIfAborted()
}

/** The error of Node's fetch when the other side ends the connection. */
function connectionLost(message: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error('other side closed'), { code: LOST }) })
}

/** Its error when the other side resets the connection. */
function connectionReset(): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: RESET }) })
}

/** Whether {@link connectionLost} or {@link connectionReset} made this error, in any copy of this module. */
export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && (cause.code === LOST || cause.code === RESET)
}

const RESET = 'ECONNRESET'

const LOST = 'UND_ERR_SOCKET'

/** The part of an address after the base, or `null` if the address is not below the base. */
export function targetUnder(baseUrl: string, address: string): string | null {
  if (!address.startsWith(baseUrl)) return null
  const target = address.slice(baseUrl.length)
  return target === '' || /^[/?#]/.test(target) ? target : null
}

/* As Node's fetch reports an unknown host: nothing was sent. */
const NOT_FOUND = { code: 'ENOTFOUND', syscall: 'getaddrinfo' }
