import { queuePackage } from './examples.mjs'
import { endOf } from './job-books.mjs'

const HIRING = { queueName: 'hires', workflowName: 'onboard' }

/**
 * The workflows of the example as jobs. All its processes have the same executor id, so each one that starts also runs
 * what the others still work on, and a step runs twice at once.
 *
 * @param {{ databaseUrl: string }} where
 * @returns {Promise<import('./survival.mjs').TestedQueue>}
 */
export async function openDbos({ databaseUrl }) {
  const { DBOS, DBOSClient } = queuePackage('@dbos-inc/dbos-sdk')
  await DBOS.migrate(databaseUrl)
  const client = await DBOSClient.create({ systemDatabaseUrl: databaseUrl, applicationName: 'hiring' })
  const all = async () => {
    const workflows = await client.listWorkflows({ workflowName: HIRING.workflowName })
    const isOpen = (/** @type {any} */ { status }) => status === 'PENDING' || status === 'ENQUEUED'
    return {
      open: workflows.filter(isOpen).length,
      ended: /** @type {any[]} */ (workflows.filter((/** @type {any} */ each) => !isOpen(each))),
    }
  }
  return {
    env: {},
    add: async (jobs) => {
      for (const { reference, ...input } of jobs) await client.enqueue({ ...HIRING, workflowID: reference }, input)
    },
    ends: async () => {
      const { open, ended } = await all()
      return { open, ended: ended.map(({ workflowID, output }) => ({ reference: workflowID, ...endOf(output ?? {}) })) }
    },
    clear: async () => {
      const { ended } = await all()
      /* With their attempts: a hire that is added again makes new ones. */
      await client.deleteWorkflows(
        ended.map(({ workflowID }) => workflowID),
        true,
      )
    },
    /* A workflow has no lock. */
    expireLocks: async () => {},
    close: () => client.destroy(),
  }
}
