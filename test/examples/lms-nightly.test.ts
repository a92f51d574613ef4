import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openLedger } from '../../src/ledger/index.ts'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { startProgram } from './program.ts'
import { installExample } from './run-example.ts'
import { expectNoSecrets } from './secrets.ts'

let example: string
beforeAll(() => {
  example = installExample(inject('consumer'), 'lms-nightly')
})

const QUIZ = 'quiz_python_intermediate_pandas'
const HEADINGS = 'course_id,completed_at,first_name,last_name,email'
const NOW = new Date().toISOString()

/** A night: a service, a folder with a ledger, and an export of the LMS. */
async function night(lines: readonly string[], name = 'completions.csv') {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-lms-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true })
    await mock.close()
  })
  const file = join(folder, name)
  writeFileSync(file, name.endsWith('.csv') ? `\uFEFF${[HEADINGS, ...lines].join('\r\n')}\r\n` : lines.join('\n'))
  const report = join(folder, 'report.json')
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: mock.apiKey, LEDGER: join(folder, 'l'), REPORT: report }
  const start = (more: Record<string, string> = {}) =>
    startProgram(example, ['node', 'nightly.mjs', file], { ...env, RATE: '1000', ...more })
  const run = async (more?: Record<string, string>) => {
    const ended = await start(more).ended
    expect(ended.stderr).toBe('')
    return {
      status: ended.status,
      ...(JSON.parse(ended.stdout) as { counts: Record<string, number> }),
      printed: ended.stdout,
    }
  }
  return {
    mock: Object.assign(mock, { address: url }),
    start,
    run,
    report: () => readFileSync(report, 'utf8'),
    ledger: env.LEDGER,
  }
}

const emails = ({ invites }: MockServer) => invites.map(({ candidate: { email } }) => email)
const quiz = (email: string, at = NOW) => `PYTHON-DATA,${at},Ada,Byron,${email}`

test('everybody who completed a mapped course is invited: to a quiz or a package, from CSV or JSON', async () => {
  const { mock, run } = await night([
    quiz('ada@example.com'),
    `REACT-101,${NOW},,,grace@example.com`,
    `COOKING-1,${NOW},A,B,a@example.com`,
  ])
  expect(await run()).toMatchObject({ status: 0, counts: { created: 2 } })
  expect(new Set(emails(mock))).toEqual(new Set(['ada@example.com', 'grace@example.com']))

  const row = {
    course_id: 'PYTHON-DATA',
    completed_at: NOW,
    first_name: 'Ada',
    last_name: 'Byron',
    email: 'ada@example.com',
  }
  const json = await night([JSON.stringify([row])], 'completions.json')
  expect(await json.run()).toMatchObject({ status: 0, counts: { created: 1 } })
  expect(json.mock.invites[0]?.candidate).toEqual({ email: 'ada@example.com', name: 'Ada Byron' })
})

test('a second run invites nobody', async () => {
  const { mock, run } = await night([quiz('ada@example.com'), quiz('grace@example.com')])
  await run()
  expect(await run()).toMatchObject({ status: 0, counts: { created: 0 } })
  expect(emails(mock)).toHaveLength(2)
})

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test('whoever did not use the link is not invited again when it has expired, only after another completion', async () => {
  const old = [quiz('ada@example.com', daysAgo(21)), quiz('grace@example.com', daysAgo(21))]
  const { mock, run, ledger: path } = await night([...old, quiz('grace@example.com', daysAgo(1))])
  /* What the ledger has after a run of 20 days ago. */
  const ledger = await openLedger(path, { clock: { now: () => Date.parse(daysAgo(20)), startTimer: () => () => {} } })
  const scope = { baseUrl: mock.address, account: 'acme-production', world: mock.worldId }
  for (const email of ['ada@example.com', 'grace@example.com']) {
    const [target, input] = [
      { email, quizIds: [QUIZ] },
      { quizId: QUIZ, candidate: { email } },
    ]
    await ledger.claim({ scope, target, input, reference: email.slice(0, 3), leaseMs: 1000 })
    await ledger.settle(email.slice(0, 3), {
      state: 'created',
      invites: [{ inviteId: `inv_${email.slice(0, 3)}`, expiresAt: daysAgo(6) }],
    })
  }
  await ledger.close()
  expect(await run()).toMatchObject({ status: 0, counts: { created: 1 } })
  expect(emails(mock)).toEqual(['grace@example.com'])
})

test('a completion in two rows of the export is one invite', async () => {
  const { mock, run } = await night([quiz('ada@example.com'), quiz('Ada@Example.com')])
  expect(await run()).toMatchObject({ status: 0, counts: { created: 1, duplicate: 1 } })
  expect(emails(mock)).toHaveLength(1)
})

