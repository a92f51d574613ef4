// What it takes to run a finished campaign again with `certify bulk`, a row, beside the sending of its first run at 20 ms,
// without the start and the plan of that one. The ledger of the finished one is written here, as a first run leaves it.
import { join } from 'node:path'
import { openLedger } from '../dist/ledger/index.js'
import { ACCOUNT, bulk, CONCURRENCY, ownFolder, rowsOf, startService, tableOf } from './campaign-setting.mjs'
import { judge, print, quantile } from './table.mjs'

const ROWS = Number(process.argv[2] ?? 200_000)
const ROUNDS = 5
const FIRST_ROWS = 6000

const service = await startService()
const folder = ownFolder()
const url = service.urlAfter(20)
const ledger = join(folder, 'finished.ledger')
await fill()
const [firstTable, table] = [await tableOf(folder, FIRST_ROWS), await tableOf(folder, ROWS)]
/** @type {{ firstUs: number, againUs: number }[]} */
const rounds = []
for (let round = 0; round < ROUNDS; round += 1) {
  const first = await bulk({ folder, url, table: firstTable })
  if (first.counts['created'] !== FIRST_ROWS) throw new Error(`created: ${first.counts['created']} of ${FIRST_ROWS}`)
  const again = await bulk({ folder, url, table, ledger })
  if (again.counts['already_invited'] !== ROWS)
    throw new Error(`invited: ${again.counts['already_invited']} of ${ROWS}`)
  rounds.push({ firstUs: (first.sendMs * 1000) / FIRST_ROWS, againUs: (again.wholeMs * 1000) / ROWS })
}
service.stop()
print(
  `a finished campaign, run again ${ROUNDS} times`,
  ['', 'rows', 'a row'],
  [
    [
      `its first run at 20 ms, concurrency ${CONCURRENCY}: sending alone`,
      FIRST_ROWS,
      rounds.map((each) => each.firstUs),
    ],
    ['run again: everything', ROWS, rounds.map((each) => each.againUs)],
  ].map(([what, rows, us]) => [
    String(what),
    rows.toLocaleString('en'),
    `${quantile(/** @type {number[]} */ (us)).toFixed(1)} µs`,
  ]),
)
console.log()
judge('again, to the first run', quantile(rounds.map(({ firstUs, againUs }) => againUs / firstUs)), 0.05)

async function fill() {
  const opened = await openLedger(ledger)
  const scope = { baseUrl: url, account: ACCOUNT, world: '' }
  const expiresAt = new Date(Date.now() + 14 * 24 * 60 * 60 * 1000).toISOString()
  /** @type {Promise<unknown>[]} */
  let writing = []
  for (const { row, input } of rowsOf(ROWS)) {
    const reference = crypto.randomUUID()
    const inviteId = `inv_${row}`
    const challengeUrl = `https://certify.example.com/challenge/${inviteId}`
    const invite = { inviteId, status: 'PENDING', challengeUrl, expiresAt, emailSent: true }
    const target = { email: input.candidate.email, quizIds: [input.quizId] }
    writing.push(
      opened
        .claim({ scope, target, reference, input, leaseMs: 60_000, campaign: 'bench', row })
        .then(() => opened.settle(reference, { state: 'created', invites: [invite] })),
    )
    if (writing.length < 1000) continue
    await Promise.all(writing)
    writing = []
  }
  await Promise.all(writing)
  await opened.close()
}
