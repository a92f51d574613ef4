// What `certify invites list` in a second terminal costs a program that creates invites: it opens and lists a ledger with a
// million records again and again, while the other process commits. No create may become unknown.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { CertifyClient } from '../dist/index.node.js'
import { openLedger } from '../dist/ledger/index.js'
import { createMockServer } from '../dist/mock/index.js'
import { partsOf } from '../test/ledger/built.mjs'
import { ownFolder } from './campaign-setting.mjs'
import { judge } from './table.mjs'

const RECORDS = Number(process.argv[2] ?? 1_000_000)
const FOR_MS = 20_000
const LISTED = 1000

const path = process.argv[3] ?? join(ownFolder(), 'ledger')
await (process.argv[3] === undefined ? openAgainAndAgain() : createAgainAndAgain())

async function openAgainAndAgain() {
  await fill()
  const creator = fork(import.meta.filename, [String(RECORDS), path])
  await once(creator, 'message')
  const until = performance.now() + FOR_MS
  let openings = 0
  for (; performance.now() < until; openings += 1) {
    const ledger = await openLedger(path)
    const entries = ledger.list()[Symbol.asyncIterator]()
    for (let listed = 0; listed < LISTED; listed += 1) await entries.next()
    await ledger.close()
  }
  creator.send('end')
  const [{ created, failed }] = await once(creator, 'message')
  console.log(`${openings} openings of a ledger of ${RECORDS.toLocaleString('en')} records, each listed in part`)
  console.log(`${created} creates of another process meanwhile`)
  judge('creates that became unknown or were not recorded', failed, 0, 'creates')
}

/* Copies of one record: creating each of them would take an hour. */
async function fill() {
  const ledger = await openLedger(path)
  await clientOf(ledger).invites.create(inputOf('first'))
  const { add, records } = partsOf(ledger)
  for await (const [first] of records()) {
    if (first === undefined) throw new Error('nothing was recorded')
    const { id: _id, ...record } = first
    for (let count = 1; count < RECORDS; count += 1000) {
      const copies = Array.from({ length: 1000 }, (_each, index) => {
        const name = `${count + index}`
        const invites = record.invites.map((invite) => ({ ...invite, inviteId: name }))
        return { ...record, reference: name, emailKey: `${name}@example.com`, invites }
      })
      await add(copies)
    }
  }
  await ledger.close()
}

async function createAgainAndAgain() {
  const ledger = await openLedger(path)
  const figures = { created: 0, failed: 0 }
  const client = clientOf(ledger, () => (figures.failed += 1))
  const ending = new AbortController()
  process.once('message', () => ending.abort())
  const lane = async () => {
    while (!ending.signal.aborted) {
      await client.invites.create(inputOf(crypto.randomUUID())).then(
        () => (figures.created += 1),
        () => (figures.failed += 1),
      )
    }
  }
  process.send?.('ready')
  await Promise.all(Array.from({ length: 8 }, lane))
  await ledger.close()
  process.send?.(figures)
}

/** @param {import('../dist/ledger/index.js').Ledger} ledger */
function clientOf(ledger, onUnrecorded = () => {}) {
  const { baseUrl, apiKey, fetch } = createMockServer()
  return new CertifyClient({ baseUrl, apiKey, fetch, ledger, hooks: { onUnrecorded } })
}

/** @param {string} name */
function inputOf(name) {
  return { quizId: 'quiz_react_beginner_state', candidate: { name: 'Ada', email: `${name}@example.com` } }
}
