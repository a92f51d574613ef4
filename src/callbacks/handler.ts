import { isCertifyError, optionsInvalid } from '../errors.ts'
import { warn } from '../util/runtime.ts'
import type { CallbackUrls } from './callback-urls.ts'
import { byZlibOrStreams, type ChunkReader, decodeBody, readerOf, readWhole } from '../util/body.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type CallbackEvent, eventOf, type HeadersLike, headerOf, MAX_BYTES } from './event.ts'
import { EventProcessor } from './event-processor.ts'
import { eventKey } from './event-key.ts'
import type { DueEvent, Inbox, InboxEvent, InboxResult } from './inbox.ts'
import { type NodeListener, nodeListener } from './node-listener.ts'

/** The event that `onEvent` receives. */
export type ReceivedEvent = CallbackEvent & {
  /** The same for every delivery of the event, and after a crash: the idempotency key for your side effects. */
  readonly key: string
  /** The reference of your create. */
  readonly reference: string
  /** This reference, and the references of later creates that ended with the same invite (`ifInvited: 'reuse'`). */
  readonly references: readonly string[]
  /** ISO 8601 in UTC. */
  readonly receivedAt: string
  /** How often your handler has already failed for this event. */
  readonly failures: number
}

/** The options of a handler. */
export interface CallbackHandlerOptions {
  /** The result of `callbackUrls`, the same as for the client: it verifies the callback URLs. */
  readonly callbacks: CallbackUrls
  /** Stores events before they are acknowledged: `ledger.inbox`, which also records what they say about invites. */
  readonly inbox: Inbox
  /**
   * Handles an event. Events of one reference are handled in order, events of different references concurrently. If it
   * rejects, it is called again after 1 s, 5 s, 30 s, 5 min and 1 h. After that, the event is kept in the inbox as a
   * dead letter (`failed`).
   *
   * Delivery is at least once: after a crash, it may be called again for the same event. Use `key`.
   */
  readonly onEvent: (event: ReceivedEvent) => unknown
  /** The largest body, in bytes, as it arrives and once it is decoded. Default: 262,144. */
  readonly maxBytes?: number | undefined
  /** How many events are handled at the same time. Default: 8. */
  readonly concurrency?: number | undefined
  /**
   * How long `onEvent` may take, in milliseconds. After that, or after a crash, the event is handled again. Default: 300,000.
   */
  readonly leaseMs?: number | undefined
  /**
   * Called when `onEvent` or the inbox fails, when a delivery with a valid token is refused, and when an event contradicts
   * the ledger. It is given no token, and candidate data only in `delivery.body`. Default: a process warning, without the
   * message of an error that `onEvent` throws.
   */
  readonly onFailure?:
    | ((error: unknown, event: Pick<ReceivedEvent, 'key'> | undefined, delivery: RefusedDelivery | undefined) => void)
    | undefined
  /** Default: the system clock. */
  readonly clock?: Clock | undefined
}

/** A delivery with a valid token that was not stored, as it arrived. The service may never send it again. */
export interface RefusedDelivery {
  /** The reference of your create. */
  readonly reference: string
  /** The HTTP status of the response. */
  readonly status: 400 | 405 | 408 | 413 | 415 | 500
  /** The header `content-type`; `null` if there was none. */
  readonly contentType: string | null
  /** The header `content-encoding`; `null` if there was none. */
  readonly contentEncoding: string | null
  /** The body as it arrived: it may have candidate data. `undefined` if it was not read, or did not arrive completely. */
  readonly body: Uint8Array | undefined
}

/** The part of a Web `Request` that is used. */
export interface CallbackRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeadersLike
  /** A Web stream, or an iterable of bytes. */
  readonly body: BodyChunks
  /** Whether something else has consumed the body. */
  readonly bodyUsed?: boolean | undefined
}

type BodyChunks =
  | ((AsyncIterable<Uint8Array> | { getReader(): ChunkReader }) & { readonly locked?: boolean | undefined })
  | null

/** Receives the service's deliveries. */
export interface CallbackHandler<WebResponse> {
  /** For every framework with Web requests: Hono, Next.js, Workers. It never rejects. */
  (request: CallbackRequest): Promise<WebResponse>
  /** For `node:http` and Express. */
  readonly listener: NodeListener
  /** Handles due events, for example after a crash. Resolves when none is left. */
  readonly drain: () => Promise<void>
  /** Stops handling events, and waits for the ones in progress. It does not close the inbox. */
  readonly close: () => Promise<void>
}

