import { env } from 'node:process'
import { UnrecoverableError, Worker } from 'bullmq'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'

const ledger = await openPostgresLedger({ url: env.DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = env
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })

/* A job that throws is retried after `delayMs`, unless the error is unrecoverable. */
async function invite(job) {
  const { reference, ...input } = job.data
  try {
    const created = await client.invites.create(input, { reference })
    return { inviteId: created.inviteId, emailSent: created.emailSent }
  } catch (error) {
    /* Nothing was created, and the cause may go away. The next delivery has the
     * same reference, so it cannot invite twice. */
    if (!isCertifyError(error) || error.retryable) throw error
    /* Refused or unknown: a person looks at it. */
    throw new UnrecoverableError(`${error.code}: ${error.message}`)
  }
}

/* The job waits, and never the worker: a key that is rejected is one tenant's. With jitter, so that jobs
 * that were turned away together do not come back together. */
const retryMs = 30_000
function delayMs({ retryAfterMs = retryMs }) {
  return Math.ceil(retryAfterMs + Math.random() * retryMs)
}

const worker = new Worker('invites', invite, {
  connection: { url: env.REDIS_URL, maxRetriesPerRequest: null },
  concurrency: 10,
  /* How often a job may lose its worker before BullMQ gives it up. High, because another delivery is safe here. */
  maxStalledCount: 100,
  settings: { backoffStrategy: (_attempts, _type, error) => delayMs(error) },
})
worker.on('error', ({ message }) => console.error('bullmq:', message))

process.once('SIGTERM', () => void stop())

async function stop() {
  await worker.close()
  await ledger.close()
}
