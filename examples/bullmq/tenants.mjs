// The worker for many tenants: a client for each of them, made from a table of yours, and their events.
import { createServer } from 'node:http'
import { env } from 'node:process'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls, createCallbackHandler } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { Pool } from 'pg'
import { startWorker } from './jobs.mjs'

const { DATABASE_URL = '', CALLBACK_URL = '', CALLBACK_SECRET = '' } = env
const pool = new Pool({ connectionString: DATABASE_URL })
pool.on('error', ({ message }) => console.error('postgres:', message))
await pool.query('CREATE TABLE IF NOT EXISTS tenants (name text PRIMARY KEY, base_url text, api_key text)')
const ledger = await openPostgresLedger({ url: DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
const shared = { ledger, callbacks, deadlineMs: 30_000 }

/* The base URL is read for each job and the key before each attempt, so a
 * change of either needs no restart. */
const clients = new Map()
async function clientOf(tenant) {
  const { base_url: baseUrl } = await rowOf(tenant)
  const name = `${tenant} ${baseUrl}`
  if (!clients.has(name)) {
    const apiKey = async () => (await rowOf(tenant)).api_key
    const own = { account: tenant, baseUrl, apiKey }
    clients.set(name, new CertifyClient({ ...own, ...shared }))
  }
  return clients.get(name)
}

async function rowOf(tenant) {
  const { rows } = await pool.query('SELECT base_url, api_key FROM tenants WHERE name = $1', [tenant])
  if (rows.length === 0) throw new Error('there is no such tenant')
  return rows[0]
}

/* One callback URL for all: the record of an invite has its account. */
const handler = createCallbackHandler({
  callbacks,
  inbox: ledger.inbox,
  onEvent: async ({ type, reference }) => {
    const record = await ledger.find(reference)
    console.log(`${record?.account}: ${type}, reference ${reference}`)
  },
})
const server = createServer(handler.listener).listen(env.PORT)
void handler.drain()
const worker = startWorker(clientOf)

process.once('SIGTERM', () => void stop())

async function stop() {
  await worker.close()
  await new Promise((closed) => server.close(closed))
  await handler.close()
  await ledger.close()
  await pool.end()
}
