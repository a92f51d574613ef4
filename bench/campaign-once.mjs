// One way of sending invites, in its own process, as in real use: how long sending takes, and the CPU time of the process.
import { open, readFile } from 'node:fs/promises'
import pLimit from 'p-limit'
import { CONCURRENCY, rowsOf } from './campaign-setting.mjs'

const WAYS = { bareLoop, journal }

const [name, url = '', path = '', rows = '0'] = process.argv.slice(2)
const count = Number(rows)
const query = await readFile(`${import.meta.dirname}/../operations/create-invite.graphql`, 'utf8')
const way = WAYS[/** @type {keyof typeof WAYS} */ (name)]
const sendMs = await way()
const { user, system } = process.cpuUsage()
process.send?.({ sendMs, cpuMs: (user + system) / 1000 })
process.disconnect?.()

/** @param {object} input */
async function send(input) {
  const response = await fetch(`${url}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ query, variables: { input } }),
  })
  const { data } = await response.json()
  if (typeof data.developerCreateCertificationInvite.inviteId !== 'string') throw new Error('not created')
  return data.developerCreateCertificationInvite
}

/* Records nothing. */
async function bareLoop() {
  const began = performance.now()
  const all = rowsOf(count)
  const worker = async () => {
    for (const { input } of all) await send(input)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return performance.now() - began
}

/* Each create is as durable as with a ledger: a line before it and one after it, each of which waits for the disk. */
async function journal() {
  const began = performance.now()
  const file = await open(path, 'a')
  const append = async (/** @type {object} */ line) => {
    await file.appendFile(`${JSON.stringify(line)}\n`)
    await file.datasync()
  }
  const limit = pLimit(CONCURRENCY)
  const one = async (/** @type {{ row: number, input: object }} */ { row, input }) => {
    await append({ row, input })
    await append({ row, ...(await send(input)) })
  }
  await Promise.all(Array.from(rowsOf(count), (row) => limit(one, row)))
  await file.close()
  return performance.now() - began
}
