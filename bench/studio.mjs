// How long `certify studio` takes for each view of a ledger of 100,000 records on SQLite, and the memory of its process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openLedger } from '../dist/ledger/index.js'
import { partsOf } from '../test/ledger/built.mjs'
import { ownFolder } from './campaign-setting.mjs'
import { judge, quantile } from './table.mjs'

const RECORDS = Number(process.argv[2] ?? 100_000)
const ROUNDS = Number(process.argv[3] ?? 9)
const BOUND_MS = 150
const BOUND_MB = 150
const DAY_MS = 24 * 60 * 60 * 1000

const path = join(ownFolder(), 'ledger')
const ledger = await openLedger(path)
await fill()
await ledger.close()
const program = [join(import.meta.dirname, '../dist/bin/certify.cjs'), 'studio', '--json', '--ledger', path]
const studio = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
const [line] = await once(createInterface(studio.stdout), 'line')
const { url } = JSON.parse(line)
const first = await fetch(url, { redirect: 'manual' })
const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
let slowest = 0
for (const [what, view] of /** @type {const} */ ([
  ['the overview', '/'],
  ['what needs a decision', '/decisions'],
  ['records', '/records'],
  ['records with a state', '/records?status=refused'],
  ['records with a result', '/records?status=passed'],
  ['records that expire soon', '/records?status=expiring'],
  ['a search that matches all', '/records?q=candidate'],
  ['a search that matches one', '/records?q=candidate-777%40'],
  ['a record', '/records/777'],
  ['a campaign', '/records?campaign=campaign-7'],
  ['failed records of a quiz, by expiry', '/records?quiz=quiz_7&status=failed&sort=expiry'],
  ['open records', '/records?status=open'],
  ['decisions', '/decided'],
  ['callbacks', '/callbacks'],
  ['a search for callbacks', '/callbacks?q=candidate-777%40'],
  ['failed callbacks', '/callbacks?status=failed'],
])) {
  /* The fastest counts: other programs on the machine only add. */
  const times = []
  for (let round = -2; round < ROUNDS; round += 1) {
    const began = performance.now()
    const response = await fetch(new URL(view, url), { headers: { cookie } })
    await response.text()
    if (response.status !== 200) throw new Error(`${view}: ${response.status}`)
    if (round >= 0) times.push(performance.now() - began)
  }
  const fastest = Math.round(quantile(times, 0))
  console.log(`the page of ${what}: ${fastest} ms`)
  slowest = Math.max(slowest, fastest)
}
judge(`the slowest of sixteen pages, of ${RECORDS.toLocaleString('en')} records`, slowest, BOUND_MS, 'ms')
if (process.platform === 'linux') {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${studio.pid}/status`, 'utf8')) ?? []
  judge('the most memory it had', Math.round(Number(kilobytes) / 1000), BOUND_MB, 'MB')
}
studio.kill('SIGINT')
await once(studio, 'close')

/** Copies of one record in several campaigns and states, and an event for each tenth: creating each would take minutes. */
async function fill() {
  const input = { quizId: 'quiz', candidate: { email: 'candidate@example.com', name: 'Ada Byron' } }
  const scope = { baseUrl: 'https://certify.test', account: 'default', world: '' }
  const target = { email: input.candidate.email, quizIds: [input.quizId] }
  const { add, claim, records, settle } = partsOf(ledger)
  const claimed = await claim({ scope, target, input, reference: 'first', leaseMs: 60_000, title: 'State and Events' })
  const expiresAt = new Date(Date.now() + 14 * DAY_MS).toISOString()
  const challengeUrl = 'https://certify.test/c/0123456789abcdef'
  await settle(/** @type {any} */ (claimed), {
    state: 'created',
    invites: [{ inviteId: 'first', expiresAt, challengeUrl, quizId: 'quiz', emailSent: true }],
  })
  for await (const [sample] of records())
    for (let from = 0; from < RECORDS; from += 1000)
      await add(Array.from({ length: 1000 }, (_each, index) => copyOf(sample, from + index)))
  const receive = async (/** @type {number} */ index) => {
    const data = { inviteId: `inv_${index}`, result: index % 3 === 0 ? 'PASSED' : 'FAILED' }
    const body = new TextEncoder().encode(JSON.stringify({ type: 'certification.completed', data }))
    const key = `event-${index}`
    await ledger.inbox.append({ key, reference: `${index}`, deliveryId: null, body, receivedAt: Date.now() })
    await ledger.inbox.settle(key, { state: index % 100 === 0 ? 'failed' : 'handled' })
  }
  /* At once, so that they share commits. */
  await Promise.all(Array.from({ length: RECORDS / 10 }, (_each, index) => receive(index)))
}

/**
 * @param {any} record
 * @param {number} index
 */
function copyOf({ id: _id, ...record }, index) {
  const email = `candidate-${index}@example.com`
  const inviteId = `inv_${index}`
  const quizId = `quiz_${index % 40}`
  const state = index % 1000 === 1 ? 'unknown' : index % 50 === 2 ? 'refused' : 'created'
  const expiresAt = Date.now() + ((index % 20) - 3) * DAY_MS
  const invites = [{ ...record.invites[0], inviteId, quizId, expiresAt: new Date(expiresAt).toISOString() }]
  return {
    ...record,
    reference: `${index}`,
    emailKey: email,
    input: { ...record.input, quizId, candidate: { ...record.input.candidate, email } },
    campaign: `campaign-${index % 12}`,
    quizId,
    subjects: [`quiz:${quizId}`],
    state,
    code: state === 'created' ? undefined : 'TIMED_OUT',
    expiresAt,
    invites: state === 'created' ? invites : [],
    results: state === 'created' && index % 3 === 0 ? [{ inviteId, result: index % 2 ? 'passed' : 'failed' }] : [],
  }
}
