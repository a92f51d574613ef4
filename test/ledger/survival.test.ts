import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { fileOf } from './rows.mjs'
import { survive } from './survival.mjs'

/*
 * The long form: npm run harness -- --kills 200 --rows 2000. With more faults, the circuit breaker is open for most of the time: its
 * pauses are real ones.
 */
test.each([
  { processes: 1, kills: 6, rows: 120, faultRate: 0.01 },
  { processes: 2, kills: 4, rows: 80, faultRate: 0.01 },
])(
  'a campaign in $processes processes, killed repeatedly, over a faulty service, invites each row once and reports it',
  async (options) => {
    const figures = await survive(options)
    console.log(`killed ${figures.kills} times: ${figures.duplicates} invited twice, ${figures.lost} lost`)
    expect(figures).toMatchObject({ duplicates: 0, lost: 0, unsaid: 0, falsehoods: [] })
    expect(figures.kills).toBeGreaterThan(0)
    expect(figures.unknown).toBeLessThanOrEqual(figures.unknownAtMost)
  },
)

test('on a full disk bulk ends with one clear error, and everything sent is recorded', async () => {
  const concurrency = 8
  const { mock, setting, folder } = await raceSetting({ rows: 2000 })
  writeFileSync(join(folder, 'rows.csv'), fileOf(setting.rows))
  const program = join(import.meta.dirname, '../../dist/bin/certify.cjs')
  const argv = ['bulk', 'rows.csv', '--yes', '--json', '--ledger', setting.path, '--concurrency', `${concurrency}`]
  /* No file may grow beyond 300 kB. */
  const child = spawn('bash', ['--norc', '-c', 'ulimit -f 300; exec "$0" "$@"', process.execPath, program, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], CERTIFY_BASE_URL: setting.url, CERTIFY_API_KEY: setting.apiKey },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number]
  const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as unknown
  /* On a slow machine lines of progress come first. */
  const error = JSON.parse(stderr.slice(stderr.indexOf('{'))) as unknown
  expect({ code, summary, error }).toMatchObject({
    code: 6,
    summary: { type: 'summary', stopped: 'error', code: 'LEDGER_UNUSABLE' },
    error: { error: { code: 'LEDGER_UNUSABLE' } },
  })
  expect(mock.invites.length).toBeGreaterThan(0)
  expect(mock.invites.length).toBeLessThan(2000)
  const ledger = await openLedger(setting.path)
  onTestFinished(() => ledger.close())
  /*
   * Requests in flight when the disk filled up, and rows recorded ahead of them, become unknown when their leases end;
   * everything else is recorded as it is.
   */
  const { unknown, sending } = (await ledger.check()).records
  expect(unknown + sending).toBeLessThanOrEqual(1.25 * concurrency)
  const recorded = new Set<string>()
  for await (const { input } of ledger.list()) recorded.add(input.candidate.email)
  expect(mock.invites.filter(({ candidate }) => !recorded.has(candidate.email))).toEqual([])
})

async function raceSetting<Options extends { rows: number }>(options: Options) {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-race-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { mock, folder, setting: { ...options, url, apiKey: mock.apiKey, path: join(folder, 'race.ledger') } }
}
