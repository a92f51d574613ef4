import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { openPostgresLedger } from '../../src/ledger/postgres/index.ts'
import { createRunner, type World } from '../bin/run.ts'
import { createDatabase } from './server.mjs'

const QUIZ = 'quiz_react_beginner_state'
const CREATE = 'developerCreateCertificationInvite'

test('certify worker --drain sends what is enqueued, prints a row for each wish, and ends', async () => {
  const { certify, enqueue, mock } = await setting()
  await enqueue('hire-1')
  const { code, stdout, stderr } = await certify(['worker', '--drain'])
  expect([code, stdout]).toEqual([0, `hire-1\tcreated\t${mock.invites[0]?.inviteId}\thire-1\t\n`])
  expect(stderr).toMatch(/ledger +postgres:\/\/127\.0\.0\.1:\d+\/test_\w+\?schema=certify/)
  expect(stderr).toMatch(/created +1/)
})

test('certify worker --json prints a line for each wish and a summary, and --quiet the ids of invites', async () => {
  const { certify, enqueue, mock } = await setting()
  await enqueue('hire-1')
  const { code, stdout, stderr } = await certify(['worker', '--drain', '--json', '--rate', '50', '--concurrency', '2'])
  expect([code, stderr]).toEqual([0, ''])
  const [row, summary] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  const invites = [{ inviteId: mock.invites[0]?.inviteId }]
  expect(row).toMatchObject({ type: 'wish', reference: 'hire-1', state: 'created', code: null, invites })
  expect(summary).toMatchObject({ type: 'summary', counts: { created: 1 }, stopped: 'drained' })
  await enqueue('hire-2')
  expect(await certify(['worker', '--drain', '--quiet'])).toMatchObject({ stdout: `${mock.invites[1]?.inviteId}\n` })
})

test('an interrupted worker ends with 0', async () => {
  const { certify } = await setting()
  expect((await certify(['worker'], { interruption: AbortSignal.abort('SIGTERM') })).code).toBe(0)
})

test.each([
  ['unknown', 'cut', 6],
  ['refused', { code: 'BAD_USER_INPUT' }, 3],
] as const)('a drained worker with a wish that is %s ends with its exit code', async (state, fault, exitCode) => {
  const { certify, enqueue, mock } = await setting()
  mock.faults.add({ operation: CREATE, fault })
  await enqueue('hire-1')
  const { code, stderr } = await certify(['worker', '--drain'])
  expect(code).toBe(exitCode)
  expect(stderr).toContain(`certify outbox list --state ${state}`)
})

test('a key that is not accepted ends the worker with 4', async () => {
  const { certify, enqueue } = await setting()
  await enqueue('hire-1')
  expect((await certify(['worker', '--drain'], { env: { CERTIFY_API_KEY: 'wrong' } })).code).toBe(4)
})

test.each([
  ['worker', '--drain'],
  ['outbox', 'list'],
  ['outbox', 'cancel', 'x'],
  ['outbox', 'retry', 'x'],
])('certify %s %s needs a ledger in Postgres', async (...argv) => {
  const { certify } = await setting()
  const { code, stdout, stderr } = await certify(argv, { env: { CERTIFY_LEDGER: undefined } })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('postgres://<user>@<host>/<database>')
})

test('certify outbox lists, cancels and retries', async () => {
  const { certify, enqueue, mock } = await setting()
  mock.faults.add({ operation: CREATE, fault: { code: 'BAD_USER_INPUT' } })
  await enqueue('hire-1')
  await certify(['worker', '--drain'])
  await enqueue('hire-2')
  const listed = await certify(['outbox', 'list', '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { reference: 'hire-2', state: 'waiting', email: 'hire-2@example.com', quizId: QUIZ },
    { reference: 'hire-1', state: 'refused', code: 'BAD_USER_INPUT' },
  ])
  expect((await certify(['outbox', 'list', '--state', 'refused', '--quiet'])).stdout).toBe('hire-1\n')
  expect((await certify(['outbox', 'list', '--fields', 'reference'])).stdout).toBe(
    '[{"reference":"hire-2"},{"reference":"hire-1"}]\n',
  )
  expect((await certify(['outbox', 'cancel', 'hire-2'])).stdout).toMatch(/^hire-2\tcancelled\t/)
  expect((await certify(['outbox', 'retry', 'hire-1'])).stdout).toMatch(/^hire-1\twaiting\t/)
  expect((await certify(['outbox', 'retry', 'hire-2'])).code).toBe(2)
})

test('on a terminal certify outbox list shows the newest 50 in eighty columns, and says how many others there are', async () => {
  const { certify, enqueue } = await setting()
  for (let number = 1; number <= 52; number += 1) await enqueue(`hire-${number}`)
  const { stdout, stderr } = await certify(['outbox', 'list'], { terminal: 80 })
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(51)
  expect(lines[0]).toMatch(/^REFERENCE +STATE +E-MAIL +DUE/)
  expect(lines[1]).toMatch(/^hire-52 +waiting +hire-52@example\.com +\d{4}-\d\d-\d\d/)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(stderr).toContain('2 others are not shown: --limit <number> shows more.')
  const listed = async (...flags: readonly string[]) => (await certify(['outbox', 'list', ...flags])).stdout
  expect((await listed()).trimEnd().split('\n')).toHaveLength(52)
  expect(await listed('--limit', '2', '--quiet')).toBe('hire-52\nhire-51\n')
  expect((await certify(['outbox', 'list', '--limit', '0'])).code).toBe(2)
})

async function setting() {
  const url = await createDatabase(inject('postgres').url)
  const runner = createRunner(createMockServer())
  const listener = await runner.mock.listen()
  onTestFinished(() => listener.close())
  const ledger = await openPostgresLedger({ url })
  onTestFinished(() => ledger.close())
  const { Pool } = (await import('pg')).default
  const pool = new Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const env = { CERTIFY_BASE_URL: listener.url, CERTIFY_LEDGER: url, CERTIFY_ACCOUNT: 'acme' }
  return {
    mock: runner.mock,
    certify: async (argv: readonly string[], world: World = {}) => {
      const ended = await runner.certify(argv, { ...world, env: { ...env, ...world.env } })
      const { password } = new URL(url)
      expect(`${ended.stdout}${ended.stderr}`).not.toContain(password)
      return ended
    },
    enqueue: (reference: string) =>
      ledger.enqueue(
        pool,
        { quizId: QUIZ, candidate: { name: 'Ada Byron', email: `${reference}@example.com` } },
        { account: 'acme', reference },
      ),
  }
}
