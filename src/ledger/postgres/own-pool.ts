import type { Client, ClientConfig } from 'pg'
import { ledgerUnusable } from '../rules/errors.ts'
import { installCommand } from '../sqlite/install-command.ts'
import type { PostgresClient } from './client.ts'
import { NO_PASSWORD } from './postgres-errors.ts'

/** A pool of our own, by `pg`. */
export interface OwnPool {
  readonly client: PostgresClient
  /** For statements that may read everything. */
  readonly scanClient: PostgresClient
  /** A client outside of the pool, not yet connected. */
  readonly newClient: () => Client
  readonly close: () => Promise<void>
}

/* A scan may take long. But a connection that is gone without a word must end some time. */
const SCAN = { query_timeout: 10 * 60_000 }

/** @throws CertifyError LEDGER_UNUSABLE if `pg` is not installed */
export async function openPool(url: string, statementTimeoutMs: number): Promise<OwnPool> {
  const pg = await loadPg()
  const AskedClient = clientThatMissesPassword(pg)
  const connection = {
    connectionString: url,
    query_timeout: statementTimeoutMs,
    connectionTimeoutMillis: statementTimeoutMs,
    keepAlive: true,
    fallback_application_name: 'certify-sdk',
  }
  const pool = new pg.Pool({
    ...connection,
    Client: AskedClient,
    /* An idle connection must not keep a program running. */
    allowExitOnIdle: true,
  })
  /* An idle connection that ends: the next statement opens another one. */
  pool.on('error', () => {})
  return {
    client: { query: async (text, values = []) => pool.query<object>({ text, values }) },
    scanClient: { query: async (text, values = []) => pool.query<object>({ text, values, ...SCAN }) },
    newClient: () => new AskedClient(connection),
    close: () => pool.end(),
  }
}

/*
 * The error of pg for a missing password has no code, as that of a lost connection. At this message of the server the URL,
 * the environment and the password file have been read.
 */
function clientThatMissesPassword({ Client }: typeof import('pg')) {
  return class extends Client {
    constructor(config?: ClientConfig) {
      super(config)
      this.connection.once('authenticationSASLContinue', () => {
        if (!this.password) this.connection.emit('error', Object.assign(new Error(), { code: NO_PASSWORD }))
      })
    }
  }
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    const loaded = await import('pg')
    /* An ES module in some versions, CommonJS in others. */
    return 'Pool' in loaded ? loaded : (loaded as { readonly default: typeof import('pg') }).default
  } catch (error) {
    const isMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as { code: string }).code)
    throw ledgerUnusable(
      isMissing ? 'the package pg is not installed' : 'the package pg does not load',
      `Run \`${installCommand(isMissing ? 'install' : 'rebuild', 'pg')}\`, or pass a pool of your own.`,
    )
  }
}
