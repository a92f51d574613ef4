import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { expect, test } from 'vitest'
import { bundled } from './bundle.mjs'
import { type Explored, type Found, RANDOM, scenarios } from './index.ts'
import { MUTANTS } from './mutants.mjs'

/* Printed, so that a run can be repeated: EXPLORE_SEED=… npm run test:exploration */
const SEED = Number(env['EXPLORE_SEED'] ?? Date.now() % 1_000_000_000)
const SCHEDULES = 10_000

const exploration = bundled()

test.each(scenarios(false))('every interleaving keeps the rules: $name, $faults faults', async (scenario) => {
  const { asTest, exploreAll } = await exploration
  const explored = await exploreAll(scenario)
  print(`${scenario.name}, ${scenario.faults} faults`, explored)
  expect(explored.found && asTest(explored.found)).toBeUndefined()
  expect(explored.states).toBeGreaterThan(100)
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

test.each(MUTANTS)('a broken rule is found: $rule', async (mutant) => {
  const { asTest, exploreAll, replay } = await bundled(mutant)
  const scenario = { ...scenarioOf(mutant.scenario), faults: mutant.faults }
  const { found, ...explored } = await exploreAll(scenario)
  print(`without: ${mutant.rule}`, explored)
  if (found === undefined) throw new Error('It can be broken unnoticed.')
  console.log(asTest(found))
  expect((await replay(scenario, found.labels)).violation?.rule).toBe(found.rule)
  /* Every step is needed. */
  for (const at of found.labels.keys()) {
    const fewer = await replay(scenario, found.labels.toSpliced(at, 1))
    expect(fewer.violation?.rule === found.rule && fewer.labels.length < found.labels.length - 1).toBe(false)
  }
  const whole = await exploration
  expect((await whole.replay(scenario, found.labels)).violation).toBeUndefined()
})

test('a long schedule is shortened to the steps that are needed', async () => {
  const mutant = MUTANTS.find(({ rule }) => rule.startsWith('a create is not sent again'))
  const { exploreRandom, shortened } = await bundled(mutant)
  const { found } = await exploreRandom(RANDOM, 1, 10_000)
  const short = found && (await shortened(found))
  expect(short?.rule).toBe('once')
  expect(short?.labels.length).toBeLessThanOrEqual(8)
})

test('every mutant has its place in the sources', () => {
  for (const { rule, file, from } of MUTANTS) {
    const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
    expect([rule, source.split(from).length]).toEqual([rule, 2])
  }
})

function scenarioOf(wanted: string) {
  const scenario = scenarios(false).find(({ name }) => name === wanted)
  if (scenario === undefined) throw new Error(`There is no scenario "${wanted}".`)
  return scenario
}

function print(
  name: string,
  { states, schedules, depth, seconds }: Omit<Explored, 'found'> & { found?: Found | undefined },
): void {
  console.log(`${name}: ${states} states, ${schedules} schedules, at most ${depth} steps, ${seconds.toFixed(1)} s`)
}
