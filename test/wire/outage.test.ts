import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFetch } from '../../src/node/index.ts'
import { run } from '../../bin/program.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ioOf, setVariables } from '../bin/run.ts'
import { FORM, spread } from './matrix.ts'
import { holds, type OutageFigures, type OutageScenario, runOutage, tableOf } from './outage.ts'
import { OUTAGE_FAULTS, startFront } from './outage-front.ts'

const FETCHES = ['global', 'command line'] as const
/* Within the first delays, within the limit, and beyond it. */
const LASTS_MS = [1, 7_000, 590_000, 700_000]
const CONCURRENCIES = [1, 2, 8, 32]
const ROWS = FORM === 'long' ? 120 : 90
/* The creates at which outages begin. */
const SHORT_BEGINNINGS = [[0], [1], [37], [20, 45]]
const BEGINNINGS = FORM === 'long' ? [...SHORT_BEGINNINGS, [2], [1, 2], [20, 45, 70]] : SHORT_BEGINNINGS

test('whatever the outage, at most the requests in flight are lost, and all other rows are sent once', async () => {
  const figures: OutageFigures[] = []
  for (const scenario of scenarios()) figures.push(await runOutage(scenario))
  console.log(tableOf(figures))
  expect(tableOf(figures.filter((each) => !holds(each)))).toBe(tableOf([]))
  expect(figures.length).toBeGreaterThan(FORM === 'long' ? 300 : 50)
})

function* scenarios(): Generator<OutageScenario> {
  let at = 0
  for (const fault of OUTAGE_FAULTS) {
    /* Each silent request takes its time. */
    const [durations, widths] = fault.isSilent === true ? [[1, 7_000], CONCURRENCIES] : [LASTS_MS, CONCURRENCIES]
    for (const begins of BEGINNINGS) {
      for (const lastsMs of spread(durations, ++at, FORM)) {
        const [[concurrency = 1], [fetch = 'global']] = [spread(widths, ++at, 'short'), spread(FETCHES, ++at, 'short')]
        /* The second outage begins only if the first is over. */
        yield {
          fault,
          begins: lastsMs > 600_000 ? begins.slice(0, 1) : begins,
          lastsMs,
          rows: ROWS,
          concurrency,
          fetch,
        }
      }
    }
  }
}

test.each(OUTAGE_FAULTS.filter(({ breaksTls, isUnresolved }) => !breaksTls && !isUnresolved))(
  'certify bulk continues after an outage: $name',
  async (fault) => {
    const folder = mkdtempSync(join(tmpdir(), 'certify-outage-'))
    const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
    const front = await startFront(mock, false, async (creates) => {
      if (creates !== 40) return
      setTimeout(() => void front.end(), 1_200)
      await front.begin(fault)
    })
    onTestFinished(async () => {
      await front.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const rows = Array.from({ length: 100 }, (_each, index) => `row-${index + 1}@example.com\n`)
    const file = join(folder, 'rows.csv')
    writeFileSync(file, `email\n${rows.join('')}`)
    const env = {
      CERTIFY_BASE_URL: front.url,
      CERTIFY_API_KEY: mock.apiKey,
      CERTIFY_CONFIG_DIR: folder,
      XDG_STATE_HOME: folder,
    }
    const argv = [
      'bulk',
      file,
      '--yes',
      '--json',
      '--timeout',
      fault.isSilent === true ? '400ms' : '20s',
      '--quiz-id',
      'quiz_react_beginner_state',
    ]
    onTestFinished(setVariables(env))
    const { io, stdout } = ioOf(argv, { env, fetch: createFetch() })
    const code = await run(io)
    const summary = JSON.parse(stdout().trimEnd().split('\n').at(-1) ?? '') as {
      readonly counts: Readonly<Record<string, number>>
      readonly remaining: number
    }
    const { unknown = 0, created = 0 } = summary.counts
    expect([code, summary.remaining, created + unknown]).toEqual([unknown > 0 ? 6 : 0, 0, 100])
    expect(unknown).toBeLessThanOrEqual(8)
    expect(new Set(mock.invites.map(({ candidate }) => candidate.email)).size).toBe(mock.invites.length)
    expect(mock.invites.length).toBeGreaterThanOrEqual(created)
  },
)
