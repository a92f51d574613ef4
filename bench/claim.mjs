// How many sends per second a ledger on Postgres claims and settles, compared with the minimum that records a send durably:
// a row is inserted and committed, then updated and committed. Both with fsync, in turns, on one server.
import { Pool } from 'pg'
import { openPostgresLedger } from '../dist/ledger/postgres.js'
import { partsOf } from '../test/ledger/built.mjs'
import { startPostgres } from '../test/postgres/server.mjs'
import { judge, note, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 5)
const SENDS = Number(process.argv[3] ?? 1000)
const AT_ONCE = 8
const SCOPE = { baseUrl: 'https://certify.test/api/developer/graphql', account: 'bench', world: '' }

const server = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } })
const ledger = await openPostgresLedger({ url: await server.createDatabase() })
const parts = partsOf(ledger)
const pool = new Pool({ connectionString: await server.createDatabase(), max: AT_ONCE })
await pool.query('CREATE TABLE sends (id bigserial PRIMARY KEY, reference text UNIQUE, record text)')

const ways = [
  { name: 'two commits by hand', send: byHand, rates: /** @type {number[]} */ ([]) },
  { name: 'claim and settle', send: byLedger, rates: /** @type {number[]} */ ([]) },
]
let count = 0
for (let round = -1; round < ROUNDS; round += 1) {
  for (const { send, rates } of round % 2 === 0 ? ways : ways.toReversed()) {
    const began = performance.now()
    let left = SENDS
    const lane = async () => {
      while (left-- > 0) await send(++count)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    if (round >= 0) rates.push((SENDS * 1000) / (performance.now() - began))
  }
}
await Promise.all([ledger.close(), pool.end()])
await server.stop()

print(
  `${SENDS} sends on Postgres, ${AT_ONCE} at once: ${ROUNDS} rounds`,
  ['', 'sends a second'],
  ways.map(({ name, rates }) => [name, quantile(rates).toFixed(0)]),
)
console.log()
const [byHandRates = [], ledgerRates = []] = ways.map(({ rates }) => rates)
note('sends a second that the ledger claims and settles', Math.round(quantile(ledgerRates)), 'a second')
judge(
  'sends a second by two commits by hand, to the ledger',
  quantile(byHandRates.map((rate, round) => rate / (ledgerRates[round] ?? Number.NaN))),
  4,
)

/** @param {number} number */
async function byHand(number) {
  const record = JSON.stringify(inputOf(number))
  const { rows } = await pool.query('INSERT INTO sends (reference, record) VALUES ($1, $2) RETURNING id', [
    `send-${number}`,
    record,
  ])
  await pool.query('UPDATE sends SET record = $2 WHERE id = $1', [rows[0].id, record])
}

/** @param {number} number */
async function byLedger(number) {
  const input = inputOf(number)
  const reference = `send-${number}`
  const claim = await parts.claim({
    scope: SCOPE,
    target: { email: input.candidate.email, packageId: undefined, quizIds: [input.quizId] },
    reference,
    input,
    leaseMs: 60_000,
  })
  if (claim.kind !== 'claimed') throw new Error(`a new candidate is ${claim.kind}`)
  await parts.settle(claim, { state: 'not-executed', code: 'BAD_USER_INPUT' })
}

/** @param {number} number */
function inputOf(number) {
  return { quizId: 'quiz_react_beginner_state', candidate: { email: `candidate-${number}@example.com` } }
}
