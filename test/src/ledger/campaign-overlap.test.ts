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
import { CertifyClient, type Fetch } from '../../../src/index.ts'
import { all, guardedSetting, PACKAGE, QUIZ } from './setting.ts'

const REST = ['quiz_react_beginner_components', 'quiz_javascript_beginner']
const OTHER_PACKAGE = 'pkg_react_intermediate'
const CREATE = 'developerCreateCertificationInvite'
const candidate = { email: 'ada@example.com', name: 'Ada' }
const single = (quizId = QUIZ): CampaignRow => ({ input: { quizId, candidate } })
const pack = (more: object = {}): CampaignRow => ({ input: { packageId: PACKAGE, candidate, ...more } })

async function overlapSetting() {
  const setting = await guardedSetting()
  const { client, ledger, mock } = setting
  const plan = (rows: Iterable<CampaignRow>, more: Partial<PlanOptions> = {}) =>
    planCampaign(rows, { client, ledger, account: 'acme', world: mock.worldId, campaign: 'spring', ...more })
  const run = async (rows: Iterable<CampaignRow>, more: Partial<PlanOptions> = {}, options: RunOptions = {}) => {
    const planned = await plan(rows, more)
    const events = await all<CampaignEvent>(runCampaign(planned, options))
    planned.close()
    const found = events.filter((event): event is RowEvent => event.type === 'row').toSorted((a, b) => a.row - b.row)
    const last = events.at(-1)
    if (last?.type !== 'finished') throw new Error('the summary has to come last')
    return { rows: found, statuses: found.map(({ status }) => status), summary: last.summary }
  }
  const invited = () => mock.invites.map(({ quizId }) => quizId)
  return { ...setting, plan, run, invited }
}

test('a package of which a quiz has an open invite is invited in part: not done, not sent, and its missing quizzes are told', async () => {
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
  planned.close()
})

test('fillPackages sends exactly the missing quizzes, each as a single invite with what the row says, and none on a re-run', async () => {
  const { run, plan, guarded, mock, ledger } = await overlapSetting()
  await guarded.invites.create({ quizId: QUIZ, candidate })
  const row = pack({ sendInviteEmail: false, callbackUrl: 'https://events.example.com/x' })
  const planned = await plan([row], { fillPackages: true })
  expect([planned.counts.planned, planned.filledPackages, planned.emails, [...planned.targets.keys()]]).toEqual([
    1,
    1,
    { sent: 0, notSent: 1 },
    REST,
  ])
  planned.close()
  const { rows, statuses } = await run([row], { fillPackages: true })
  expect(statuses).toEqual(['created'])
  expect(rows[0]?.invites).toHaveLength(2)
  expect(rows[0]?.missingQuizIds).toBeUndefined()
  const sent = mock.invites.slice(1)
  expect(sent.map(({ quizId, candidate: { name } }) => [quizId, name])).toEqual(REST.map((quizId) => [quizId, 'Ada']))
  expect(mock.outbox).toHaveLength(1)
  const entries = await all(ledger.list({ campaign: 'spring' }))
  expect(entries.map(({ quizId, packageId, row: number }) => [quizId, packageId, number]).toReversed()).toEqual(
    REST.map((quizId) => [quizId, undefined, 1]),
  )
  expect((await run([row], { fillPackages: true })).statuses).toEqual(['already_invited'])
  expect((await run([row])).statuses).toEqual(['already_invited'])
  expect(mock.invites).toHaveLength(3)
})

test('a package that was sent as a whole is invited, also with fillPackages', async () => {
  const { run, invited } = await overlapSetting()
  await run([pack()])
  expect((await run([pack()], { fillPackages: true })).statuses).toEqual(['already_invited'])
  expect(invited()).toHaveLength(3)
})

test('an earlier row of the campaign for one of its quizzes counts too, and the missing ones stay free for later rows', async () => {
  const first = await overlapSetting()
  const rows = [single(), pack(), single(REST[0]), pack()]
  const apart = await first.run(rows)
  expect(apart.statuses).toEqual(['created', 'partly_invited', 'created', 'duplicate'])
  expect(apart.rows[1]).toMatchObject({ missingQuizIds: REST, duplicateOf: 1 })
  expect(first.invited()).toEqual([QUIZ, REST[0]])
  const second = await overlapSetting()
  expect((await second.run(rows, { fillPackages: true })).statuses).toEqual([
    'created',
    'created',
    'duplicate',
    'duplicate',
  ])
  expect(second.invited().toSorted()).toEqual([QUIZ, ...REST].toSorted())
})

