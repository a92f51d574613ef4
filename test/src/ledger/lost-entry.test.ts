import { expect, test } from 'vitest'
import { CertifyClient, type CertifyError } from '../../../src/index.ts'
import { planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import { type Ledger, withLedger } from '../../../src/ledger/index.ts'
import { candidate, guardedSetting, QUIZ } from './setting.ts'

/* As after a failover of its database that has lost the last commits. */
function withoutItsEntries(ledger: Ledger): Ledger {
  const settle: Ledger['settle'] = () => Promise.resolve('not-found')
  return new Proxy(ledger, {
    get: (target, key) => {
      const value = key === 'settle' ? settle : (Reflect.get(target, key) as unknown)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

test('a created invite whose entry the ledger has lost is returned, and its loss is told', async () => {
  const { client, ledger, mock } = await guardedSetting()
  const told: CertifyError[] = []
  const onUnsettled = (error: CertifyError) => told.push(error)
  const guarded = withLedger(client, withoutItsEntries(ledger), { account: 'acme', world: mock.worldId, onUnsettled })
  const { inviteId } = await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'hire-1' })
  expect(inviteId).not.toBe('')
  expect(told).toMatchObject([{ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('hire-1') as string }])
})

test('nothing is told if the entry of a refused send is lost: no candidate has an invite', async () => {
  const { ledger, mock } = await guardedSetting()
  const told: CertifyError[] = []
  const other = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: 'wrong', fetch: mock.fetch })
  const onUnsettled = (error: CertifyError) => told.push(error)
  const guarded = withLedger(other, withoutItsEntries(ledger), { account: 'acme', world: mock.worldId, onUnsettled })
  await expect(guarded.invites.create({ quizId: QUIZ, candidate })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(told).toEqual([])
})

test('a campaign ends if the ledger has lost an entry, and reports the invite', async () => {
  const { client, ledger, mock } = await guardedSetting()
  const rows = [1, 2, 3].map((row) => ({
    row,
    input: { quizId: QUIZ, candidate: { ...candidate, email: `${row}@example.com` } },
  }))
  const lost = withoutItsEntries(ledger)
  const plan = await planCampaign(rows, { client, ledger: lost, account: 'acme', world: mock.worldId })
  const events: object[] = []
  for await (const event of runCampaign(plan, { concurrency: 1 })) events.push(event)
  expect(events[0]).toMatchObject({ status: 'created', error: { code: 'LEDGER_UNUSABLE' } })
  expect(events.at(-1)).toMatchObject({ summary: { error: { code: 'LEDGER_UNUSABLE' } } })
  expect(mock.outbox).toHaveLength(1)
})
