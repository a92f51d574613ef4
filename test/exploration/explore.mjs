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
const { short, only } = values
const seed = Number(values.seed)
const schedules = Number(values.schedules ?? (short ? 10_000 : 1_000_000))

const { asTest, exploreAll, exploreRandom, RANDOM, scenarios, shortened } = await bundled()
console.log(`${new Date().toISOString().slice(0, 10)}, Node.js ${version}, ${cpus().length} × ${cpus()[0]?.model}`)
console.log(line('scenario', 'faults', 'states', 'schedules', 'steps', 'seconds'))
const total = { states: 0, schedules: 0, seconds: 0 }
/** @type {import("./index.ts").Found[]} */
const found = []
for (const scenario of scenarios(!short).filter(({ name }) => name.includes(only))) {
  const explored = await exploreAll(scenario)
  add(scenario.name, scenario.faults, explored)
}
const random = await exploreRandom(RANDOM, seed, schedules)
add(`random, seed ${seed}`, RANDOM[0]?.faults, random)
console.log(line('in all', '', total.states, total.schedules, '', total.seconds.toFixed(1)))
for (const each of found)
  console.log(`\nViolation. As a test for test/exploration/schedules.test.ts:\n\n${asTest(await shortened(each))}`)
process.exitCode = found.length === 0 ? 0 : 1

/** @param {string} name @param {number | undefined} faults @param {import('./index.ts').Explored} explored */
function add(name, faults, explored) {
  const { states, depth, seconds } = explored
  console.log(line(name, faults ?? '', states, explored.schedules, depth, seconds.toFixed(1)))
  total.states += states
  total.schedules += explored.schedules
  total.seconds += seconds
  if (explored.found !== undefined) found.push(explored.found)
}

/** @param {string} name @param {...(string | number)} cells */
function line(name, ...cells) {
  return `${name.padEnd(52)}${cells.map((cell) => String(cell).padStart(11)).join('')}`
}
