import { env } from 'node:process'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'

const { CERTIFY_BASE_URL: baseUrl = '', CERTIFY_API_KEY: apiKey = '' } = env
const { DATABASE_URL = '', CALLBACK_URL = '', CALLBACK_SECRET = '' } = env
const ledger = await openPostgresLedger({ url: DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })

/* DBOS runs a step again if the process died before it was recorded. The reference
 * names the work, so the ledger knows that it is the same create. */
async function invite(input, reference) {
  try {
    const created = await client.invites.create(input, { reference })
    return { inviteId: created.inviteId, emailSent: created.emailSent }
  } catch (error) {
    /* Nothing was created, and the cause may go away: the workflow tries again later. */
    const { code, retryAfterMs } = Object(error)
    if (!isCertifyError(error) || error.retryable) return { code, delayMs: delayMs(retryAfterMs) }
    /* Refused or unknown: a person looks at it, and no retry sends it again. */
    return { code, reference }
  }
}

/* With jitter, so that workflows that were turned away together do not come back together. */
const retryMs = 30_000
function delayMs(retryAfterMs = retryMs) {
  return Math.ceil(retryAfterMs + Math.random() * retryMs)
}

const step = (input, reference) => DBOS.runStep(() => invite(input, reference), { name: 'invite' })
const attempt = DBOS.registerWorkflow(step, { name: 'attempt' })

/* A hire that waits has no place in the queue of attempts. */
async function onboard(input) {
  const reference = `${DBOS.workflowID}.invite`
  for (;;) {
    const queued = DBOS.startWorkflow(attempt, { queueName: 'attempts' })
    const handle = await queued(input, reference)
    const { delayMs: waitMs, ...result } = await handle.getResult()
    if (waitMs === undefined) return result
    await DBOS.sleep(waitMs)
  }
}
DBOS.registerWorkflow(onboard, { name: 'onboard' })

DBOS.setConfig({ name: 'hiring', systemDatabaseUrl: env.DATABASE_URL })
await DBOS.launch()
await DBOS.registerQueue('hires')
await DBOS.registerQueue('attempts', { workerConcurrency: 10 })

process.once('SIGTERM', () => void stop())

async function stop() {
  await DBOS.shutdown({ workflowCompletionTimeoutMS: 10_000 })
  await ledger.close()
}
