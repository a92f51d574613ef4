// What many calls with one signal leave behind, once what nobody holds any more is collected.
import { getEventListeners } from 'node:events'
import { CertifyClient } from '../dist/index.js'
import { judge, print } from './table.mjs'
import { startServer } from './with-server.mjs'

const CALLS = 10_000
const { gc } = globalThis
if (gc === undefined) throw new Error('run it with node --expose-gc')

const server = await startServer()
const client = new CertifyClient({ baseUrl: server.url, apiKey: 'key' })
const { signal } = new AbortController()
const input = { quizId: 'quiz', candidate: { email: 'ada@example.com' } }

/* What the first calls fill once and for all, as compiled code and the pool of connections, is not growth. */
await callTimes(CALLS)
const before = await heap()
await callTimes(CALLS)
const after = await heap()
await callTimes(CALLS)
const last = await heap()
server.stop()

const listeners = getEventListeners(signal, 'abort').length
const grown = Math.max(0, Math.min(after - before, last - after))
print(
  `${CALLS.toLocaleString('en')} calls with one signal, three times`,
  ['', 'heap after collection', 'growth'],
  [
    ['the first', `${kilobytes(before)} kB`, ''],
    ['the second', `${kilobytes(after)} kB`, `${kilobytes(after - before)} kB`],
    ['the third', `${kilobytes(last)} kB`, `${kilobytes(last - after)} kB`],
  ],
)
console.log()
judge('listeners left on the signal', listeners, 0, '')
judge('growth a call, the lesser of two', Math.round((grown / CALLS) * 10) / 10, 10, 'bytes')

async function callTimes(/** @type {number} */ times) {
  for (let call = 0; call < times; call += 1) await client.invites.create(input, { signal })
}

async function heap() {
  for (let round = 0; round < 5; round += 1) {
    gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

function kilobytes(/** @type {number} */ bytes) {
  return (bytes / 1000).toFixed(1)
}
