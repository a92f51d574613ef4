import { expect, test } from 'vitest'
import { bundled } from './bundle.mjs'
import { RANDOM, scenarios } from './index.ts'
import { MUTANTS } from './mutants.mjs'

const exploration = bundled()

test.each(MUTANTS)('a broken rule is detected: $rule', async (mutant) => {
  const { asJson, exploreAll, replay } = await bundled(mutant)
  const [name, faults] = mutant.in
  const scenario = { ...scenarioOf(name), faults }
  const { found, states, seconds } = await exploreAll(scenario)
  if (found === undefined) throw new Error('It can be broken unnoticed.')
  console.log(`without "${mutant.rule}", after ${states} states and ${seconds.toFixed(1)} s:\n${asJson(found)}`)
  expect((await replay(scenario, found.labels)).violation?.rule).toBe(found.rule)
  /* Every step is needed. */
  for (const at of found.labels.keys()) {
    const fewer = await replay(scenario, found.labels.toSpliced(at, 1))
    expect(fewer.violation?.rule === found.rule && fewer.labels.length < found.labels.length - 1).toBe(false)
  }
  const whole = await exploration
  expect((await whole.replay(scenario, found.labels)).violation).toBeUndefined()
})

test('a long random schedule is reduced to the steps that are needed', async () => {
  const mutant = MUTANTS.find(({ rule }) => rule.startsWith('a create is not sent again'))
  const { exploreRandom } = await bundled(mutant)
  const { found } = await exploreRandom(RANDOM, 1, 10_000)
  expect(found?.rule).toBe('once')
  expect(found?.labels.length).toBeLessThanOrEqual(8)
})

function scenarioOf(wanted: string) {
  const scenario = scenarios(false).find(({ name }) => name === wanted)
  if (scenario === undefined) throw new Error(`There is no scenario "${wanted}".`)
  return scenario
}