/** The runtime's own Response, if its types are loaded. */
export type RuntimeResponse = typeof globalThis extends { Response: { prototype: infer Own } } ? Own : unknown

/**
 * Receives events: checks the token of the URL, stores the event, responds with 200, and then calls `onEvent`. A redelivery
 * is acknowledged, but not handled again.
 *
 * An event is JSON, whatever its content type; gzip, deflate and br are decoded, on Workers without br. Responses have
 * no body: 200 for a stored or already known event, and for a probe (GET, HEAD, or POST without a body); 404 for a wrong
 * token; 405 for another method; 400, 408, 413 and 415 for a body that is no event; 413 also if 1,000 events or 4 MB are stored
 * for the URL; 500 if the inbox failed, or if something else, such as `express.json()`, has consumed the body: mount the
 * handler before it. With a valid token, `onFailure` is called for each response other than 200.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 * @example
 * ```ts
 * const handler = createCallbackHandler({ callbacks, inbox: ledger.inbox, onEvent: async (event) => save(event) })
 * app.post('/certify/*', (context) => handler(context.req.raw))
 * ```
 */
export function createCallbackHandler(options: CallbackHandlerOptions): CallbackHandler<RuntimeResponse> {
  checkOptions(options)
  const { inbox, concurrency = 8, leaseMs = 300_000, onFailure = warnOfFailure, clock = systemClock } = options
  const report = (error: unknown, event: DueEvent | undefined, delivery?: RefusedDelivery) => {
    try {
      onFailure(error, event && { key: event.key }, delivery)
    } catch {
      /* An observer must not stop the events. */
    }
  }
  const processor = new EventProcessor({
    inbox,
    clock,
    concurrency,
    leaseMs,
    handle: (event) => handle(event, options, report),
    onFailure: report,
  })
  const statusFor = async (request: Parameters<typeof receive>[0]): Promise<number> => {
    try {
      const received = await receive(request, options, clock)
      if (typeof received === 'number') return received
      if ('status' in received) {
        const { status } = received
        report(new Error(`An event was not stored (HTTP ${status}): ${WHY[status]}`), undefined, received)
        return status
      }
      if ((await inbox.append(received.event)) === 'full') {
        report(new Error(FULL), undefined, received.ifFull)
        return received.ifFull.status
      }
      processor.wake()
      return 200
    } catch (error) {
      report(error, undefined)
      return 500
    }
  }
  return Object.assign(async (request: CallbackRequest) => new Response(null, { status: await statusFor(request) }), {
    listener: nodeListener(statusFor),
    drain: () => processor.drain(),
    close: () => processor.close(),
  })
}

const LIMITS = ['maxBytes', 'leaseMs', 'concurrency'] as const

/* Checked when the handler is made, not when the first event arrives. */
function checkOptions(options: CallbackHandlerOptions): void {
  const { callbacks, inbox, onEvent } = options as Partial<CallbackHandlerOptions>
  const rules = [
    typeof callbacks?.read !== 'function' && { path: 'callbacks', rule: 'must be the result of callbackUrls' },
    typeof inbox?.append !== 'function' && { path: 'inbox', rule: 'must be an inbox, such as `ledger.inbox`' },
    typeof onEvent !== 'function' && { path: 'onEvent', rule: 'must be a function' },
    ...LIMITS.map((path) => {
      const { [path]: value = 1 } = options
      return !(value >= 1) && { path, rule: 'must be a number of 1 or more' }
    }),
  ]
  const issues = rules.filter((issue) => issue !== false)
  if (issues.length > 0) throw optionsInvalid('createCallbackHandler', issues)
}

