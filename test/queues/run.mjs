import { startPostgres } from '../postgres/server.mjs'
import { openBullMq } from './bullmq-queue.mjs'
import { openPgBoss } from './pg-boss-queue.mjs'
import { startRedis } from './redis.mjs'
import { survive } from './survival.mjs'

/**
 * {@link survive} with dedicated servers: Postgres for the ledger and pg-boss, Redis for BullMQ. The queue's server is
 * restarted now and then.
 *
 * @param {'pg-boss' | 'bullmq'} example
 * @param {{ jobs: number, kills: number, seed?: number | undefined }} options
 */
export async function surviveWithServers(example, { jobs, kills, seed }) {
  const postgres = await startPostgres()
  const redis = example === 'bullmq' ? await startRedis() : undefined
  const server = redis ?? postgres
  const databaseUrl = postgres.url
  try {
    const queue = await (redis === undefined ? openPgBoss({ databaseUrl }) : openBullMq({ redisUrl: redis.url }))
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
