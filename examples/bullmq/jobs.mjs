import { env } from 'node:process'
import { UnrecoverableError, Worker } from 'bullmq'
import { isCertifyError } from 'certify-sdk'

/* Starts a worker. `clientOf` returns the client for the tenant of a job. */
export function startWorker(clientOf) {
  const worker = new Worker('invites', (job) => invite(clientOf, job.data), {
    connection: { url: env.REDIS_URL, maxRetriesPerRequest: null },
    concurrency: 10,
    /* How often a job may lose its worker before BullMQ gives it up. High, because another delivery is safe here. */
    maxStalledCount: 100,
    settings: { backoffStrategy: (_attempts, _type, error) => delayMs(Object(error)) },
  })
  worker.on('error', ({ message }) => console.error('bullmq:', message))
  return worker
}

/* A job that throws is retried after `delayMs`, unless the error is unrecoverable. */
async function invite(clientOf, { tenant, reference, ...input }) {
  try {
    const client = await clientOf(tenant)
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
