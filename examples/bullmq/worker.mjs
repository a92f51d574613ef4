import { env } from 'node:process'
import { UnrecoverableError, Worker } from 'bullmq'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls, withCallbacks } from 'certify-sdk/callbacks'
import { createOnce, withLedger } from 'certify-sdk/ledger'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'

const client = new CertifyClient({ baseUrl: env.CERTIFY_BASE_URL, apiKey: env.CERTIFY_API_KEY, deadlineMs: 30_000 })
const urls = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
const ledger = await openPostgresLedger({ url: env.DATABASE_URL })
const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'acme-production' })

/* What it returns is the `returnvalue` of the completed job. What it throws is retried, unless it is unrecoverable. */
async function invite(job) {
  const { reference, ...input } = job.data
  const { status, invites, error } = await createOnce(guarded, input, { reference, ifInvited: 'reuse' })
  if (status === 'retry') throw error
  if (status === 'created') return { status, inviteIds: invites.map(({ inviteId }) => inviteId) }
  /* `refused`, or `unknown`: then a person has to find out (certify invites list --state unknown). */
  throw new UnrecoverableError(`${status}: ${error.message}`)
}

const worker = new Worker('invites', invite, {
  connection: { url: env.REDIS_URL, maxRetriesPerRequest: null },
  concurrency: 10,
  /* How often a job may lose its worker before BullMQ gives it up. Another delivery is safe here, so: often. */
  maxStalledCount: 100,
})
worker.on('error', ({ message }) => console.error('bullmq:', message))

process.once('SIGTERM', () => void stop())

async function stop() {
  await worker.close()
  await ledger.close()
}
