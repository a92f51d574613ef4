import { sql } from '../postgres/server.mjs'
import { queuePackage } from './examples.mjs'
import { endOf } from './job-books.mjs'

const NAME = 'invites'

/**
 * The queue of the example, with shorter times for the test. Its jobs expire so early that many are delivered to a
 * second worker while the first one still works on them.
 *
 * @param {{ databaseUrl: string }} where
 * @returns {Promise<import('./survival.mjs').TestedQueue>}
 */
export async function openPgBoss({ databaseUrl }) {
  const PgBoss = queuePackage('pg-boss')
  const boss = new PgBoss({ connectionString: databaseUrl, maintenanceIntervalSeconds: 1 })
  /* The harness restarts the server now and then. */
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(NAME, { name: NAME, retryLimit: 1000, retryDelay: 1, expireInSeconds: 3 })
  return {
    env: {},
    add: (jobs) => boss.insert(jobs.map((data) => ({ name: NAME, data }))),
    ends: async () => {
      const rows = await sql(
        databaseUrl,
        `SELECT coalesce(json_agg(json_build_object('state', state, 'data', data, 'output', output)), '[]')
         FROM pgboss.job WHERE name = '${NAME}'`,
      )
      const jobs = /** @type {readonly any[]} */ (JSON.parse(rows))
      const ended = jobs.filter(({ state }) => state === 'completed' || state === 'failed')
      return {
        open: jobs.length - ended.length,
        ended: ended.map(({ data, output }) => ({ reference: data.reference, ...endOf(output ?? {}) })),
      }
    },
    clear: async () => {
      await sql(databaseUrl, `DELETE FROM pgboss.job WHERE name = '${NAME}'`)
    },
    /* pg-boss expires them. */
    expireLocks: async () => {},
    close: () => boss.stop({ graceful: false, wait: true }),
  }
}
