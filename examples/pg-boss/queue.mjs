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
    /* A day of outage. What may not be sent again is not retried, however high this is. */
    retryLimit: 2880,
    retryDelay: 30,
    /* More than the deadline of a create and the 30 seconds of its lease. A worker that died has lost its job after this. */
    expireInSeconds: 120,
  })
  return boss
}