/* The event in a request, or why there is none. Without a valid token, no body is read. */
async function receive(
  request: CallbackRequest & { readonly wasRead?: boolean },
  { callbacks, maxBytes = MAX_BYTES }: CallbackHandlerOptions,
  clock: Clock,
): Promise<200 | 404 | 405 | RefusedDelivery | { readonly event: InboxEvent; readonly ifFull: RefusedDelivery }> {
  const { method, headers, url, bodyUsed = false, wasRead = false } = request
  const header = (name: string) => headerOf(headers, name)
  if (method === 'GET' || method === 'HEAD') return 200
  const isPost = method === 'POST'
  const isTaken = bodyUsed || request.body?.locked === true
  /* The headers decide: once something else has consumed a body, some runtimes report none. */
  const declared = header('content-length')
  const length = Number(declared)
  const hasBody = length !== 0 || header('transfer-encoding') !== null || (declared === null && isTaken)
  const isProbe = !hasBody && (request.body === null || declared !== null)
  if (isPost && isProbe) return 200
  const token = await callbacks.read(url)
  if (token === undefined) return isPost ? 404 : 405
  const { reference } = token
  const [contentType, contentEncoding] = [header('content-type'), header('content-encoding')]
  const refuse = (status: RefusedDelivery['status'], received?: Uint8Array) => {
    return { reference, status, contentType, contentEncoding, body: received }
  }
  if (!isPost) return refuse(405)
  if (length > maxBytes) return refuse(413)
  const arrived = await readBody(isTaken ? null : request.body, maxBytes, clock)
  if (typeof arrived === 'number') return refuse(arrived)
  /* A consumed body of unknown length arrives empty. */
  const isGone = arrived.length === 0 && (isTaken || wasRead || request.body === null)
  if (isGone || arrived.length < length) return refuse(500)
  const body = await decodeBody(arrived, contentEncoding, maxBytes, byZlibOrStreams).catch(statusOf)
  if (body === undefined) return refuse(415, arrived)
  if (typeof body === 'number') return refuse(body, arrived)
  if (body.length === 0) return 200
  const event = eventOf(body, header)
  if (event.data === undefined) return refuse(400, arrived)
  const key = await eventKey(reference, event)
  return {
    event: { key, reference, deliveryId: event.id, body, receivedAt: clock.now() },
    ifFull: refuse(413, arrived),
  }
}

/* The status for a body that cannot be read: too large, or else cut off or broken. */
const statusOf = (error: unknown) => (error instanceof RangeError ? 413 : 400)

/* How long a body may take to arrive. */
const BODY_TIMEOUT_MS = 10_000

/* The body, or the status to respond with: too slow, too large, or cut off. */
async function readBody(body: BodyChunks, maxBytes: number, clock: Clock) {
  const reader = readerOf(body)
  let stopTimer: (() => void) | undefined
  const late = new Promise<408>((resolve) => {
    stopTimer = clock.startTimer(BODY_TIMEOUT_MS, () => resolve(408))
  })
  try {
    return await Promise.race([readWhole(reader, maxBytes), late])
  } catch (error) {
    return statusOf(error)
  } finally {
    stopTimer?.()
    /* Not awaited: it may wait for the sender. */
    void reader.cancel().catch(() => {})
  }
}

async function handle(
  stored: DueEvent,
  { inbox, onEvent }: CallbackHandlerOptions,
  report: (error: unknown, event: DueEvent) => void,
): Promise<InboxResult> {
  const { key, reference, receivedAt, failures } = stored
  const event = eventOf(stored.body, () => stored.deliveryId)
  const learned = event.type === 'unknown' ? undefined : await inbox.learn?.({ ...event, key, reference, receivedAt })
  if (learned === 'mismatched') report(new Error(MISMATCHED), stored)
  const references = (await inbox.referencesOf?.(reference)) ?? [reference]
  await onEvent({ ...event, key, reference, references, receivedAt: new Date(receivedAt).toISOString(), failures })
  return { state: 'handled' }
}

const MISMATCHED =
  'An event contradicts the ledger: it names an invite that the ledger has for another candidate. The ledger was not changed.'

const FULL =
  'An event was not stored (HTTP 413): its callback URL has 1,000 events already, or 4 MB. The URL may have leaked.'

/* An acknowledged event is never redelivered, so none may be acknowledged without being stored. */
const WHY: Readonly<Record<RefusedDelivery['status'], string>> = {
  400: 'its body is cut off, not JSON in UTF-8, or not encoded as its headers say.',
  405: 'its method is not POST.',
  408: 'its body took too long to arrive.',
  413: 'its body is larger than `maxBytes`.',
  415: 'its body has an encoding that this runtime cannot decode.',
  500:
    'its body is missing, or shorter than its headers say. Mount the handler before express.json() and any other body ' +
    'parser: it reads the body itself.',
}

/* The default of `onFailure`. The messages of errors that are not ours may contain candidate data. */
function warnOfFailure(error: unknown, event: { readonly key: string } | undefined, delivery?: RefusedDelivery): void {
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: '' }
  const isOurs = isCertifyError(error) || message === MISMATCHED || delivery !== undefined
  const what = isOurs ? message : `${name}. Set onFailure to get the error.`
  warn(`A callback failed${event ? ` (${event.key})` : ''}: ${what}`, 'CERTIFY_CALLBACK_FAILURE')
}
