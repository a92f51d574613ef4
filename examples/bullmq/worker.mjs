import { env } from 'node:process'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { startWorker } from './jobs.mjs'

const ledger = await openPostgresLedger({ url: env.DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = env
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })
const worker = startWorker(() => client)

process.once('SIGTERM', () => void stop())

async function stop() {
  await worker.close()
  await ledger.close()
}
