// How long a process takes that imports a package and ends, beside one that imports an empty package; in turns.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judge, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 60)
const EMPTY = 'an empty package'

const folder = mkdtempSync(join(tmpdir(), 'certify-start-'))
const programs = [EMPTY, 'certify-sdk', 'graphql-request', '@urql/core', '@octokit/graphql', '@apollo/client'].map(
  (name, index) => {
    const specifier = name === EMPTY ? 'empty' : name
    const file = join(folder, `${index}.mjs`)
    const installed = join(folder, 'node_modules', specifier)
    mkdirSync(dirname(installed), { recursive: true })
    if (name !== EMPTY) {
      const at = name === 'certify-sdk' ? '..' : `node_modules/${name}`
      symlinkSync(join(import.meta.dirname, at), installed)
    }
    writeFileSync(file, `import ${JSON.stringify(specifier)}\n`)
    return { name, file, took: /** @type {number[]} */ ([]) }
  },
)
mkdirSync(join(folder, 'node_modules/empty'))
writeFileSync(
  join(folder, 'node_modules/empty/package.json'),
  '{"name":"empty","type":"module","exports":"./index.js"}',
)
writeFileSync(join(folder, 'node_modules/empty/index.js'), 'export {}\n')

for (let round = -2; round < ROUNDS; round += 1) {
  for (let turn = 0; turn < programs.length; turn += 1) {
    const program = programs[(round + 2 + turn) % programs.length]
    if (program === undefined) throw new Error('no program')
    const since = performance.now()
    const { status } = spawnSync(process.execPath, [program.file], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`${program.name} does not start`)
    if (round >= 0) program.took.push(performance.now() - since)
  }
}
rmSync(folder, { recursive: true, force: true })

const empty = programs[0]?.took ?? []
const ratioOf = (/** @type {readonly number[]} */ took) => quantile(took.map((ms, round) => ms / (empty[round] ?? ms)))
print(
  `Starting Node with one import: ${ROUNDS} rounds`,
  ['', 'median', 'p95', '× empty'],
  programs.map(({ name, took }) => [
    name,
    `${quantile(took).toFixed(1)} ms`,
    `${quantile(took, 0.95).toFixed(1)} ms`,
    ratioOf(took).toFixed(2),
  ]),
)
console.log()
judge('to an empty package', ratioOf(programs.find(({ name }) => name === 'certify-sdk')?.took ?? []), 1.4)
