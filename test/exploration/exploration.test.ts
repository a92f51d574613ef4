import { env } from 'node:process'
import { expect, test } from 'vitest'
import { bundled } from './bundle.mjs'
import { type Explored, RANDOM, type Scenario, scenarios } from './index.ts'

/* Printed, so that a run can be reproduced: EXPLORE_SEED=… npm run test:exploration */
const SEED = Number(env['EXPLORE_SEED'] ?? Date.now() % 1_000_000_000)
const SCHEDULES = 5_000

const exploration = bundled()

test.each(scenarios(false))('every interleaving keeps the rules: $name, $faults faults', async (scenario) => {
  const { asJson, exploreAll } = await exploration
  const explored = await exploreAll(scenario)
  print(`${scenario.name}, ${scenario.faults} faults`, explored)
  expect(explored.found && asJson(explored.found)).toBeUndefined()
  expect(explored.states).toBeGreaterThan(10)
})

test('random schedules with many faults keep the rules', async () => {
  const { asJson, exploreRandom } = await exploration
  const explored = await exploreRandom(RANDOM, SEED, SCHEDULES)
  print(`random, seed ${SEED}`, explored)
  expect(explored.found && asJson(explored.found)).toBeUndefined()
  expect(explored.schedules).toBe(SCHEDULES)
})

test('the same seed runs the same schedules', async () => {
  const { exploreRandom } = await exploration
  const depths = [await exploreRandom(RANDOM, 1, 20), await exploreRandom(RANDOM, 1, 20)].map(({ depth }) => depth)
  expect(depths[0]).toBe(depths[1])
})

/* A hash that omits something relevant would merge two states, and only the first would be continued. */
test('the order of exploration does not affect which states are seen', async () => {
  const { exploreAll } = await exploration
  const scenario = scenarios(false).find(({ name }) => name === 'two candidates, one reference') as Scenario
  const [forwards, backwards] = [await exploreAll(scenario), await exploreAll(scenario, true)]
  expect(backwards.states).toBe(forwards.states)
})

function print(name: string, { states, schedules, depth, seconds }: Explored): void {
  console.log(`${name}: ${states} states, ${schedules} schedules, at most ${depth} steps, ${seconds.toFixed(1)} s`)
}
