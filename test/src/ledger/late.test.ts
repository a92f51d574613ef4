import { expect, onTestFinished, test, vi } from 'vitest'
import { type CampaignEvent, planCampaign, type RowEvent, runCampaign } from '../../../src/campaign/index.ts'
import type { ApiKeyOptions } from '../../../src/index.ts'
import {
  all,
  candidate,
  clientOf,
  DAY_MS,
  DRIVERS,
  freshLedger,
  guardedSetting,
  QUIZ,
  standingClock,
} from './setting.ts'

const scope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }
const target = { email: candidate.email, quizIds: [QUIZ] }
const request = { scope, target, reference: 'a', input: { quizId: QUIZ, candidate }, leaseMs: 60_000 }
const invite = { inviteId: 'inv_1', expiresAt: '2030-01-15T00:00:00.000Z' }

test.each(DRIVERS)(
  'over %s a settlement is late from the end of the lease on, and recorded all the same',
  async (driver) => {
    for (const [waitedMs, recorded] of [
      [59_999, 'recorded'],
      [60_000, 'late'],
    ] as const) {
      const clock = standingClock()
      const ledger = await freshLedger(clock, { driver })
      await ledger.claim(request)
      clock.advance(waitedMs)
      expect(await ledger.settle('a', { state: 'created', invites: [invite] })).toBe(recorded)
      expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [invite] })
    }
  },
)

test.each(DRIVERS)('over %s a settlement is late if others saw the send as unknown, or resolved it', async (driver) => {
  for (const isResolved of [false, true]) {
    const clock = standingClock()
    const ledger = await freshLedger(clock, { driver })
    await ledger.claim(request)
    clock.advance(DAY_MS)
    expect(await ledger.find('a')).toMatchObject({ state: 'unknown' })
    if (isResolved) await ledger.resolve('a', { notCreated: true })
    expect(await ledger.settle('a', { state: 'created', invites: [invite] })).toBe('late')
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [invite] })
  }
})

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

test('a create that is recorded late returns its invite, and an observer gets its reference', async () => {
  const late: string[] = []
  const { client, mock } = await slowSetting({ hooks: { onRecordedLate: (reference) => void late.push(reference) } })
  const created = await client.invites.create({ quizId: QUIZ, candidate }, { reference: 'mine' })
  expect(created.inviteId).toBe(mock.invites[0]?.inviteId)
  expect(late).toEqual(['mine'])
})

test('without an observer the process warns of a late record, without data of the candidate', async () => {
  const { client, mock } = await slowSetting()
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  await client.invites.create({ quizId: QUIZ, candidate }, { reference: 'mine' })
  expect(warn.mock.calls).toEqual([[expect.stringContaining('mine'), { code: 'CERTIFY_LEDGER_LATE' }]])
  expect(JSON.stringify(warn.mock.calls)).not.toMatch(new RegExp(`ada|byron|${mock.invites[0]?.inviteId}`, 'i'))
})

test('a campaign says of a row that it was recorded late, and so does its report', async () => {
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
