import { startPostgres } from '../postgres/server.mjs'
import { openBullMq } from './bullmq-queue.mjs'
import { openDbos } from './dbos-queue.mjs'
import { openPgBoss } from './pg-boss-queue.mjs'
import { startRedis } from './redis.mjs'
import { survive } from './survival.mjs'

/**
 * Opens the queue of each example.
 *
 * @type {Record<
 *   import('./examples.mjs').Example,
 *   (where: { databaseUrl: string, redisUrl: string }) => Promise<import('./survival.mjs').TestedQueue>
 * >}
 */
export const QUEUES = { 'pg-boss': openPgBoss, bullmq: openBullMq, dbos: openDbos }

/**
 * {@link survive} with dedicated servers: Postgres for the ledger, pg-boss and DBOS, Redis for BullMQ. The queue's server is
 * restarted now and then.
 *
 * @param {import('./examples.mjs').Example} example
 * @param {{ jobs: number, kills: number, seed?: number | undefined }} options
 */
export async function surviveWithServers(example, { jobs, kills, seed }) {
  const postgres = await startPostgres()
  const redis = example === 'bullmq' ? await startRedis() : undefined
  const server = redis ?? postgres
  const databaseUrl = postgres.url
  try {
    const queue = await QUEUES[example]({ databaseUrl, redisUrl: redis?.url ?? '' })
    const restartServers = async () => {
      await server.kill()
      await server.start()
    }
    const figures = await survive({ example, queue, databaseUrl, jobs, kills, seed, restartServers })
    await queue.close()
    return figures
  } finally {
    await postgres.stop()
    await redis?.stop()
  }
}
