import { expect, test } from 'vitest'
import {
  type CampaignEvent,
  type CampaignRow,
  type PlanOptions,
  planCampaign,
  type RowEvent,
  type RunOptions,
  runCampaign,
} from '../../../src/campaign/index.ts'
import { all, guardedSetting, PACKAGE, QUIZ } from './setting.ts'

const REST = ['quiz_react_beginner_components', 'quiz_javascript_beginner']
const OTHER_PACKAGE = 'pkg_react_intermediate'
const CREATE = 'developerCreateCertificationInvite'
const candidate = { email: 'ada@example.com', name: 'Ada' }
const single = (quizId = QUIZ): CampaignRow => ({ input: { quizId, candidate } })
const pack = (more: object = {}): CampaignRow => ({ input: { packageId: PACKAGE, candidate, ...more } })

async function overlapSetting() {
  const setting = await guardedSetting()
  const { guarded: client, mock } = setting
  const plan = (rows: Iterable<CampaignRow>, more: Partial<PlanOptions> = {}) =>
    planCampaign(rows, { client, campaign: 'spring', ...more })
  const run = async (rows: Iterable<CampaignRow>, more: Partial<PlanOptions> = {}, options: RunOptions = {}) => {
    const planned = await plan(rows, more)
    const events = await all<CampaignEvent>(runCampaign(planned, options))
    const found = events.filter((event): event is RowEvent => event.type === 'row').toSorted((a, b) => a.row - b.row)
    const last = events.at(-1)
    if (last?.type !== 'finished') throw new Error('the summary has to come last')
    return { rows: found, statuses: found.map(({ status }) => status), summary: last.summary }
  }
  const invited = () => mock.invites.map(({ quizId }) => quizId)
  return { ...setting, plan, run, invited }
}

test('a package with an open invite for one quiz is partly invited: not sent, and the missing quizzes are reported', async () => {
  const { run, plan, guarded, invited } = await overlapSetting()
  const earlier = await guarded.invites.create({ quizId: QUIZ, candidate })
  const { rows, summary } = await run([pack()])
  expect(rows).toMatchObject([
    { status: 'partly_invited', missingQuizIds: REST, invites: [{ inviteId: earlier.inviteId }] },
  ])
  expect(summary).toMatchObject({ counts: { partly_invited: 1, already_invited: 0, created: 0 }, remaining: 0 })
  expect(invited()).toEqual([QUIZ])
  const planned = await plan([pack()])
  expect([planned.counts.partly_invited, planned.counts.planned, [...planned.targets]]).toEqual([1, 0, []])
})

test('an earlier row for one quiz makes the package partly invited, and later rows may still send the missing quizzes', async () => {
  const { run, invited } = await overlapSetting()
  const { rows, statuses } = await run([single(), pack(), single(REST[0]), pack()])
  expect(statuses).toEqual(['created', 'partly_invited', 'created', 'duplicate'])
  expect(rows[1]).toMatchObject({ missingQuizIds: REST, duplicateOf: 1 })
  expect(invited()).toEqual([QUIZ, REST[0]])
})

test('ifUnknown: create resends the unknown quiz of an earlier row, and the package is then partly invited', async () => {
  const { run, mock, invited } = await overlapSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', times: 1, fault: 'cut' })
  await run([single()])
  const { statuses } = await run([single(), pack()], {}, { ifUnknown: 'create', concurrency: 1 })
  expect(statuses).toEqual(['created', 'partly_invited'])
  expect(invited()).toHaveLength(2)
})

test('an invite that another process sends during the run is noticed when the row comes up', async () => {
  const { run, guarded, invited, plan } = await overlapSetting()
  const before = await plan([pack()])
  await guarded.invites.create({ quizId: QUIZ, candidate })
  const told = await all<CampaignEvent>(runCampaign(before))
  expect(told[0]).toMatchObject({ type: 'row', status: 'partly_invited', missingQuizIds: REST })
  expect(invited()).toEqual([QUIZ])
  expect((await run([{ input: { packageId: OTHER_PACKAGE, candidate } }])).statuses).toEqual(['created'])
})
