import { env } from 'node:process'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { startWorker } from './jobs.mjs'

const { CERTIFY_BASE_URL: baseUrl = '', CERTIFY_API_KEY: apiKey = '' } = env
const { DATABASE_URL = '', CALLBACK_URL = '', CALLBACK_SECRET = '' } = env
const ledger = await openPostgresLedger({ url: DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })
const worker = startWorker(() => client)

process.once('SIGTERM', () => void stop())

async function stop() {
  await worker.close()
  await ledger.close()
}
