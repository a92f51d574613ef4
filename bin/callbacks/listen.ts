import { once as emitted } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InvalidArgumentError } from 'commander'
import type { CallbackHandler, ReceivedEvent, RefusedDelivery } from '../../src/callbacks/index.ts'
import { type Fetch, isCertifyError } from '../../src/index.ts'
import type { Ledger, LedgerInbox } from '../../src/ledger/index.ts'
import { cannotListen, systemCode } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'
import type { Context } from '../context.ts'
import { startTimer, useLedger } from '../ledger/open-ledger.ts'
import { untilInterrupted } from '../sandbox/ignore-signals.ts'
import { wordError } from '../terminal/error-wording.ts'
import { jsonLine } from '../terminal/text.ts'
import { tabSeparated } from '../terminal/table.ts'
import { eventRow, lineColumns } from './event-row.ts'
import { type CallbackSecrets, readSecrets } from './callback-urls.ts'
import { once } from '../flags.ts'

export interface ListenFlags {
  readonly port: number
  readonly host: string
  readonly forwardTo?: string
}

/* How soon an event that another process made due is handled. */
const POLL_MS = 1_000
/* How long an application may take to answer after Ctrl-C. */
const MAX_END_MS = 3_000
const FORWARD_TIMEOUT_MS = 30_000
/* For recording and printing an event, on top of its attempt. */
const SPARE_MS = 30_000
/* Longer than the handler waits for a body. */
const MAX_CLOSE_MS = 15_000

/** Receives, stores, forwards and prints events until interrupted. @throws CliError, CertifyError LEDGER_UNUSABLE */
export async function listen(context: Context, flags: ListenFlags): Promise<void> {
  const { io, preferences } = context
  const secrets = await readSecrets(context)
  const receive = async ({ inbox, path }: Ledger, place: LedgerPlace) => {
    const { callbackUrls, createCallbackHandler } = await import('../../src/callbacks/index.ts')
    const printer = new EventPrinter(context, place.flags)
    const stopping = new AbortController()
    const timeoutMs = preferences.timeout ?? FORWARD_TIMEOUT_MS
    const forward = flags.forwardTo && forwardTo(flags.forwardTo, io.fetch, timeoutMs, stopping.signal)
    const handler = createCallbackHandler({
      /* Only verifies tokens, which does not depend on the address. */
      callbacks: callbackUrls({ baseUrl: 'https://localhost', secrets: secrets.values }),
      inbox,
      clock: { now: io.now, startTimer },
      leaseMs: timeoutMs + SPARE_MS,
      onEvent: async (event) => {
        if (forward) await forward(event)
        await printer.event(event)
      },
      onFailure: (error, event, delivery) => void printer.failure(error, event?.key, delivery),
    })
    const server = await listenOn(handler.listener, flags.port, flags.host)
    await printer.start(server.url, path, secrets, flags.forwardTo)
    await drainUntilInterrupted(context, handler, inbox)
    const timer = setTimeout(() => stopping.abort(), MAX_END_MS)
    await server.close()
    await handler.close()
    clearTimeout(timer)
  }
  await useLedger(context, receive, { ifMissing: 'create' })
}

/* Starts a server for a `node:http` listener. Its `close` waits for requests in progress. @throws CliError if it cannot listen */
async function listenOn(listener: RequestListener, port: number, host: string) {
  const { createServer } = await import('node:http')
  const server = createServer(listener).listen(port, host)
  await emitted(server, 'listening').catch((error: unknown) => {
    throw cannotListen(error, port, host, TAKEN_HINT)
  })
  /* A client that breaks its connection is not a fault of the program. */
  server.on('error', () => {})
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      /* A keep-alive connection would keep the server open. */
      server.keepAliveTimeout = 1
      const timer = setTimeout(() => server.closeAllConnections(), MAX_CLOSE_MS)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(timer)
    },
  }
}

const TAKEN_HINT =
  'Another program listens there, perhaps this one: choose another port with --port, or --port 0 for a free one.'

/* Takes up events from before the start, and events that `certify callbacks replay` made due. */
async function drainUntilInterrupted(
  { io }: Context,
  handler: CallbackHandler<unknown>,
  inbox: LedgerInbox,
): Promise<void> {
  const { interruption } = io
  const interrupted = untilInterrupted(interruption)
  while (!interruption.aborted) {
    const dueAt = await inbox.nextDueAt().catch(() => undefined)
    /* Not awaited: it ends when nothing is due. */
    if (dueAt !== undefined && dueAt <= io.now()) void handler.drain()
    await Promise.race([io.sleep(POLL_MS), interrupted])
  }
}

