import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer, type MockExchange } from '../../mock-server/index.ts'
import { seededRandom } from './seeded-random.mjs'
import { createDatabase } from './server.mjs'

/* Needs the built CLI: npm run build. */
const program = join(import.meta.dirname, '../../dist/bin/certify.cjs')
const PROCESSES = 4

/** A service, a database, and a way to run `certify bulk` several times at once. */
async function fleet(rows: number) {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-fleet-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const list = Array.from({ length: rows }, (_, index) => `row-${index + 1}@example.com,quiz_react_beginner_state\n`)
  writeFileSync(join(folder, 'rows.csv'), `email,quiz_id\n${list.join('')}`)
  const env = {
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    CERTIFY_CONFIG_DIR: folder,
    CERTIFY_LEDGER: await createDatabase(inject('postgres').url),
  }
  const start = (...flags: readonly string[]) => {
    const argv = [program, 'bulk', 'rows.csv', '--yes', '--json', '--concurrency', '4', ...flags]
    const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const ended = once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as string | null,
      stderr,
      summary: JSON.parse(stdout.trim().split('\n').at(-1) || 'null') as {
        counts: Record<string, number>
        remaining: number
      },
    }))
    return { child, ended }
  }
  const runAll = (...flags: readonly string[]) =>
    Promise.all(Array.from({ length: PROCESSES }, () => start(...flags).ended))
  return { mock, env, start, runAll }
}

const creates = (log: readonly MockExchange[]) =>
  log.filter(({ operations }) => operations.includes('developerCreateCertificationInvite'))
const time = ({ at }: MockExchange) => Date.parse(at)

test('four processes share the rows of a file: each row is sent once, and each process tells what became of all', async () => {
  const { mock, runAll } = await fleet(400)
  const ends = await runAll()
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ends.map(() => ({ code: 0, stderr: '' })))
  expect(mock.invites).toHaveLength(400)
  for (const { summary } of ends) {
    const { created = 0, already_invited = 0 } = summary.counts
    expect([created + already_invited, summary.remaining]).toEqual([400, 0])
  }
  expect(ends.reduce((sum, { summary }) => sum + (summary.counts['created'] ?? 0), 0)).toBe(400)
})

test('--rate counts for all processes together', async () => {
  const { mock, runAll } = await fleet(160)
  await runAll('--rate', '40')
  const times = creates(mock.requestLog.list())
    .map(time)
    .toSorted((one, other) => one - other)
  expect(times).toHaveLength(160)
  /* Four rates would be 160. A request may be late on a busy machine, and the next ones not. */
  const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length))
  console.log(`the most creates in one second with --rate 40: ${most}`)
  expect(most).toBeLessThan(80)
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3_000)
})

test('a Retry-After that one process gets pauses all', async () => {
  const { mock, runAll } = await fleet(400)
  const operation = 'developerCreateCertificationInvite'
  mock.faults.add({ operation, skip: 60, times: 1, fault: { status: 429, headers: { 'retry-after': '3' } } })
  mock.faults.add({ operation, times: Number.POSITIVE_INFINITY, fault: { delayMs: 20 } })
  const ends = await runAll()
  const log = creates(mock.requestLog.list())
  const limited = log.find(({ status }) => status === 429)
  expect(limited).toBeDefined()
  const pausedAt = limited === undefined ? 0 : time(limited)
  /* What was on its way, and what was claimed. On a busy machine that takes a moment. */
  const during = log.filter((each) => time(each) > pausedAt + 1_000 && time(each) < pausedAt + 2_990)
  expect(during).toEqual([])
  expect(log.some((each) => time(each) >= pausedAt + 3_000)).toBe(true)
  expect(mock.invites).toHaveLength(400)
  for (const { summary } of ends) expect(summary.remaining).toBe(0)
})

test('in an outage one process probes for all, and all go on after it', async () => {
  const { mock, runAll } = await fleet(400)
  const running = runAll('--rate', '60')
  await expect.poll(() => mock.invites.length, { timeout: 20_000 }).toBeGreaterThan(60)
  const outage = mock.faults.add({ times: Number.POSITIVE_INFINITY, fault: 503 })
  const from = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  const until = Date.now()
  outage.remove()
  const ends = await running
  const during = mock.requestLog.list().filter((each) => time(each) >= from && time(each) < until)
  const probes = during.filter(({ operations }) => !operations.includes('developerCreateCertificationInvite'))
  console.log(`an outage of ${until - from} ms: ${during.length - probes.length} creates, ${probes.length} probes`)
  /* One process after 0, 0.5, 1, 2 and 4 seconds; four of them would send four times as many. */
  expect(probes.length).toBeLessThanOrEqual(6)
  expect(probes.length).toBeGreaterThan(1)
  expect(during.length - probes.length).toBeLessThanOrEqual(PROCESSES * 4)
  const last = await runAll()
  expect(new Set(mock.invites.map(({ candidate }) => candidate.email)).size).toBe(mock.invites.length)
  for (const { summary } of [...ends, ...last]) expect(summary.remaining).toBe(0)
  const { created = 0, already_invited = 0, unknown = 0 } = last[0]?.summary.counts ?? {}
  expect(created + already_invited + unknown).toBe(400)
  expect(mock.invites.length).toBeGreaterThanOrEqual(400 - unknown)
})

test('if the database is gone, nothing more is sent, and every process says so', async () => {
  const { mock, env, start } = await fleet(50)
  env.CERTIFY_LEDGER = 'postgres://nobody@127.0.0.1:1/none'
  const { code, stderr } = await start().ended
  expect([code, mock.invites]).toEqual([2, []])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'LEDGER_UNUSABLE', outcome: 'not-executed' } })
})

test('processes that are killed again and again, over a service full of faults, invite nobody twice, lose nobody and say nothing false', async () => {
  const { survive } = await import('../ledger/survival.mjs')
  const seed = Number(process.env['FLEET_SEED'] ?? Date.now() % 1_000_000)
  const rows = Number(process.env['FLEET_ROWS'] ?? 600)
  console.log(`FLEET_SEED=${seed} FLEET_ROWS=${rows}`)
  const ledger = await createDatabase(inject('postgres').url)
  const options = {
    processes: PROCESSES,
    kills: 5,
    rows,
    faultRate: 0.004,
    timeout: '3s',
    ledger,
    random: seededRandom(seed),
  }
  const figures = await survive(options)
  console.log(JSON.stringify(figures))
  expect(figures).toMatchObject({ duplicates: 0, lost: 0, unsaid: 0, falsehoods: [] })
  expect(figures.kills).toBeGreaterThan(0)
  expect(figures.unknown).toBeLessThanOrEqual(figures.unknownAtMost)
}, 180_000)
