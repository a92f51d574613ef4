// How fast a campaign with its durable ledger is, beside a loop that records nothing, and beside what people write today:
// p-limit, fetch, and a line for each result that is on the disk, waited for or not. In turns: a round is one run by each, in another order.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { CONCURRENCY, campaign, ownFolder, rowsOf, startService } from './campaign-setting.mjs'
import { judge, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 7)
const SIZES = [
  { latencyMs: 20, count: 3000, bound: 1 / 0.95 },
  { latencyMs: 0, count: 8000, bound: 1 / 0.5 },
]

const folder = ownFolder()
const service = await startService()
const query = await readFile(`${import.meta.dirname}/../operations/create-invite.graphql`, 'utf8')
let files = 0

for (const { latencyMs, count, bound } of SIZES) await compare(service.urlAfter(latencyMs), latencyMs, count, bound)
service.stop()

/**
 * @param {string} url
 * @param {number} latencyMs
 * @param {number} count
 * @param {number} bound
 */
async function compare(url, latencyMs, count, bound) {
  const runs = [
    { name: 'bare fetch loop', run: bareLoop, took: /** @type {number[]} */ ([]) },
    { name: 'p-limit, fetch, fsync', run: journal, took: /** @type {number[]} */ ([]) },
    { name: 'p-limit, fetch, fsyncSync', run: journalAtOnce, took: /** @type {number[]} */ ([]) },
    { name: 'campaign with ledger', run: withLedger, took: /** @type {number[]} */ ([]) },
  ]
  for (let round = -1; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < runs.length; turn += 1) {
      const each = runs[(round + 1 + turn) % runs.length]
      if (each === undefined) throw new Error('no run')
      const ms = await each.run(url, count)
      /* The first round warms up. */
      if (round >= 0) each.took.push(ms)
    }
  }
  const [bare = [], today = [], atOnce = [], ours = []] = runs.map(({ took }) => took)
  print(
    `${count.toLocaleString('en')} invites at ${latencyMs} ms, concurrency ${CONCURRENCY}: ${ROUNDS} rounds`,
    ['', 'invites a second', 'slowest round', 'fastest', '× bare loop'],
    runs.map(({ name, took }) => [
      name,
      perSecond(count, quantile(took)),
      perSecond(count, Math.max(...took)),
      perSecond(count, Math.min(...took)),
      paired(bare, took).toFixed(2),
    ]),
  )
  console.log()
  judge('the bare loop, to the campaign', paired(ours, bare), bound)
  judge('p-limit, fetch and fsync, to the campaign', paired(ours, today), 1)
  judge('p-limit, fetch and fsyncSync, to the campaign', paired(ours, atOnce), 1)
}

/* Of the rounds one by one: what slows the machine for a while slows both. */
function paired(/** @type {number[]} */ one, /** @type {number[]} */ other) {
  return quantile(one.map((ms, round) => ms / (other[round] ?? Number.NaN)))
}

/** @param {string} url @param {object} input */
async function send(url, input) {
  const response = await fetch(`${url}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ query, variables: { input } }),
  })
  const { data } = await response.json()
  if (typeof data.developerCreateCertificationInvite.inviteId !== 'string') throw new Error('not created')
  return data.developerCreateCertificationInvite
}

/** @param {string} url @param {number} count */
async function bareLoop(url, count) {
  const began = performance.now()
  const rows = rowsOf(count)
  const worker = async () => {
    for (const { input } of rows) await send(url, input)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return performance.now() - began
}

/** @param {string} url @param {number} count */
async function journal(url, count) {
  const began = performance.now()
  files += 1
  const file = await open(join(folder, `${files}.ndjson`), 'a')
  const limit = pLimit(CONCURRENCY)
  const one = async (/** @type {{ row: number, input: object }} */ { row, input }) => {
    const invite = await send(url, input)
    await file.appendFile(`${JSON.stringify({ row, ...invite })}\n`)
    await file.datasync()
  }
  await Promise.all(Array.from(rowsOf(count), (row) => limit(one, row)))
  await file.close()
  return performance.now() - began
}

/** As before, without leaving the event loop. @param {string} url @param {number} count */
async function journalAtOnce(url, count) {
  const began = performance.now()
  files += 1
  const file = openSync(join(folder, `${files}.ndjson`), 'a')
  const limit = pLimit(CONCURRENCY)
  const one = async (/** @type {{ row: number, input: object }} */ { row, input }) => {
    const invite = await send(url, input)
    writeSync(file, `${JSON.stringify({ row, ...invite })}\n`)
    fdatasyncSync(file)
  }
  await Promise.all(Array.from(rowsOf(count), (row) => limit(one, row)))
  closeSync(file)
  return performance.now() - began
}

/** Its sending; what planning takes is told by campaign-rerun.mjs. @param {string} url @param {number} count */
async function withLedger(url, count) {
  files += 1
  const { runMs, counts } = await campaign({ url, path: join(folder, `${files}.ledger`), count })
  if (counts['created'] !== count) throw new Error(`created: ${counts['created']} of ${count}`)
  return runMs
}

/** @param {number} count @param {number} ms */
function perSecond(count, ms) {
  return Math.round((count * 1000) / ms).toLocaleString('en')
}
