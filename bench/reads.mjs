// How long a ledger of 100,000 records takes to list the few that a program asks for: those whose outcome is unknown, those of one
// account, a page of an order, and what a search finds; and to count all by state. SQLite and Postgres.
import { join } from 'node:path'
import { openLedger } from '../dist/ledger/index.js'
import { openPostgresLedger } from '../dist/ledger/postgres.js'
import { partsOf } from '../test/ledger/built.mjs'
import { startPostgres } from '../test/postgres/server.mjs'
import { ownFolder } from './campaign-setting.mjs'
import { judge, note, quantile } from './table.mjs'

const RECORDS = Number(process.argv[2] ?? 100_000)
const ROUNDS = Number(process.argv[3] ?? 20)
/* One record of so many is unknown, and one belongs to another account. */
const ONE_OF = 1000

/** @type {readonly (readonly [which: string, boundMs: number, reads: readonly (readonly [string, Parameters<import('../dist/ledger/index.js').Ledger['list']>[0]])[]])[]} */
const READS = [
  [
    'four lists',
    20,
    [
      ["{ state: 'unknown' }", { state: 'unknown' }],
      ["{ state: 'unknown', account } of the account with the most", { state: 'unknown', account: 'most' }],
      ['{ account }', { account: 'few' }],
      ['{ account, limit: 50 } of the account with the most', { account: 'most', limit: 50 }],
    ],
  ],
  [
    'three orders, 50 records of an account with few',
    50,
    [
      ["{ orderBy: 'sent' }", { orderBy: 'sent', account: 'few', limit: 50 }],
      ["{ orderBy: 'expiry' }", { orderBy: 'expiry', account: 'few', limit: 50 }],
      ["{ orderBy: 'decided' }", { orderBy: 'decided', account: 'few', limit: 50 }],
    ],
  ],
  [
    'two searches, 50 records',
    250,
    [
      ['{ search } that finds all', { search: 'EXAMPLE', limit: 50 }],
      ['{ search } that finds one', { search: 'first', limit: 50 }],
    ],
  ],
]

const server = await startPostgres()
for (const [name, ledger] of /** @type {const} */ ([
  ['SQLite', await openLedger(join(ownFolder(), 'ledger'))],
  ['Postgres', await openPostgresLedger({ url: await server.createDatabase() })],
])) {
  await fill(ledger)
  for (const [which, bound, reads] of READS) {
    let slowest = 0
    for (const [what, filter] of reads) {
      const median = await medianMs(() => read(ledger.list(filter)))
      console.log(`${name}: list(${what}): ${median} ms`)
      slowest = Math.max(slowest, median)
    }
    judge(`${name}: the slowest of ${which}`, slowest, bound, 'ms')
  }
  note(
    `${name}: progress of a search that finds all`,
    await medianMs(() => ledger.progress(0, { search: 'EXAMPLE' })),
    'ms',
  )
  note(`${name}: revision()`, await medianMs(() => ledger.revision()), 'ms')
  note(`${name}: count({}, { by: 'state' })`, await medianMs(() => ledger.count({}, { by: 'state' })), 'ms')
  await ledger.close()
}
await server.stop()

/** @param {() => Promise<unknown>} work */
async function medianMs(work) {
  const times = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return Number(quantile(times).toFixed(1))
}

/** @param {AsyncIterable<unknown>} list */
async function read(list) {
  const found = []
  for await (const each of list) found.push(each)
  if (found.length === 0) throw new Error('the list is empty')
}

/**
 * Copies of one record: creating each of them would take minutes.
 *
 * @param {Awaited<ReturnType<typeof openLedger>>} ledger
 */
async function fill(ledger) {
  const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }
  const scope = { baseUrl: 'https://certify.test', account: 'most', world: '' }
  const target = { email: input.candidate.email, quizIds: [input.quizId] }
  const { add, claim, records, settle } = partsOf(ledger)
  await settle(/** @type {any} */ (await claim({ scope, target, input, reference: 'first', leaseMs: 60_000 })), {
    state: 'created',
    invites: [{ inviteId: 'first', expiresAt: '2099-01-01T00:00:00.000Z' }],
  })
  for await (const [first] of records()) {
    if (first === undefined) throw new Error('nothing was recorded')
    const { id: _id, ...record } = first
    for (let count = 1; count < RECORDS; count += 1000) {
      const copies = Array.from({ length: 1000 }, (_each, index) => ({
        ...record,
        reference: `${count + index}`,
        emailKey: `${count + index}@example.com`,
        state: index % ONE_OF === 1 ? /** @type {const} */ ('unknown') : record.state,
        scope: { ...scope, account: index % ONE_OF === 2 ? 'few' : scope.account },
        invites: [],
        input: { ...input, candidate: { email: `${count + index}@example.com` } },
        ...(index % ONE_OF === 2 && {
          decision: { at: record.sentAt + count + index, what: /** @type {const} */ ('resolved') },
        }),
      }))
      await add(copies)
    }
  }
}
