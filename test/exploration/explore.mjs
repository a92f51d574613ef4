// Runs every interleaving of the scenarios, then random schedules, and prints what it saw. Exit code 1 after a violation.
//   npm run explore [-- --short] [--seed 1] [--schedules 1000000] [--only "two workers"]
import { cpus } from 'node:os'
import { argv, version } from 'node:process'
import { parseArgs } from 'node:util'
import { bundled } from './bundle.mjs'

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    schedules: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const { short, only, seed, schedules = short ? 10_000 : 1_000_000 } = values

const { asTest, exploreAll, exploreRandom, RANDOM, scenarios } = await bundled()
console.log(`${new Date().toISOString().slice(0, 10)}, Node.js ${version}, ${cpus().length} × ${cpus()[0]?.model}`)
print('scenario', ['faults', 'states', 'schedules', 'steps', 'seconds'])
for (const scenario of scenarios(!short).filter(({ name }) => name.includes(only)))
  report(scenario.name, scenario.faults, await exploreAll(scenario))
report(`random, seed ${seed}`, RANDOM[0]?.faults ?? 0, await exploreRandom(RANDOM, Number(seed), Number(schedules)))

/** @param {string} name @param {number} faults @param {import('./index.ts').Explored} explored */
function report(name, faults, { states, schedules: count, depth, seconds, found }) {
  print(name, [faults, states, count, depth, seconds.toFixed(1)])
  if (found === undefined) return
  process.exitCode = 1
  console.log(`\nViolation. As a test for test/exploration/schedules.test.ts:\n\n${asTest(found)}`)
}

/** @param {string} name @param {readonly (string | number)[]} cells */
function print(name, cells) {
  console.log(`${name.padEnd(52)}${cells.map((cell) => String(cell).padStart(11)).join('')}`)
}
