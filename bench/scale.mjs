// What an invite costs a ledger on Postgres: time, processor, log, disk, dead rows. And how many processes so many invites a
// day need, by Little's law, with a simulation of how long they wait. The first argument is the number of invites.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { sql, startPostgres } from '../test/postgres/server.mjs'
import { print, quantile } from './table.mjs'

/** @type {typeof import('../src/ledger/postgres.ts')} */
const { openPostgresLedger } = await import(new URL('../dist/ledger/postgres.js', import.meta.url).href)

const INVITES = Number(process.argv[2] ?? 50_000)
const AT_ONCE = 32
const TICKS_PER_SECOND = 100
const DAY_S = 86_400

const durable = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_wal_size: '4GB',
  autovacuum: 'off',
}
const postgres = await startPostgres({ settings: { ...durable, shared_buffers: '1GB' } })
const rows = async (/** @type {string} */ query) =>
  JSON.parse(await sql(postgres.url, `SELECT json_agg(q) FROM (${query}) AS q`))
const ledger = await openPostgresLedger({ url: postgres.url })
const scope = { baseUrl: 'https://certify.example.com', account: 'bench', world: '' }

/* One at a time first: the time that a caller waits if nothing else keeps the machine busy. */
const took = { claim: /** @type {number[]} */ ([]), settle: /** @type {number[]} */ ([]) }
for (let number = 0; number < 500; number += 1) await send(`first-${number}`, number)
const ledgerMs = quantile(took.claim) + quantile(took.settle)
const alone = { claim: quantile(took.claim), settle: quantile(took.settle) }

const before = { log: await logPosition(), processor: processorSeconds(), at: performance.now() }
let next = 0
await Promise.all(Array.from({ length: AT_ONCE }, sendAll))
const seconds = (performance.now() - before.at) / 1000
const logBytes = (await logPosition()) - before.log
const processor = processorSeconds() - before.processor

const tables = await statistics()
const vacuumed = performance.now()
await sql(postgres.url, 'VACUUM (ANALYZE)')
const vacuumS = (performance.now() - vacuumed) / 1000
const version = await sql(postgres.url, "SELECT current_setting('server_version')")

const bytes = tables.reduce((sum, { table, indexes }) => sum + table + indexes, 0)
const processorMs = (processor / INVITES) * 1000
console.log(
  `${INVITES.toLocaleString('en')} invites, ${AT_ONCE} at once, ${availableParallelism()} cores for everything, PostgreSQL ${version}, fsync on, autovacuum off`,
)
print(
  'What an invite costs',
  ['', 'an invite'],
  [
    ['claim, one at a time, median', `${alone.claim.toFixed(2)} ms`],
    ['settlement, one at a time, median', `${alone.settle.toFixed(2)} ms`],
    ['processor time of Postgres', `${processorMs.toFixed(2)} ms`],
    ['log (WAL)', `${(logBytes / INVITES / 1000).toFixed(2)} kB`],
    ['tables and indexes', `${(bytes / INVITES / 1000).toFixed(2)} kB`],
    ['vacuum afterwards', `${((vacuumS / INVITES) * 1000).toFixed(3)} ms`],
    ['invites a second here', (INVITES / seconds).toFixed(0)],
  ],
)
print(
  'Tables',
  ['', 'table', 'indexes', 'dead rows an invite', 'updates without index'],
  tables.map(({ name, table, indexes, dead, hot, updates }) => [
    name,
    `${(table / 1e6).toFixed(1)} MB`,
    `${(indexes / 1e6).toFixed(1)} MB`,
    (dead / INVITES).toFixed(2),
    updates === 0 ? '' : `${((100 * hot) / updates).toFixed(0)} %`,
  ]),
)

