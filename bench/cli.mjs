// How long the command line takes from its start to its end, beside an empty program and a script with fetch; in turns.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { judge, print, quantile } from './table.mjs'
import { startServer } from './with-server.mjs'

const ROUNDS = Number(process.argv[2] ?? 40)
/* Further Node.js programs to measure with: paths, separated as in PATH. */
const nodes = (process.env['BENCH_NODES'] ?? process.execPath).split(delimiter)
const dist = join(import.meta.dirname, '../dist')
const certify = join(dist, 'bin/certify.cjs')

const folder = mkdtempSync(join(tmpdir(), 'certify-cli-'))
const server = await startServer()
const script = join(folder, 'fetch.mjs')
const empty = join(folder, 'empty.cjs')
writeFileSync(empty, '')
writeFileSync(
  script,
  `const headers = { 'content-type': 'application/json', 'x-api-key': 'ck_1' }
const response = await fetch('${server.url}/api/developer/graphql', { method: 'POST', headers, body: '{"query":"{ developerCertificationPackageTracks { id } }"}' })
console.log(JSON.stringify(await response.json()))\n`,
)
/* What an administrator may have set for every Node.js program costs each of them the same, and hides the rest. */
const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env
const env = {
  ...rest,
  CERTIFY_BASE_URL: server.url,
  CERTIFY_API_KEY: 'ck_1',
  CERTIFY_CONFIG_DIR: folder,
  XDG_CACHE_HOME: folder,
}

for (const node of nodes) measure(node)
server.stop()
rmSync(folder, { recursive: true, force: true })
console.log()
judge('size of the package, installed', sizeOf(dist) / 1_000, 7_000, 'kB')

/** @param {string} node the program to measure with */
function measure(node) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const programs = [
    { name: 'an empty program', args: [empty] },
    { name: 'certify --version', args: [certify, '--version'] },
    { name: 'certify --help', args: [certify, '--help'] },
    { name: 'completing a word', args: [certify, '__complete', '--', 'tracks', 'view', ''] },
    { name: 'the same POST with fetch', args: [script] },
    { name: 'certify tracks list --json', args: [certify, 'tracks', 'list', '--json'] },
  ].map((program) => ({ ...program, took: /** @type {number[]} */ ([]) }))
  for (let round = -2; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < programs.length; turn += 1) {
      const program = programs[(round + 2 + turn) % programs.length]
      if (program === undefined) throw new Error('no program')
      const since = performance.now()
      const { status, stderr } = spawnSync(node, program.args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
      if (status !== 0) throw new Error(`${program.name} ended with ${status}: ${String(stderr)}`)
      if (round >= 0) program.took.push(performance.now() - since)
    }
  }
  const [base, ...others] = programs
  const [versionAsked, help, word, fetching, list] = others
  if (base === undefined || fetching === undefined) throw new Error('no program')
  print(
    `The command line on Node.js ${version}: ${ROUNDS} rounds`,
    ['', 'median', 'p95', '× empty'],
    programs.map((program) => [
      program.name,
      `${quantile(program.took).toFixed(1)} ms`,
      `${quantile(program.took, 0.95).toFixed(1)} ms`,
      ratio(program, base).toFixed(2),
    ]),
  )
  console.log()
  judge('certify --version, to an empty program', ratio(versionAsked, base), 1.25)
  judge('certify --help, to an empty program', ratio(help, base), 1.6)
  judge('completing a word, to an empty program', ratio(word, base), 2)
  judge(
    'certify tracks list --json, to a script with fetch',
    ratio(list, fetching),
    version.startsWith('v20') ? 0.6 : 0.95,
  )
}

/**
 * How many times as long a program took as another, in the round in the middle.
 *
 * @param {{ took: readonly number[] } | undefined} to
 * @param {{ took: readonly number[] }} from
 */
function ratio(to, from) {
  return quantile((to?.took ?? []).map((ms, round) => ms / (from.took[round] ?? ms)))
}

/**
 * The bytes of all files of a folder.
 *
 * @param {string} path
 * @returns {number}
 */
function sizeOf(path) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)
}
