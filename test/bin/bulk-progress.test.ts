import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { candidates, createBulk } from './bulk.ts'
import type { World } from './run.ts'

/* To the end of the line. */
const CLEAR = '\u001B[K'

/** A run in which each request takes so long by the program's clock. */
async function runAt(requestMs: number, rows: number, world: World) {
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), candidates(rows))
  let now = Date.parse('2030-01-01T00:00:00Z')
  const fetch: typeof mock.fetch = async (url, init) => {
    now += requestMs
    return mock.fetch(url, init)
  }
  const argv = ['bulk', at('x'), '--yes', '--allow-clock-skew', '--concurrency', '1']
  return { mock, ended: await run(argv, { fetch, now: () => now, env: { NO_COLOR: '1' }, ...world }) }
}

test('without a terminal how far it is stands on a line, at most every five seconds', async () => {
  const { ended } = await runAt(1000, 17, {})
  const lines = ended.stderr.split('\n').filter((line) => line.includes(' of 17'))
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).toMatch(/^\d+ of 17, 1\/s, \d+ s left\.$/)
  expect(ended.stderr).not.toContain('\r')
  expect(ended.stderr).not.toContain('\u001B')
})

test('on a terminal a bar with the rate and the time left is drawn over itself, and taken away in the end', async () => {
  const { ended } = await runAt(500, 8, { terminal: 80, answers: [] })
  const bars = ended.stderr.replaceAll(CLEAR, '<clear>').split('\r').slice(1)
  /* How many rows a bar counts depends on when it is drawn; what it draws depends on that alone. */
  const drawn = bars.slice(0, -1).map((each) => /^<clear>\[(#*)-*\] {2}(\d) of 8, \d\/s, \d+ s left$/.exec(each))
  expect(drawn.length).toBeGreaterThan(3)
  for (const bar of drawn) expect(bar?.[1]).toHaveLength(Math.round((Number(bar?.[2]) / 8) * 30))
  expect(bars.at(-1)).toMatch(/^<clear> {2}created {2}8\n/)
})

test.each([24, 40, 60])('on a terminal of %d columns the bar stays on its line', async (terminal) => {
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

test('a pause that the service asks for is told, once for all who wait', async () => {
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

test('with --json neither the plan nor the progress is told', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), candidates(4))
  expect((await run(['bulk', at('x'), '--yes', '--json'])).stderr).toBe('')
  expect((await run(['bulk', at('x'), '--json'], { answers: [], terminal: 80 })).stderr).toBe('')
})
