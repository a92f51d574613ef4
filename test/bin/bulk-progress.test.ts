import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { candidates, createBulk } from './bulk.ts'
import type { World } from './run.ts'

/* Erases to the end of the line. */
const CLEAR = '\u001B[K'

/** A run in which each request takes this long by the program's clock. */
async function runAt(requestMs: number, rows: number, world: World, flags: readonly string[] = []) {
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), candidates(rows))
  let now = Date.parse('2030-01-01T00:00:00Z')
  const fetch: typeof mock.fetch = async (url, init) => {
    now += requestMs
    return mock.fetch(url, init)
  }
  const argv = ['bulk', at('x'), '--yes', '--allow-clock-skew', '--concurrency', '1', ...flags]
  return { mock, ended: await run(argv, { fetch, now: () => now, env: { NO_COLOR: '1' }, ...world }) }
}

test.each([
  ['without a terminal', {}, []],
  ['with --json', {}, ['--json']],
  ['with --json at a terminal', { terminal: 80, answers: [] }, ['--json']],
] as const)('%s progress is a line, at most every five seconds', async (_where, world, flags) => {
  const { ended } = await runAt(1000, 17, world, flags)
  const lines = ended.stderr.split('\n').filter((line) => line.includes(' of 17'))
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).toMatch(/^\d+ of 17, 1\/s, \d+ s left\.$/)
  expect(ended.stderr).not.toContain('\r')
  expect(ended.stderr).not.toContain('\u001B')
})

test('a terminal shows the progress with rate and time left on one line, and clears it at the end', async () => {
  const { ended } = await runAt(500, 8, { terminal: 80, answers: [] })
  const bars = ended.stderr.replaceAll(CLEAR, '<clear>').split('\r').slice(1)
  const drawn = bars.slice(0, -1)
  expect(drawn.length).toBeGreaterThan(3)
  for (const bar of drawn) expect(bar).toMatch(/^<clear>\d of 8, \d\/s, \d+ s left$/)
  expect(bars.at(-1)).toMatch(/^<clear> {2}created {2}8\n/)
})

test.each([24, 40, 60])('the progress fits on one line of %d columns', async (terminal) => {
  const { ended } = await runAt(200_000, 9, { terminal, answers: [] })
  const bars = ended.stderr
    .split('\r')
    .slice(1, -1)
    .map((bar) => bar.replace(CLEAR, ''))
  expect(bars.length).toBeGreaterThan(5)
  for (const bar of bars) {
    expect(bar.length).toBeLessThan(terminal)
    expect(bar).toMatch(/\d of 9/)
  }
})

test('a pause that the service asks for is reported once, not per request', async () => {
  const { mock, at, run } = createBulk(createMockServer())
  writeFileSync(at('x'), candidates(4))
  mock.faults.add({
    operation: 'developerCreateCertificationInvite',
    times: 4,
    fault: { status: 429, headers: { 'retry-after': '1' } },
  })
  const { code, stderr } = await run(['bulk', at('x'), '--yes', '--concurrency', '4'], { now: Date.now })
  expect([code, mock.invites.length]).toEqual([0, 4])
  expect(stderr.match(/the service limits requests \(RATE_LIMITED\): waiting 1 s\./g)).toHaveLength(1)
})

test('--json prints no plan, and nothing about a short run', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), candidates(4))
  expect((await run(['bulk', at('x'), '--yes', '--json'])).stderr).toBe('')
  expect((await run(['bulk', at('x'), '--json'], { answers: [], terminal: 80 })).stderr).toBe('')
})
