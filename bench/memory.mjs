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

/** @type {number[]} */
const sizes = []
for (let batch = 0; batch < 7; batch += 1) {
  for (let call = 0; call < CALLS; call += 1) await client.invites.create(input, { signal })
  sizes.push(await heap())
}
server.stop()

const growths = sizes.map((size, batch) => size - (sizes[batch - 1] ?? size))
/*
 * What the first batches fill once and for all, as compiled code and the pool of connections, is not growth; what comes
 * after is taken as a whole, since a single batch swings by some hundred kilobytes. One listener a call would be far more.
 */
const SETTLED = 3
const growth = growths.slice(SETTLED).reduce((sum, each) => sum + each, 0) / (CALLS * (sizes.length - SETTLED))
print(
  `${CALLS.toLocaleString('en')} calls with one signal, ${sizes.length} times`,
  ['', 'heap after collection', 'growth'],
  sizes.map((size, batch) => [
    `batch ${batch + 1}`,
    kilobytes(size),
    batch === 0 ? '' : kilobytes(growths[batch] ?? 0),
  ]),
)
console.log()
judge('listeners left on the signal', getEventListeners(signal, 'abort').length, 0, 'listeners')
judge(`growth after batch ${SETTLED}`, Math.max(0, Math.round(growth * 10) / 10), 10, 'bytes a call')

async function heap() {
  for (let round = 0; round < 5; round += 1) {
    gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

function kilobytes(/** @type {number} */ bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
