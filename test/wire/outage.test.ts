import { expect, test } from 'vitest'
import { FORM, spread } from './matrix.ts'
import { holds, type OutageFigures, type OutageScenario, runOutage, tableOf } from './outage.ts'
import { OUTAGE_FAULTS } from './outage-front.ts'

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
