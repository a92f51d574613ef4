import { expect, onTestFinished, test, vi } from 'vitest'
import { type CampaignEvent, planCampaign, type RowEvent, runCampaign } from '../../../src/campaign/index.ts'
import type { ApiKeyOptions } from '../../../src/index.ts'
import { all, candidate, clientOf, DAY_MS, guardedSetting, QUIZ } from './setting.ts'

/** A setting whose service takes a day to respond. */
async function slowSetting(options: Partial<ApiKeyOptions> = {}) {
  const setting = await guardedSetting()
  const { ledger, mock, clock } = setting
  const client = clientOf(mock, {
    ledger,
    ...options,
    async fetch(url, init) {
      const response = await mock.fetch(url, init)
      if (init.body.includes('mutation')) clock.advance(DAY_MS)
      return response
    },
  })
  return { ...setting, client }
}

test('a create that is recorded late returns its invite, whatever onRecordedLate does with its reference', async () => {
  const late: string[] = []
  const onRecordedLate = (reference: string) => {
    late.push(reference)
    throw new Error('a bug of the hook')
  }
  const { client, mock } = await slowSetting({ hooks: { onRecordedLate } })
  const created = await client.invites.create({ quizId: QUIZ, candidate }, { reference: 'mine' })
  expect(created.inviteId).toBe(mock.invites[0]?.inviteId)
  expect(late).toEqual(['mine'])
})

test('without onRecordedLate the process warns of a late record, without candidate data', async () => {
  const { client, mock } = await slowSetting()
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  await client.invites.create({ quizId: QUIZ, candidate }, { reference: 'mine' })
  expect(warn.mock.calls).toEqual([[expect.stringContaining('mine'), { code: 'CERTIFY_LEDGER_LATE' }]])
  expect(JSON.stringify(warn.mock.calls)).not.toMatch(new RegExp(`ada|byron|${mock.invites[0]?.inviteId}`, 'i'))
})

test('a campaign marks a row that was recorded late, and emits no warning', async () => {
  const { client } = await slowSetting()
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const rows = [{ input: { quizId: QUIZ, candidate } }]
  const plan = await planCampaign(rows, { client })
  const events = await all<CampaignEvent>(runCampaign(plan))
  const row = events.find((event): event is RowEvent => event.type === 'row')
  expect(row).toMatchObject({ status: 'created', late: true, error: undefined })
  expect(warn).not.toHaveBeenCalled()
})
