// Runs the tests of the promises, and writes what they counted into docs/architecture.md: node build/figures.mjs
// It takes about ten minutes. Given files, it reads the output of an earlier run from them instead.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const PAGE = 'docs/architecture.md'
/** @type {readonly (readonly string[])[]} */
const TESTS = [
  ['unit', 'test/src/never-twice.test.ts'],
  ['exploration', 'test/exploration'],
  ['wire', 'test/wire/cuts.test.ts', 'test/wire/responses.test.ts'],
  ['engines', 'test/ledger/survival.test.ts'],
]

const files = process.argv.slice(2)
const output = stripVTControlCharacters(
  files.length > 0 ? files.map((file) => readFileSync(file, 'utf8')).join('') : TESTS.map(run).join(''),
)
/** @type {readonly (readonly [what: string, printed: RegExp, how?: 'count'])[]} */
const rows = [
  ['interleavings explored, each state once', /^.*faults: \d+ states, (\d+) schedules/gm],
  ['states of the ledger and the service in them', /^.*faults: (\d+) states/gm],
  ['random schedules', /^random, seed \d+: \d+ states, (\d+) schedules/gm],
  ['rules of the ledger broken on purpose, each noticed', /^without ".*", after (?=(\d+))/gm, 'count'],
  ['responses cut', /^cut responses\n +(\d+) calls/gm],
  ['other responses', /^whole responses\n +(\d+) calls/gm],
  ['kills of a campaign', /^killed (\d+) times/gm],
  ['random inputs', /^(\d+) inputs/gm],
]
const table = rows.map(([what, pattern, how]) => {
  const found = [...output.matchAll(pattern)].map(([, figure]) => (how === 'count' ? 1 : Number(figure)))
  if (found.length === 0) throw new Error(`no test printed the number of ${what}`)
  return `| ${what} | ${found.reduce((sum, figure) => sum + figure, 0).toLocaleString('en')} |`
})
const [before, after] = readFileSync(PAGE, 'utf8').split(/(?<=<!-- figures -->\n)[\s\S]*?(?=\n<!-- end -->)/)
writeFileSync(PAGE, `${before}\n| What the last run tried | Times |\n|---|---|\n${table.join('\n')}\n${after}`)

/** @param {readonly string[]} test */
function run([project = '', ...paths]) {
  const argv = ['vitest', 'run', '--project', project, ...paths]
  const { status, stdout } = spawnSync('npx', argv, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (status !== 0) throw new Error(`${paths.join(' ')} failed:\n${stdout}`)
  return stdout
}
