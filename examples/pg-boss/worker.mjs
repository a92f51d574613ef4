import { env } from 'node:process'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { openQueue, QUEUE } from './queue.mjs'

const ledger = await openPostgresLedger({ url: env.DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = env
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })

/* One job at a time, because pg-boss completes or fails all jobs of a batch together. */
const REFUSED = new Set(['UNAUTHENTICATED', 'FORBIDDEN'])
let isPaused = false
const boss = await openQueue()
await work()

async function work() {
  for (let worker = 0; worker < 10; worker++) await boss.work(QUEUE, { pollingIntervalSeconds: 0.5 }, invite)
}

/* Its result becomes the `output` of the job. A job that throws is retried. */
async function invite([job]) {
  const { reference, ...input } = job.data
  try {
    const created = await client.invites.create(input, { reference })
    return { inviteId: created.inviteId, emailSent: created.emailSent }
  } catch (error) {
    /* Nothing was created, and the cause may go away. The next delivery has the
     * same reference, so it cannot invite twice. */
    if (isCertifyError(error) && REFUSED.has(error.code)) pause()
    if (!isCertifyError(error) || error.retryable) throw error
    /* Refused or unknown: a person looks at it. */
    return { code: error.code, reference: error.reference }
  }
}

/* Every other job would be refused, too: the key may be replaced meanwhile. */
function pause() {
  if (isPaused) return
  isPaused = true
  void boss.offWork(QUEUE)
  setTimeout(() => {
    isPaused = false
    void work()
  }, 300_000).unref()
}

process.once('SIGTERM', () => void stop())

async function stop() {
  await boss.stop()
  await ledger.close()
}