test('after kill -9 in the middle, the next run invites the others, and nobody twice', async () => {
  const people = Array.from({ length: 40 }, (_, index) => `person${index}@example.com`)
  const { mock, start, run, report } = await night(people.map((email) => quiz(email)))
  const rule = mock.faults.add({
    operation: 'developerCreateCertificationInvite',
    fault: { delayMs: 300 },
    times: null,
  })
  const crashed = start()
  await vi.waitFor(() => expect(mock.invites.length).toBeGreaterThan(8), 30_000)
  crashed.child.kill('SIGKILL')
  await crashed.ended
  mock.faults.remove(rule.id)

  const { status, counts } = await run()
  /* What was on its way may have been created: a person has to find out. The exit code says so. */
  expect(status).toBe(6)
  expect(counts['unknown']).toBeGreaterThan(0)
  expect(counts['unknown']).toBeLessThanOrEqual(4)
  expect(new Set(emails(mock)).size).toBe(mock.invites.length)
  const { rows } = JSON.parse(report()) as { rows: { row: number; status: string }[] }
  const unknown = rows.filter((each) => each.status === 'unknown').map(({ row }) => people[row - 1] ?? '')
  expect(new Set([...emails(mock), ...unknown])).toEqual(new Set(people))

  expect(await run()).toMatchObject({ status: 6, counts: { created: 0 } })
  expect(new Set(emails(mock)).size).toBe(mock.invites.length)
})

test('SIGTERM completes what is on its way, and the next run does the rest', async () => {
  const people = Array.from({ length: 30 }, (_, index) => `person${index}@example.com`)
  const { mock, start, run } = await night(people.map((email) => quiz(email)))
  const rule = mock.faults.add({
    operation: 'developerCreateCertificationInvite',
    fault: { delayMs: 200 },
    times: null,
  })
  const stopped = start()
  await vi.waitFor(() => expect(mock.invites.length).toBeGreaterThan(4), 30_000)
  stopped.child.kill('SIGTERM')
  const { status, stdout } = await stopped.ended
  expect(status).toBe(7)
  expect(JSON.parse(stdout)).toMatchObject({ stopped: 'aborted', counts: { unknown: 0 } })
  mock.faults.remove(rule.id)
  expect(await run()).toMatchObject({ status: 0 })
  expect(emails(mock).toSorted()).toEqual(people.toSorted())
})

test('the exit code tells cron: rows that need a person, and settings that are wrong', async () => {
  const { mock, run, start } = await night([
    quiz('ada@example.com'),
    quiz('not an address'),
    quiz('grace@example.com', 'yesterday'),
  ])
  expect(await run()).toMatchObject({ status: 3, counts: { created: 1, rejected: 2 } })
  expect(emails(mock)).toEqual(['ada@example.com'])
  expect(await start({ LEDGER: 'relative.ledger' }).ended).toMatchObject({ status: 2 })
  expect(await start({ COURSES: '/nowhere.json' }).ended).toMatchObject({ status: 1, stderr: 'failed: ENOENT\n' })
})

test('a report that cannot be written hides nothing that was sent, and the next run invites nobody twice', async () => {
  const { mock, start, run } = await night([quiz('ada@example.com')])
  const { status, stdout, stderr } = await start({ REPORT: '/nowhere/report.json' }).ended
  expect([status, stderr]).toEqual([1, 'failed: ENOENT\n'])
  expect(JSON.parse(stdout)).toMatchObject({ counts: { created: 1 } })
  expect(await run()).toMatchObject({ status: 0, counts: { created: 0 } })
  expect(emails(mock)).toHaveLength(1)
})

test('a run that the service stops says so, and the next one does all of it', async () => {
  const people = Array.from({ length: 12 }, (_, index) => `person${index}@example.com`)
  const { mock, start, run } = await night(people.map((email) => quiz(email)))
  const refused = await start({ CERTIFY_API_KEY: 'ck_wrong' }).ended
  expect(refused.status).toBe(7)
  expect(JSON.parse(refused.stdout)).toMatchObject({
    stopped: 'error',
    code: 'UNAUTHENTICATED',
    counts: { created: 0 },
  })
  expect(await run()).toMatchObject({ status: 0, counts: { created: 12 } })
  expect(emails(mock).toSorted()).toEqual(people.toSorted())
})

test('a run without a service ends, and sends nothing', async () => {
  const { mock, start } = await night([quiz('ada@example.com')])
  await mock.close()
  const { status, stdout } = await start().ended
  expect(status).toBe(7)
  expect(JSON.parse(stdout)).toMatchObject({ code: 'UNREACHABLE', remaining: 1 })
})

test('the rate is that of the whole run', async () => {
  const { mock, run } = await night(Array.from({ length: 6 }, (_, index) => quiz(`person${index}@example.com`)))
  const { counts } = await run({ RATE: '4' })
  expect(counts['created']).toBe(6)
  const sent = mock.requestLog
    .list()
    .filter(({ operations }) => operations.includes('developerCreateCertificationInvite'))
  const [first, last] = [sent.at(0), sent.at(-1)].map((each) => Date.parse(each?.at ?? ''))
  expect((last ?? 0) - (first ?? 0)).toBeGreaterThan(900)
})

test('neither the output nor the report has a key, a candidate or a link: rows are numbers of the export', async () => {
  const { mock, run, report, start } = await night([
    quiz('ada@example.com'),
    quiz('cut-after@candidate.test'),
    quiz('no address'),
  ])
  const { printed, status } = await run()
  expect(status).toBe(6)
  const { stdout, stderr } = await start({ COURSES: '/nowhere.json' }).ended
  expectNoSecrets(printed + report() + stdout + stderr, mock, 'Byron', 'no address')
})
