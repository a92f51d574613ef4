import { env } from 'node:process'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls, withCallbacks } from 'certify-sdk/callbacks'
import { createOnce, withLedger } from 'certify-sdk/ledger'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { openQueue, QUEUE } from './queue.mjs'

const client = new CertifyClient({ baseUrl: env.CERTIFY_BASE_URL, apiKey: env.CERTIFY_API_KEY, deadlineMs: 30_000 })
const urls = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
const ledger = await openPostgresLedger({ url: env.DATABASE_URL })
const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'acme-production' })

/* One job at a time in each: pg-boss completes or fails all jobs of a batch together. */
const boss = await openQueue()
for (let worker = 0; worker < 10; worker++) await boss.work(QUEUE, { pollingIntervalSeconds: 0.5 }, invite)

/* What it returns is the `output` of the completed job. What it throws is retried. */
async function invite([job]) {
  const { reference, ...input } = job.data
  const { status, invites, error } = await createOnce(guarded, input, { reference, ifInvited: 'reuse' })
  if (status === 'retry') throw error
  if (status === 'created') return { status, inviteIds: invites.map(({ inviteId }) => inviteId) }
  /* `refused`, or `unknown`: then a person has to find out (certify invites list --state unknown). */
  return { status, code: error.code, reference: error.reference }
}

process.once('SIGTERM', () => void stop())

async function stop() {
  await boss.stop()
  await ledger.close()
}
