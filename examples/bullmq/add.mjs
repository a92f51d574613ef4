// Adds a job for each line of its input: {"reference":"hire-17","quizId":"…","candidate":{"name":"…","email":"…"}}
// With many tenants, it also has a "tenant", and the reference begins with it.
import { env, stdin } from 'node:process'
import { createInterface } from 'node:readline'
import { Queue } from 'bullmq'

const queue = new Queue('invites', {
  connection: { url: env.REDIS_URL },
  defaultJobOptions: {
    /* Enough for a day of outage. Whatever must not be sent again is not retried, however high this is. */
    attempts: 2880,
    /* The worker says how long a job waits. */
    backoff: { type: 'custom' },
    /* The ledger remembers what was done, so the queue need not. A failed job stays until somebody has seen it. */
    removeOnComplete: { age: 24 * 60 * 60 },
    removeOnFail: false,
  },
})
for await (const line of createInterface({ input: stdin })) {
  const job = JSON.parse(line)
  /* The reference belongs to the work, not to the delivery: a hire has the same one even if it is added twice. */
  await queue.add('invite', job, { jobId: job.reference })
}
await queue.close()
