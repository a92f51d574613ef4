import { env } from 'node:process'
import { expect, test } from 'vitest'
import { bundled } from './bundle.mjs'
import { type Explored, type Found, RANDOM, scenarios } from './index.ts'

/* Printed, so that a run can be repeated: EXPLORE_SEED=… npm run test:exploration */
const SEED = Number(env['EXPLORE_SEED'] ?? Date.now() % 1_000_000_000)
const SCHEDULES = 5_000

const exploration = bundled()

test.each(scenarios(false))('every interleaving keeps the rules: $name, $faults faults', async (scenario) => {
  const { asTest, exploreAll } = await exploration
  const explored = await exploreAll(scenario)
  print(`${scenario.name}, ${scenario.faults} faults`, explored)
  expect(explored.found && asTest(explored.found)).toBeUndefined()
  expect(explored.states).toBeGreaterThan(10)
})

test('random schedules with many faults keep the rules', async () => {
  const { asTest, exploreRandom, shortened } = await exploration
  const explored = await exploreRandom(RANDOM, SEED, SCHEDULES)
  print(`random, seed ${SEED}`, explored)
  expect(explored.found && asTest(await shortened(explored.found))).toBeUndefined()
  expect(explored.schedules).toBe(SCHEDULES)
})

test('the same seed runs the same schedules', async () => {
  const { exploreRandom } = await exploration
  const runs = await Promise.all(
    [exploreRandom(RANDOM, 1, 20), exploreRandom(RANDOM, 1, 20)].map(async (run) => (await run).depth),
  )
  expect(runs[0]).toBe(runs[1])
})

function print(
  name: string,
  { states, schedules, depth, seconds }: Omit<Explored, 'found'> & { found?: Found | undefined },
): void {
  console.log(`${name}: ${states} states, ${schedules} schedules, at most ${depth} steps, ${seconds.toFixed(1)} s`)
}