test('a run that ends between two quizzes reports the first one, and the next run sends the rest alone', async () => {
  const { run, guarded, invited, mock } = await overlapSetting()
  await guarded.invites.create({ quizId: QUIZ, candidate })
  const stopping = new AbortController()
  const fetch: Fetch = async (url, init) => {
    if (init.body.includes(CREATE)) stopping.abort()
    return mock.fetch(url, init)
  }
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch })
  const first = await run([pack()], { fillPackages: true, client }, { signal: stopping.signal })
  expect(first.rows).toMatchObject([{ status: 'partly_invited', missingQuizIds: [REST[1]], invites: [{}] }])
  expect(invited()).toEqual([QUIZ, REST[0]])
  expect((await run([pack()], { fillPackages: true })).statuses).toEqual(['created'])
  expect(invited()).toEqual([QUIZ, ...REST])
})

test('a quiz that the service refuses stays missing, with the reason; the others are created', async () => {
  const { run, guarded, mock, invited } = await overlapSetting()
  await guarded.invites.create({ quizId: QUIZ, candidate })
  mock.faults.add({ operation: CREATE, times: 1, fault: { code: 'BAD_USER_INPUT' } })
  const { rows, summary } = await run([pack()], { fillPackages: true }, { maxFailures: 5 })
  expect(rows).toMatchObject([
    { status: 'partly_invited', missingQuizIds: [REST[0]], invites: [{}], error: { code: 'BAD_USER_INPUT' } },
  ])
  expect(summary.counts.partly_invited).toBe(1)
  expect(invited()).toEqual([QUIZ, REST[1]])
})

test('a quiz of unknown outcome makes the row unknown, and is not sent again', async () => {
  const { run, guarded, mock, invited } = await overlapSetting()
  await guarded.invites.create({ quizId: QUIZ, candidate })
  mock.faults.add({ operation: CREATE, phase: 'after', times: 1, fault: 'cut' })
  const first = await run([pack()], { fillPackages: true })
  expect(first.rows).toMatchObject([{ status: 'unknown', invites: [{}], reference: expect.any(String) }])
  expect(invited()).toHaveLength(3)
  const second = await run([pack()], { fillPackages: true })
  expect([second.statuses, second.rows[0]?.reference]).toEqual([['unknown'], first.rows[0]?.reference])
  expect(invited()).toHaveLength(3)
})

test('a package with a quiz of unknown outcome is unknown, not done, though an earlier row is for another of its quizzes', async () => {
  const { run, mock, invited } = await overlapSetting()
  const rows = [single(), pack()]
  await run([single()])
  mock.faults.add({ operation: CREATE, phase: 'after', times: 1, fault: 'cut' })
  const first = await run(rows, { fillPackages: true })
  expect(first.statuses).toEqual(['already_invited', 'unknown'])
  const second = await run([...rows, single(REST[1]), pack()], { fillPackages: true })
  expect(second.statuses).toEqual(['already_invited', 'unknown', 'duplicate', 'duplicate'])
  expect(second.rows[1]?.reference).toBe(first.rows[1]?.reference)
  expect(invited()).toHaveLength(3)
})

test.each([
  [false, 'partly_invited', 2],
  [true, 'created', 4],
])(
  'ifUnknown create sends the unknown quiz of an earlier row, and the package is not done before its others are: fillPackages %s',
  async (fillPackages, status, count) => {
    const { run, mock, invited } = await overlapSetting()
    mock.faults.add({ operation: CREATE, phase: 'after', times: 1, fault: 'cut' })
    await run([single()])
    const { statuses } = await run([single(), pack()], { fillPackages }, { ifUnknown: 'create', concurrency: 1 })
    expect(statuses).toEqual(['created', status])
    expect(invited()).toHaveLength(count)
  },
)

test('an invite that another process sends while the run is under way is noticed at its turn', async () => {
  const { run, guarded, invited, plan } = await overlapSetting()
  const before = await plan([pack()])
  const filling = await plan([pack()], { fillPackages: true })
  await guarded.invites.create({ quizId: QUIZ, candidate })
  const told = await all<CampaignEvent>(runCampaign(before))
  expect(told[0]).toMatchObject({ type: 'row', status: 'partly_invited', missingQuizIds: REST })
  const filled = await all<CampaignEvent>(runCampaign(filling, { concurrency: 1 }))
  expect(filled[0]).toMatchObject({ type: 'row', status: 'created', invites: [{}, {}] })
  for (const each of [before, filling]) each.close()
  expect(invited().toSorted()).toEqual([QUIZ, ...REST].toSorted())
  expect((await run([{ input: { packageId: OTHER_PACKAGE, candidate } }])).statuses).toEqual(['created'])
})
