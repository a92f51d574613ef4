import { expect, test } from 'vitest'
import type { CertifyError } from '../../../src/index.ts'
import { planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import type { WholeLedger } from './whole.ts'
import { candidate, changedLedger, clientOf, guardedSetting, QUIZ } from './setting.ts'

/* As after a database failover that lost the last commits. */
function withoutItsEntries(ledger: WholeLedger): WholeLedger {
  return changedLedger(ledger, { settle: () => Promise.resolve('not-found') })
}

test('a created invite whose record the ledger has lost is returned, and onUnrecorded reports the loss', async () => {
  const { ledger, mock } = await guardedSetting()
  const told: CertifyError[] = []
  const hooks = { onUnrecorded: (error: CertifyError) => void told.push(error) }
  const guarded = clientOf(mock, { ledger: withoutItsEntries(ledger), hooks })
  const { inviteId } = await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'hire-1' })
  expect(inviteId).not.toBe('')
  expect(told).toMatchObject([{ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('hire-1') as string }])
})

test('the lost record of a refused create is not reported: no candidate has an invite', async () => {
  const { ledger, mock } = await guardedSetting()
  const told: CertifyError[] = []
  const hooks = { onUnrecorded: (error: CertifyError) => void told.push(error) }
  const guarded = clientOf(mock, { apiKey: 'wrong', ledger: withoutItsEntries(ledger), hooks })
  await expect(guarded.invites.create({ quizId: QUIZ, candidate })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(told).toEqual([])
})

test('a row whose claim was acknowledged only after its lease is unknown, and is not sent', async () => {
  const { clock, ledger, mock } = await guardedSetting()
  const late = changedLedger(ledger, {
    /* The commit is unknown, and the transaction runs again. */
    claim: async (request) => {
      await ledger.claim(request)
      clock.advance(request.leaseMs)
      return ledger.claim(request)
    },
  })
  const plan = await planCampaign([{ input: { quizId: QUIZ, candidate } }], {
    client: clientOf(mock, { ledger: late }),
  })
  const events: object[] = []
  for await (const event of runCampaign(plan)) events.push(event)
  expect(events).toMatchObject([
    { type: 'row', status: 'unknown', error: { code: 'PRIOR_OUTCOME_UNKNOWN' } },
    { type: 'finished', summary: { counts: { unknown: 1 }, remaining: 0 } },
  ])
  expect(mock.outbox).toEqual([])
})
