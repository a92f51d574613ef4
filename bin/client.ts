import type { CallbackUrls } from '../src/callbacks/index.ts'
import type { ApiKeyOptions, CertifyClient, Fetch, Hooks, RetryEvent } from '../src/index.ts'
import { codeOf, configError } from './cli-error.ts'
import type { Connection } from './config/connection.ts'
import type { Preferences } from './config/settings.ts'
import type { Io } from './io.ts'
import { type Output, say } from './terminal/output.ts'

/*
 * The one file that knows how a client gets its key, its ledger and its callback URLs.
 */

/**
 * What a client may do: a `read` client sends, a `write` client sends except in a dry run, a `check` client never
 * sends.
 */
export type Purpose = 'read' | 'write' | 'check'

/** How a client differs from the default. */
export interface ClientChanges {
  readonly connection?: Connection
  readonly hooks?: Hooks
  readonly around?: (fetch: Fetch) => Fetch
  /** Makes the callback URL of each create. */
  readonly callbacks?: CallbackUrls | undefined
  /** The most milliseconds for an attempt, if that is less than the person allows. */
  readonly mostMs?: number | undefined
  /** The record of its creates. */
  readonly ledger?: Pick<ApiKeyOptions, 'ledger' | 'account' | 'allowClockSkew'>
}

interface ClientParts {
  readonly io: Io
  readonly preferences: () => Preferences
  readonly output: () => Output
  readonly connection: () => Connection
  readonly profileFlag: string
  readonly dryRun: DryRun
}

/**
 * A client for the service. In a dry run, the call of a `write` client ends the command, and its request is printed.
 * Calls of a `check` client always fail, with INPUT_INVALID if the input is invalid.
 */
export async function createClient(
  { io, preferences, output, connection, profileFlag, dryRun }: ClientParts,
  purpose: Purpose,
  { connection: used = connection(), hooks, around, callbacks, mostMs, ledger }: ClientChanges,
): Promise<CertifyClient> {
  const { baseUrl, authentication } = required(used, profileFlag)
  if (used.authentication.isExposed === true) {
    await output().warn('the file of the keys can be read by others; run chmod 600 on it.')
  }
  const sends = purpose === 'read' || (purpose === 'write' && !preferences().dryRun)
  const unsent = purpose === 'write' ? dryRun : new DryRun()
  const { debug, json, timeout: timeoutMs, deadline: deadlineMs } = preferences()
  const fetch = !sends ? unsent.fetch : debug ? traced(io, json) : io.fetch
  const { CertifyClient: Client } = await import('../src/index.ts')
  const options = {
    baseUrl,
    ...authentication,
    ...ledger,
    callbacks,
    timeoutMs: mostMs === undefined ? timeoutMs : Math.min(timeoutMs ?? mostMs, mostMs),
    deadlineMs,
    fetch: around?.(fetch) ?? fetch,
    hooks: {
      onRetry: ({ code, waitMs }: RetryEvent) =>
        void output().remark(`${code}: nothing was changed; trying again in ${Math.ceil(waitMs / 1000)} s.`),
      onInProgress: () => void output().remark(IN_PROGRESS),
      ...hooks,
    },
    ...(!sends && { retry: false }),
  }
  /* Even for a session: the client itself refuses a callback URL there. */
  return new Client(options as ApiKeyOptions)
}

const IN_PROGRESS =
  'Another call is inviting this candidate: waiting for its result. Ctrl-C stops waiting; nothing was sent.'

function required({ baseUrl, authentication }: Connection, profileFlag: string) {
  if (baseUrl.value === undefined) {
    throw configError(
      'no base URL: the address of the service is not set.',
      `Run \`certify auth login${profileFlag}\`, set CERTIFY_BASE_URL or give --base-url. To try things out, start ` +
        '`certify mock` and give --profile sandbox.',
    )
  }
  if (authentication.value === undefined) {
    throw configError(
      'no API key.',
      `Run \`certify auth login${profileFlag}\`, set CERTIFY_API_KEY, or set CERTIFY_API_KEY_FILE to the path of a file ` +
        'with the key. For an admin session, set CERTIFY_SESSION_HEADERS.',
      4,
    )
  }
  const { apiKey, session } = authentication.value
  const chosen = apiKey === undefined ? { adminSession: { headers: session } } : { apiKey }
  return { baseUrl: baseUrl.value, authentication: chosen }
}

/** A request that was not sent, without the key and the token of a callback URL. */
interface DryRunRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Catches the request of a call, and sends nothing. */
export class DryRun {
  request: DryRunRequest | undefined

  readonly fetch: Fetch = async (url, { method, headers, body }) => {
    const shown = Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name) ? value : '(not shown)'])
    this.request = { method, url, headers: Object.fromEntries(shown), body: JSON.parse(body, withoutToken) as unknown }
    throw new Error('a dry run ends here')
  }
}

/* Anyone who has it can post events for the invite. The reference in front can stay: it is in a header too. */
function withoutToken(name: string, value: unknown): unknown {
  return name === 'callbackUrl' && typeof value === 'string'
    ? value.replace(/(?<=\.)[\w-]{43}(?=[/?#]|$)/, '(not shown)')
    : value
}

/** The request as HTTP text, for a person. */
export function drawRequest({ method, url, headers, body }: DryRunRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${url}\n${lines.join('\n')}\n\n${JSON.stringify(body, null, 2)}\n`
}

const SHOWN: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent', 'x-client-reference'])

/** A request in a trace: without its body, and with no headers but the two that identify it. */
interface TraceEvent {
  readonly method: string
  readonly target: string
  readonly reference: string | undefined
  readonly status?: number
  readonly requestId?: string | undefined
  readonly durationMs?: number
  /** The code of the failure. */
  readonly failed?: string
}

/** Reports each request when it leaves, and when its response begins or it fails. */
function traced({ fetch, now, stderr }: Io, json: boolean): Fetch {
  const report = (event: TraceEvent) => {
    void say(stderr, `${json ? JSON.stringify({ trace: event }) : traceLine(event)}\n`)
  }
  return async (url, init) => {
    const { host, pathname } = new URL(url)
    const request = { method: init.method, target: host + pathname, reference: init.headers['x-client-reference'] }
    const since = now()
    report(request)
    try {
      const response = await fetch(url, init)
      const id = response.headers.get('x-request-id')
      const requestId = id !== null && /^[\w.+=-]{1,128}$/.test(id) ? id : undefined
      report({ ...request, status: response.status, requestId, durationMs: now() - since })
      return response
    } catch (error) {
      const code = codeOf(error) ?? ''
      const failed = /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'unknown reason'
      report({ ...request, failed, durationMs: now() - since })
      throw error
    }
  }
}

function traceLine({ method, target, reference, status, requestId, durationMs, failed }: TraceEvent): string {
  if (durationMs === undefined) return `> ${method} ${target}  reference ${reference ?? 'none'}`
  const after = `after ${durationMs} ms`
  if (failed !== undefined) return `< failed (${failed}) ${after}`
  return `< HTTP ${status} ${after}${requestId === undefined ? '' : `  request id ${requestId}`}`
}
