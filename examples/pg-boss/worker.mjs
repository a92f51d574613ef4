import { env } from 'node:process'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { openQueue, QUEUE } from './queue.mjs'

const { CERTIFY_BASE_URL: baseUrl = '', CERTIFY_API_KEY: apiKey = '' } = env
const { DATABASE_URL = '', CALLBACK_URL = '', CALLBACK_SECRET = '' } = env
const ledger = await openPostgresLedger({ url: DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })

/* One job at a time, because pg-boss completes or fails all jobs of a batch together. */
const boss = await openQueue()
const often = { pollingIntervalSeconds: 0.5 }
for (let worker = 0; worker < 10; worker++) await boss.work(QUEUE, often, ([job]) => invite(job))

/* Its result becomes the `output` of the job. A job that throws is retried. */
async function invite(job) {
  const { reference, ...input } = job.data
  try {
    const created = await client.invites.create(input, { reference })
    return { inviteId: created.inviteId, emailSent: created.emailSent }
  } catch (error) {
    /* Nothing was created, and the cause may go away. The next delivery has the
     * same reference, so it cannot invite twice. */
    if (!isCertifyError(error) || error.retryable) {
      await delay(job, Object(error))
      throw error
    }
    /* Refused or unknown: a person looks at it. */
    return { code: error.code, reference: error.reference }
  }
}

/* The job waits, and never the worker: a key that is rejected is one tenant's. With jitter, so that jobs
 * that were turned away together do not come back together. pg-boss reads the delay from the job. */
const retryMs = 30_000
async function delay({ id }, { retryAfterMs = retryMs }) {
  const seconds = Math.ceil((retryAfterMs + Math.random() * retryMs) / 1000)
  await boss
    .getDb()
    .executeSql('UPDATE pgboss.job SET retry_delay = $1 WHERE name = $2 AND id = $3', [seconds, QUEUE, id])
}

process.once('SIGTERM', () => void stop())

async function stop() {
  await boss.stop()
  await ledger.close()
}
