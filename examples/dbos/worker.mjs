import { env } from 'node:process'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'

const ledger = await openPostgresLedger({ url: env.DATABASE_URL })
const callbacks = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = env
const client = new CertifyClient({ baseUrl, apiKey, ledger, callbacks, deadlineMs: 30_000 })

/* DBOS runs a step again if the process died before it was recorded. The reference
 * names the step of this workflow, so the ledger knows that it is the same create. */
async function invite(input) {
  const reference = `${DBOS.workflowID}.invite`
  try {
    const created = await client.invites.create(input, { reference })
    return { inviteId: created.inviteId, emailSent: created.emailSent }
  } catch (error) {
    /* Nothing was created, and the cause may go away: DBOS retries the step. */
    if (!isCertifyError(error) || error.retryable) throw error
    /* Refused or unknown: a person looks at it, and no retry sends it again. */
    return { code: error.code, reference }
  }
}

/* A day of attempts. A rejected key is retried too: it may be replaced meanwhile. */
const RETRIES = { retriesAllowed: true, intervalSeconds: 5, backoffRate: 1, maxAttempts: 17_280 }

DBOS.registerWorkflow((input) => DBOS.runStep(() => invite(input), { name: 'invite', ...RETRIES }), { name: 'onboard' })
DBOS.setConfig({ name: 'hiring', systemDatabaseUrl: env.DATABASE_URL })
await DBOS.launch()
await DBOS.registerQueue('hires', { workerConcurrency: 10 })

process.once('SIGTERM', () => void stop())

async function stop() {
  await DBOS.shutdown({ workflowCompletionTimeoutMS: 10_000 })
  await ledger.close()
}
