// How long a process takes from start to end, in turns: one that imports a package, compared with one that imports an empty
// package; and the command line, compared with an empty program and a script with fetch.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judge, note, print, quantile } from './table.mjs'
import { startServer } from './with-server.mjs'

const ROUNDS = Number(process.argv[2] ?? 60)

const folder = mkdtempSync(join(tmpdir(), 'certify-start-'))
const server = await startServer()
/* Settings for every Node.js program would cost each of them the same, and blur the ratios. */
const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...inherited } = process.env
const env = {
  ...inherited,
  CERTIFY_BASE_URL: server.url,
  CERTIFY_API_KEY: 'ck_1',
  CERTIFY_CONFIG_DIR: folder,
  XDG_STATE_HOME: folder,
}

const imports = measure('Starting Node.js with one import', [
  importing('an empty package', 'empty'),
  ...['certify-sdk', 'graphql-request', '@urql/core', '@octokit/graphql', '@apollo/client'].map((name) =>
    importing(name),
  ),
])
const certify = join(import.meta.dirname, '../dist/bin/certify.cjs')
const commands = measure('The command line', [
  { name: 'an empty program', args: [write('empty.cjs', '')] },
  { name: 'certify --version', args: [certify, '--version'] },
  { name: 'certify --help', args: [certify, '--help'] },
  { name: 'certify tracks list --json', args: [certify, 'tracks', 'list', '--json'] },
  { name: 'the same request with fetch', args: [write('fetch.mjs', scriptWithFetch())] },
])
server.stop()
rmSync(folder, { recursive: true, force: true })

const [emptyPackage, sdk, graphqlRequest] = imports
const [emptyProgram, version, help, list, script] = commands
console.log()
judge('importing certify-sdk, to an empty package', ratio(sdk, emptyPackage), 1.4)
note('importing graphql-request, to the same', ratio(graphqlRequest, emptyPackage))
judge('certify --version, to an empty program', ratio(version, emptyProgram), 1.25)
judge('certify --help, to an empty program', ratio(help, emptyProgram), 1.6)
judge('certify tracks list --json, to the same request with fetch', ratio(list, script), 0.65)

/**
 * A program that imports a package.
 *
 * @param {string} name
 * @param {string} [specifier]
 */
function importing(name, specifier = name) {
  const installed = join(folder, 'node_modules', specifier)
  mkdirSync(dirname(installed), { recursive: true })
  if (specifier === 'empty') {
    mkdirSync(installed)
    write('node_modules/empty/package.json', '{"name":"empty","type":"module","exports":"./index.js"}')
    write('node_modules/empty/index.js', 'export {}')
  } else {
    const at = specifier === 'certify-sdk' ? '..' : `node_modules/${specifier}`
    symlinkSync(join(import.meta.dirname, at), installed)
  }
  return { name, args: [write(`${specifier.replace('/', '-')}.mjs`, `import ${JSON.stringify(specifier)}`)] }
}

function scriptWithFetch() {
  return `const headers = { 'content-type': 'application/json', 'x-api-key': 'ck_1' }
const body = '{"query":"{ developerCertificationPackageTracks { id } }"}'
const response = await fetch('${server.url}/api/developer/graphql', { method: 'POST', headers, body })
console.log(JSON.stringify(await response.json()))`
}

/**
 * @param {string} name
 * @param {string} text
 */
function write(name, text) {
  const file = join(folder, name)
  writeFileSync(file, `${text}\n`)
  return file
}

/**
 * Runs programs in turns, prints how long they took compared with the first one, and returns their times by round.
 *
 * @param {string} title
 * @param {readonly { name: string, args: readonly string[] }[]} programs
 */
function measure(title, programs) {
  const measured = programs.map((program) => ({ ...program, took: /** @type {number[]} */ ([]) }))
  for (let round = -2; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < measured.length; turn += 1) {
      const program = measured[(round + 2 + turn) % measured.length]
      if (program === undefined) throw new Error('no program')
      const since = performance.now()
      const { status } = spawnSync(process.execPath, program.args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      if (status !== 0) throw new Error(`${program.name} ends with ${status}`)
      if (round >= 0) program.took.push(performance.now() - since)
    }
  }
  print(
    `${title}: ${ROUNDS} rounds`,
    ['', 'median', 'p95', '× empty'],
    measured.map((program) => [
      program.name,
      `${quantile(program.took).toFixed(1)} ms`,
      `${quantile(program.took, 0.95).toFixed(1)} ms`,
      ratio(program, measured[0]).toFixed(2),
    ]),
  )
  return measured
}

/**
 * How many times as long a program took as another, in the median of the rounds.
 *
 * @param {{ took: readonly number[] } | undefined} program
 * @param {{ took: readonly number[] } | undefined} other
 */
function ratio(program, other) {
  return quantile(program?.took.map((ms, round) => ms / (other?.took[round] ?? Number.NaN)) ?? [])
}