/* Prints what happens. Neither tokens nor bodies are printed. */
class EventPrinter {
  readonly #context: Context
  readonly #ledgerFlag: string

  constructor(context: Context, flag: string) {
    this.#context = context
    this.#ledgerFlag = flag
  }

  async start(url: string, ledger: string, { origin }: CallbackSecrets, forward: string | undefined): Promise<void> {
    const { io, output } = this.#context
    if (output.json) return this.#line({ type: 'listening', url, ledger, secret: origin })
    const fields = [
      ['address', url],
      ['ledger', ledger],
      ['secret', origin],
      ...(forward === undefined ? [] : [['forwards to', new URL(forward).origin] as const]),
    ] as const
    await output.show((terminal) => terminal.fields(fields))
    if (io.stderr.isTTY) await output.show((terminal) => `${terminal.dim('Stop it with Ctrl-C.')}\n`)
  }

  async event(event: ReceivedEvent): Promise<void> {
    const { io, output } = this.#context
    const row = eventRow(event, { ...event, state: 'handled', error: null, receivedAt: Date.parse(event.receivedAt) })
    if (output.json) return this.#line({ type: 'event', ...row })
    await output.text(tabSeparated(lineColumns, [row], io.stdout.isTTY ? '  ' : '\t'))
  }

  async failure(error: unknown, key: string | undefined, delivery: RefusedDelivery | undefined): Promise<void> {
    const { output } = this.#context
    const reason = delivery === undefined ? reasonOf(error) : (error as Error).message
    const { reference } = delivery ?? {}
    if (output.json) return this.#line({ type: 'failure', key: key ?? null, reference, reason }).catch(() => {})
    if (reference !== undefined) return output.warn(`${reference}: ${reason}`)
    if (key === undefined) return output.warn(`the inbox failed: ${reason}`)
    const list = `\`certify callbacks list${this.#ledgerFlag}\` shows its state.`
    await output.warn(`${key} was not handled (${reason}). It is tried again up to five times; ${list}`)
  }

  #line(value: object): Promise<void> {
    return this.#context.output.text(jsonLine(value))
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ForwardFailure) return error.message
  return isCertifyError(error) ? wordError(error).message : systemCode(error)
}

/** Why an event was not forwarded. */
class ForwardFailure extends Error {}

/** Reads the address of --forward-to. */
export function readForwardAddress(text: string, previous: string | undefined): string {
  const url = once(text, previous)
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw new InvalidArgumentError('It must be a URL, as in http://127.0.0.1:3000/certify.')
}

/**
 * Returns the function that sends an event to an application. It resolves once that has responded with 2xx; redirects
 * are not followed.
 *
 * @param timeoutMs for one attempt
 * @param stopping ends the attempts in progress
 * @throws ForwardFailure
 */
function forwardTo(url: string, fetch: Fetch, timeoutMs: number, stopping: AbortSignal) {
  return async ({ key, reference, id, raw }: ReceivedEvent): Promise<void> => {
    /* Not AbortSignal.any: on Node.js 20 and 22 `stopping` would keep a trace of every event. */
    const ending = new AbortController()
    const { signal } = ending
    const end = () => ending.abort()
    const timer = setTimeout(end, timeoutMs)
    stopping.addEventListener('abort', end)
    if (stopping.aborted) end()
    const headers = {
      'content-type': 'application/json',
      'x-certify-event-key': key,
      'x-certify-reference': encodeURIComponent(reference),
      /* The identifier may have come in a header rather than in the body. */
      ...(id !== null && /^[!-~]+$/.test(id) && { 'x-certify-event-id': id }),
    }
    /* Stored bodies are UTF-8; a byte order mark stays. */
    const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      .catch((error: unknown) => {
        throw new ForwardFailure(signal.aborted ? 'no response in time' : systemCode(error))
      })
      .finally(() => {
        clearTimeout(timer)
        stopping.removeEventListener('abort', end)
      })
    /* The body is not needed: this ends its connection. */
    end()
    if (!response.ok) throw new ForwardFailure(`HTTP ${response.status}`)
  }
}
