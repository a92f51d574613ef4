import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { survive } from '../ledger/survival.mjs'

/* The long form: npm run harness -- --kills 200 --rows 2000 */
test.each([
  { processes: 1, kills: 6, rows: 120 },
  { processes: 2, kills: 4, rows: 80 },
])(
  'a campaign that is killed again and again, in $processes processes at once, over a service full of faults, invites nobody twice, loses nobody and says nothing false',
  async (options) => {
    const figures = await survive(options)
    expect(figures).toMatchObject({ duplicates: 0, lost: 0, unsaid: 0, falsehoods: [] })
    expect(figures.kills).toBeGreaterThan(0)
    expect(figures.unknown).toBeLessThanOrEqual(figures.unknownAtMost)
  },
)

test('on a full disk a campaign ends with one clear error, and nothing was sent that is not recorded', async () => {
  const { mock, setting } = await raceSetting({ rows: 2000, concurrency: 8, timeoutMs: 5000 })
  const script = join(import.meta.dirname, '../ledger/campaign-process.mjs')
  /* No file may grow beyond 300 kB. */
  const limited = ['-c', 'ulimit -f 300; exec "$0" "$@"', process.execPath, script, JSON.stringify(setting)]
  const { stdout, stderr } = await promisify(execFile)('bash', limited)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect({ stderr, last: lines.at(-1) }).toMatchObject({
    stderr: '',
    last: {
      type: 'finished',
      summary: { stopped: 'error', error: { code: 'LEDGER_UNUSABLE', outcome: 'not-executed' } },
    },
  })
  expect(mock.invites.length).toBeGreaterThan(0)
  expect(mock.invites.length).toBeLessThan(2000)
  const ledger = await openLedger({ path: setting.path })
  onTestFinished(() => ledger.close())
  /* What was on its way when the disk was full is unknown now; everything else is on record as it is. */
  const states: Record<string, number> = {}
  for await (const { state } of ledger.list()) states[state] = (states[state] ?? 0) + 1
  expect(states['unknown']).toBeLessThanOrEqual(setting.concurrency)
  const recorded = new Set<string>()
  for await (const { input } of ledger.list()) recorded.add(input.candidate.email)
  expect(mock.invites.filter(({ candidate }) => !recorded.has(candidate.email))).toEqual([])
})

test('of three processes that invite the same candidates at once, one sends each invite, and all get it', async () => {
  const { mock, setting } = await raceSetting({ rows: 40 })
  const script = join(import.meta.dirname, '../ledger/claim-process.mjs')
  const run = () => promisify(execFile)(process.execPath, [script, JSON.stringify(setting)])
  const ends = await Promise.all([run(), run(), run()])
  expect(mock.invites).toHaveLength(setting.rows)
  const expected = mock.invites.map(({ inviteId }) => inviteId)
  for (const { stdout, stderr } of ends) {
    expect({ stderr, invites: JSON.parse(stdout) }).toEqual({ stderr: '', invites: expected })
  }
})

async function raceSetting<Options extends { rows: number }>(options: Options) {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-race-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { mock, setting: { ...options, url, apiKey: mock.apiKey, path: join(folder, 'race.ledger') } }
}
