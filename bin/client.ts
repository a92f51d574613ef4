import type { CallbackUrls } from '../src/callbacks/index.ts'
import type { ApiKeyOptions, CertifyClient, Fetch, Hooks, RetryEvent } from '../src/index.ts'
import { configError } from './cli-error.ts'
import type { Connection } from './config/connection.ts'
import type { Preferences } from './config/settings.ts'
import type { Io } from './io.ts'
import { DryRun } from './network/dry-run.ts'
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
  { connection: used = connection(), hooks, around, callbacks, ledger }: ClientChanges,
): Promise<CertifyClient> {
  const { baseUrl, authentication } = required(used, profileFlag)
  if (used.authentication.isExposed === true) {
    await output().warn('the file of the keys can be read by others; run chmod 600 on it.')
  }
  const sends = purpose === 'read' || (purpose === 'write' && !preferences().dryRun)
  const unsent = purpose === 'write' ? dryRun : new DryRun()
  const fetch = sends ? await tracedFetch(io, preferences()) : unsent.fetch
  const { timeout: timeoutMs, deadline: deadlineMs } = preferences()
  const { CertifyClient: Client } = await import('../src/index.ts')
  const options = {
    baseUrl,
    ...authentication,
    ...ledger,
    callbacks,
    timeoutMs,
    deadlineMs,
    fetch: around?.(fetch) ?? fetch,
    hooks: { onRetry: (event: RetryEvent) => void output().remark(retryText(event)), ...hooks },
    ...(!sends && { retry: false }),
  }
  /* Even for a session: the client itself refuses a callback URL there. */
  return new Client(options as ApiKeyOptions)
}

function retryText({ code, waitMs }: RetryEvent): string {
  return `${code}: nothing was changed; trying again in ${Math.ceil(waitMs / 1000)} s.`
}

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

async function tracedFetch(io: Io, { debug, json }: Preferences): Promise<Io['fetch']> {
  if (!debug) return io.fetch
  const { traceFetch, traceLine } = await import('./network/trace.ts')
  return traceFetch(io.fetch, io.now, (event) => {
    void say(io.stderr, `${json ? JSON.stringify({ trace: event }) : traceLine(event)}\n`)
  })
}
