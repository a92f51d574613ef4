import { env } from 'node:process'
import PgBoss from 'pg-boss'

export const QUEUE = 'invites'

/** Opens the queue, in the database that also has the ledger. */
export async function openQueue() {
  const boss = new PgBoss({ connectionString: env.DATABASE_URL, application_name: 'invites' })
  boss.on('error', ({ message }) => console.error('pg-boss:', message))
  await boss.start()
  await boss.createQueue(QUEUE, {
    name: QUEUE,
    /* Enough for a day of outage. Whatever must not be sent again is not retried, however high this is. */
    retryLimit: 2880,
    retryDelay: 30,
    /* More than the deadline of a create plus the 30 s of its lease. After this, a dead worker's job is redelivered. */
    expireInSeconds: 120,
  })
  return boss
}