print(
  "Little's law: invites on their way = invites a second × time of one. All day evenly, and in 8 hours",
  ['invites a day', 'a second', 'on their way at 200 ms', 'cores of Postgres', 'log a day', 'disk in 14 days'],
  [1e6, 1e7, 1e8].flatMap((perDay) =>
    [DAY_S, DAY_S / 3].map((span) => {
      const perSecond = perDay / span
      return [
        `${perDay.toLocaleString('en')}${span === DAY_S ? '' : ', in 8 h'}`,
        perSecond.toFixed(0),
        ((perSecond * (200 + ledgerMs)) / 1000).toFixed(0),
        ((perSecond * processorMs) / 1000).toFixed(2),
        `${((perDay * logBytes) / INVITES / 1e9).toFixed(1)} GB`,
        `${((14 * perDay * bytes) / INVITES / 1e9).toFixed(0)} GB`,
      ]
    }),
  ),
)
print(
  'Simulated: how long an invite waits for a free place, if they come at random, 200 ms each',
  ['invites a day, in 8 h', 'at once', 'busy', 'wait, median', '99 %', 'longest'],
  [1e6, 1e8].flatMap((perDay) =>
    [1.02, 1.1, 1.5].map((spare) => {
      const perSecond = perDay / (DAY_S / 3)
      const serviceS = (200 + ledgerMs) / 1000
      const workers = Math.ceil(perSecond * serviceS * spare)
      const waits = simulate({ perSecond, serviceS, workers, count: 300_000 })
      const ms = (/** @type {number} */ share) => `${(quantile(waits, share) * 1000).toFixed(0)} ms`
      const busy = (100 * perSecond * serviceS) / workers
      return [perDay.toLocaleString('en'), String(workers), `${busy.toFixed(0)} %`, ms(0.5), ms(0.99), ms(1)]
    }),
  ),
)

await ledger.close()
await postgres.stop()

async function sendAll() {
  while (next < INVITES) {
    const number = next++
    await send(`candidate-${number}`, number)
  }
}

async function send(/** @type {string} */ name, /** @type {number} */ number) {
  const [reference, email] = [crypto.randomUUID(), `${name}@example.com`]
  const input = { quizId: `quiz-${number % 40}`, candidate: { email, name } }
  const began = performance.now()
  const target = { email, quizIds: [input.quizId] }
  const { kind } = await ledger.claim({ scope, target, reference, input, leaseMs: 60_000 })
  if (kind !== 'claimed') throw new Error(`not claimed: ${kind}`)
  const claimed = performance.now()
  const invite = {
    inviteId: crypto.randomUUID(),
    challengeUrl: `https://certify.example.com/challenge/${crypto.randomUUID()}`,
    expiresAt: new Date(Date.now() + 14 * DAY_S * 1000).toISOString(),
    status: 'PENDING',
    emailSent: true,
  }
  const settled = await ledger.settle(reference, { state: 'created', invites: [invite] })
  if (settled !== 'recorded') throw new Error(`not recorded: ${settled}`)
  took.claim.push(claimed - began)
  took.settle.push(performance.now() - claimed)
}

/* A queue with random arrivals and so many workers, in the order of arrival. Its seed is fixed. */
function simulate(/** @type {{ perSecond: number, serviceS: number, workers: number, count: number }} */ given) {
  const { perSecond, serviceS, workers, count } = given
  let state = 12_345
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return (state + 1) / 2_147_483_649
  }
  /* All take the same time: the worker that is free first is always the next one. */
  const freeAt = new Float64Array(workers)
  const waits = []
  for (let number = 0, now = 0; number < count; number += 1) {
    now -= Math.log(random()) / perSecond
    const worker = number % workers
    const start = Math.max(now, freeAt[worker] ?? 0)
    freeAt[worker] = start + serviceS
    waits.push(start - now)
  }
  return waits
}

async function logPosition() {
  return Number(await sql(postgres.url, "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8"))
}

/** @returns {Promise<{ name: string, table: number, indexes: number, dead: number, hot: number, updates: number }[]>} */
async function statistics() {
  return rows(`
    SELECT relname AS name, pg_table_size(relid) AS table, pg_indexes_size(relid) AS indexes, n_dead_tup AS dead,
      n_tup_hot_upd AS hot, n_tup_upd AS updates
    FROM pg_stat_user_tables WHERE n_live_tup > 10 ORDER BY 2 DESC`)
}

/* Of all processes of the server. A connection that has ended is not counted: none does. */
function processorSeconds() {
  const main = readFileSync(`${postgres.folder}/data/postmaster.pid`, 'utf8').split('\n')[0]
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statOf(pid))
    .filter(({ pid, parent }) => pid === main || parent === main)
    .reduce((sum, { ticks }) => sum + ticks / TICKS_PER_SECOND, 0)
}

function statOf(/** @type {string} */ pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { pid, parent: fields[1], ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return { pid, parent: undefined, ticks: 0 }
  }
}
