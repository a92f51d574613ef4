import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { all } from '../src/ledger/contract/samples.ts'
import { startPostgres } from './server.mjs'
import { freshLedger } from './setting.ts'

const CREATES = 500

test('500 creates while Postgres is killed three times: no candidate is invited twice, and no invite is lost', async () => {
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const ledger = await freshLedger({ url: await postgres.createDatabase(), unreachableTimeoutMs: 30_000 })
  const mock = createMockServer()
  const { baseUrl, apiKey, fetch } = mock
  const client = new CertifyClient({ baseUrl, apiKey, fetch, ledger })
  const create = (number: number) =>
    client.invites.create(
      { quizId: 'quiz_react_beginner_state', candidate: { name: 'Ada', email: `${number}@example.com` } },
      { deadlineMs: 120_000 },
    )

  let done = 0
  let kills = 0
  const outcomes: PromiseSettledResult<unknown>[] = []
  /* Each candidate twice, so that a lost claim would show. */
  const numbers = Array.from({ length: CREATES * 2 }, (_each, index) => index % CREATES)
  const workers = Array.from({ length: 20 }, async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      outcomes.push(...(await Promise.allSettled([create(number)])))
      done += 1
    }
  })
  const killer = (async () => {
    for (const at of [100, 250, 600]) {
      await expect.poll(() => done, { interval: 1 }).toBeGreaterThanOrEqual(at)
      await postgres.kill()
      kills += 1
      await postgres.start()
    }
  })()
  await Promise.all([...workers, killer])

  expect(kills).toBe(3)
  const sent = mock.outbox.map(({ to }) => to)
  expect(new Set(sent).size).toBe(sent.length)
  const records = await all(ledger.list())
  const recorded = records.filter(({ state }) => state === 'created').flatMap(({ invites }) => invites)
  expect(recorded).toHaveLength(sent.length)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(CREATES)
  expect(sent).toHaveLength(CREATES)
  expect(await ledger.check()).toMatchObject({ records: { created: CREATES, sending: 0, unknown: 0 } })
})
