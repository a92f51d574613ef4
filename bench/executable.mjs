// How long the single executable takes to start, beside an empty program on the same Node.js; in turns.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge, print, quantile } from './table.mjs'

const ROUNDS = 40
const [node = process.execPath] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'certify-executable-'))
const executable = join(folder, 'certify')
const empty = join(folder, 'empty.cjs')
writeFileSync(empty, '')
execFileSync(node, [join(import.meta.dirname, '../build/executable.mjs'), '--output', executable], {
  cwd: join(import.meta.dirname, '..'),
})

const programs = [
  { name: 'an empty program', words: [node, empty] },
  { name: 'certify --version', words: [executable, '--version'] },
  { name: 'certify tracks list --help', words: [executable, 'tracks', 'list', '--help'] },
].map((program) => ({ ...program, took: /** @type {number[]} */ ([]) }))
for (let round = -2; round < ROUNDS; round += 1) {
  for (const { name, words, took } of programs) {
    const [file = '', ...args] = words
    const since = performance.now()
    if (spawnSync(file, args).status !== 0) throw new Error(`${name} failed`)
    if (round >= 0) took.push(performance.now() - since)
  }
}
const [base, version, help] = programs.map(({ took }) => took)
print(
  `The single executable: ${ROUNDS} rounds, ${(statSync(executable).size / 1e6).toFixed(0)} MB`,
  ['', 'median', 'p95'],
  programs.map(({ name, took }) => [name, `${quantile(took).toFixed(1)} ms`, `${quantile(took, 0.95).toFixed(1)} ms`]),
)
console.log()
judge('certify --version, to an empty program', ratio(version), 1.5)
judge('certify tracks list --help, to an empty program', ratio(help), 2)
rmSync(folder, { recursive: true, force: true })

/** @param {readonly number[]} [took] */
function ratio(took = []) {
  return quantile(took.map((ms, round) => ms / (base?.[round] ?? ms)))
}
