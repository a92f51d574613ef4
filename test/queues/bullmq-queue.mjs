import { queuePackage } from './examples.mjs'
import { endOf } from './job-books.mjs'

const NAME = 'invites'

/**
 * The queue of the example, with shorter times for the test.
 *
 * @param {{ redisUrl: string }} where
 * @returns {Promise<import('./survival.mjs').TestedQueue>}
 */
export async function openBullMq({ redisUrl }) {
  const { Queue, Worker } = queuePackage('bullmq')
  const { Redis } = queuePackage('ioredis')
  const redis = new Redis(redisUrl)
  const connection = { url: redisUrl, maxRetriesPerRequest: null }
  const queue = new Queue(NAME, {
    connection,
    defaultJobOptions: { attempts: 1000, backoff: { type: 'custom' } },
  })
  /* It processes nothing: it only finds stalled jobs, earlier than the workers of the example. */
  const finder = new Worker(NAME, null, { connection, autorun: false, stalledInterval: 500, maxStalledCount: 1000 })
  for (const each of [queue, finder, redis]) each.on('error', () => {})
  await finder.startStalledCheckTimer()
  return {
    env: { REDIS_URL: redisUrl },
    add: (jobs) => queue.addBulk(jobs.map((data) => ({ name: 'invite', data }))),
    ends: async () => {
      /* In this order: a job may end in between. */
      const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized', 'paused')
      const jobs = await queue.getJobs(['completed', 'failed'])
      return {
        open: Object.values(/** @type {Record<string, number>} */ (counts)).reduce((sum, count) => sum + count, 0),
        ended: jobs.map((/** @type {any} */ { data, returnvalue, failedReason }) => ({
          reference: data.reference,
          ...endOf(returnvalue ?? { code: /^([A-Z_]+): /.exec(failedReason)?.[1] ?? failedReason }),
        })),
      }
    },
    clear: async () => {
      for (const state of ['completed', 'failed']) await queue.clean(0, 1_000_000, state)
    },
    expireLocks: async () => {
      const locks = await redis.keys(`bull:${NAME}:*:lock`)
      if (locks.length > 0) await redis.del(locks)
    },
    close: async () => {
      await finder.close()
      await queue.close()
      redis.disconnect()
    },
  }
}
