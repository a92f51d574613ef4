// Several processes of `certify bulk` on one ledger in Postgres, in three parts:
//   node bench/prepare.mjs && node bench/fleet.mjs [--rows 50000] [--kills 100] [--processes 8] [--speed-rows 8000] [--creates 400]
// The short form, about a minute: --rows 1000 --kills 6 --processes 4 --speed-rows 800 --creates 100
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ledgers, sdk } from '../test/ledger/built.mjs'
import { survive } from '../test/ledger/survival.mjs'
import { seededRandom } from '../test/postgres/seeded-random.mjs'
import { startPostgres } from '../test/postgres/server.mjs'
import { judge, print, quantile } from './table.mjs'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '50000' },
    kills: { type: 'string', default: '100' },
    processes: { type: 'string', default: '8' },
    'speed-rows': { type: 'string', default: '8000' },
    creates: { type: 'string', default: '400' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
})
const processes = Number(values.processes)
const CONCURRENCY = 8
const LATENCY_MS = 20
const program = join(import.meta.dirname, '../dist/bin/certify.cjs')
/** @type {typeof import('../src/ledger/postgres.ts')} */
const { openPostgresLedger } = await import(new URL('../dist/ledger/postgres.js', import.meta.url).href)

/* As it is installed: what is committed is on the disk. */
const server = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on', max_wal_size: '1GB' } })
const service = fork(join(import.meta.dirname, 'fleet-service.mjs'), [String(LATENCY_MS)])
const [{ url, apiKey, world, servicePid }] = /** @type {any} */ (await once(service, 'message'))
const folder = mkdtempSync(join(tmpdir(), 'certify-fleet-'))
try {
  console.log(
    `${availableParallelism()} cores, Node.js ${process.versions.node}, latency of the service ${LATENCY_MS} ms`,
  )
  await overhead(Number(values.creates))
  await throughput(Number(values['speed-rows']))
  await survival(Number(values.rows), Number(values.kills), Number(values.seed))
} finally {
  service.kill()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** The median of a guarded create against a plain one. @param {number} creates */
async function overhead(creates) {
  const client = new sdk.CertifyClient({ baseUrl: url, apiKey })
  const ledger = await openPostgresLedger({ url: await server.createDatabase() })
  const guarded = ledgers.withLedger(client, ledger, { account: 'bench', world })
  const took = { plain: /** @type {number[]} */ ([]), guarded: /** @type {number[]} */ ([]) }
  for (let index = -20; index < creates; index += 1) {
    for (const [name, each] of /** @type {const} */ ([
      ['plain', client],
      ['guarded', guarded],
    ])) {
      const email = `${name}-${index}@example.com`
      const began = performance.now()
      await each.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email } })
      if (index >= 0) took[name].push(performance.now() - began)
    }
  }
  await ledger.close()
  const rows = Object.entries(took).map(([name, each]) => [
    name,
    `${quantile(each).toFixed(1)} ms`,
    `${quantile(each, 0.95).toFixed(1)} ms`,
  ])
  print(`${creates} creates, one after another`, ['create', 'median', '95 %'], rows)
  judge('a guarded create against a plain one, median', quantile(took.guarded) / quantile(took.plain), 1.25)
}

/** Several processes against one, with the same concurrency each. @param {number} rows */
async function throughput(rows) {
  const perSecond = []
  const table = []
  for (const count of [1, processes]) {
    const ledger = await server.createDatabase()
    writeRows(rows, `${count}-processes`)
    const before = usage()
    const began = performance.now()
    const durations = await Promise.all(Array.from({ length: count }, () => bulk(ledger)))
    const seconds = (performance.now() - began) / 1000
    const used = usage().map((each, index) => (each - (before[index] ?? 0)) / seconds)
    const speed = rows / (Math.max(...durations) / 1000)
    perSecond.push(speed)
    table.push([`${count}`, speed.toFixed(0), seconds.toFixed(1), ...used.map((cores) => cores.toFixed(2))])
  }
  const head = ['processes', 'creates/s', 'seconds with start', 'cores: service', 'Postgres', 'clients']
  print(`${rows} rows, concurrency ${CONCURRENCY} in each process`, head, table)
  console.log(`${processes} processes against one: ${((perSecond[1] ?? 0) / (perSecond[0] ?? 1)).toFixed(2)} ×`)
  console.log(`the latency alone allows one process ${(1000 / LATENCY_MS) * CONCURRENCY} creates a second`)
}

/** Kills of processes and of the database, and faults of the service. @param {number} rows @param {number} kills @param {number} seed */
async function survival(rows, kills, seed) {
  console.log(`\nseed ${seed}`)
  const random = seededRandom(seed)
  let databaseKills = 0
  const running = new AbortController()
  const killer = (async () => {
    while (!running.signal.aborted && databaseKills < kills / 10) {
      await new Promise((resolve) => setTimeout(resolve, 3_000 + 5_000 * random()))
      await server.kill()
      databaseKills += 1
      await new Promise((resolve) => setTimeout(resolve, 1_000 * random()))
      await server.start()
    }
  })()
  const began = performance.now()
  const ledger = await server.createDatabase()
  const figures = await survive({
    processes,
    kills,
    rows,
    faultRate: 0.001,
    timeout: '5s',
    ledger,
    random,
    /* The database was gone for too long. */
    resumable: [2],
  }).finally(() => {
    running.abort()
  })
  await killer
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(JSON.stringify({ ...figures, databaseKills, seconds }, null, 2))
  const { duplicates, lost, unsaid, falsehoods } = figures
  console.log(
    duplicates + lost + unsaid + falsehoods.length === 0
      ? 'held    0 duplicates, 0 lost'
      : 'missed  0 duplicates, 0 lost',
  )
}

function writeRows(/** @type {number} */ rows, /** @type {string} */ name) {
  const lines = Array.from({ length: rows }, (_, index) => `${name}-${index}@example.com,quiz_react_beginner_state\n`)
  writeFileSync(join(folder, 'rows.csv'), `email,quiz_id\n${lines.join('')}`)
}

/** How long the campaign of one process took, in milliseconds. @param {string} ledger */
async function bulk(ledger) {
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: apiKey, CERTIFY_CONFIG_DIR: folder, CERTIFY_LEDGER: ledger }
  const argv = [program, 'bulk', 'rows.csv', '--yes', '--json', '--concurrency', `${CONCURRENCY}`]
  const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let last = ''
  for await (const text of child.stdout.setEncoding('utf8')) last = (last + text).slice(-20_000)
  /* Then its CPU counts. */
  await closed
  const summary = JSON.parse(last.trim().split('\n').at(-1) ?? '')
  if (summary.remaining !== 0) throw new Error('a process did not reach every row')
  return /** @type {number} */ (summary.durationMs)
}

/** Seconds of CPU so far: of the service, the database, and all clients that have ended. */
function usage() {
  const database = Number(readFileSync(join(server.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statOf(Number(pid)))
  const backends = all.filter((each) => each?.parent === database).reduce((sum, each) => sum + (each?.own ?? 0), 0)
  const [postmaster, self, mock] = [statOf(database), statOf(process.pid), statOf(servicePid)]
  return [mock?.own ?? 0, (postmaster?.own ?? 0) + (postmaster?.children ?? 0) + backends, self?.children ?? 0]
}

function statOf(/** @type {number} */ pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
    const at = (/** @type {number} */ index) => (fields[index] ?? 0) / 100
    return { parent: fields[1], own: at(11) + at(12), children: at(13) + at(14) }
  } catch {
    return undefined
  }
}
