// What a world costs: to make one, to reset one, and each invite more in one that has many already.
import { createMockServer } from '../dist/mock/index.js'
import { bodies, headers } from './mock-operations.mjs'
import { judge, print, quantile } from './table.mjs'

const BATCHES = 10
const INVITES = 10_000

const timed = (/** @type {() => unknown} */ act) => {
  const since = performance.now()
  act()
  return performance.now() - since
}
const times = (/** @type {number} */ count, /** @type {() => number} */ take) => Array.from({ length: count }, take)

/** @param {import('../dist/mock/index.js').MockServer} mock */
async function invite(mock) {
  const response = await mock.fetch(mock.endpoint, { method: 'POST', headers, body: bodies.invite })
  if (!response.ok) throw new Error(`status ${response.status}`)
  await response.text()
}

const made = times(200, () => timed(() => createMockServer()))
const mock = createMockServer()
const fresh = times(200, () => timed(() => mock.reset()))

const rows = []
/** @type {{ msEach: number, bytesEach: number }[]} */
const batches = []
for (let batch = 0; batch < BATCHES; batch += 1) {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const since = performance.now()
  for (let count = 0; count < INVITES; count += 1) await invite(mock)
  const msEach = (performance.now() - since) / INVITES
  globalThis.gc?.()
  const bytesEach = (process.memoryUsage().heapUsed - before) / INVITES
  batches.push({ msEach, bytesEach })
  rows.push([((batch + 1) * INVITES).toLocaleString('en'), `${(msEach * 1000).toFixed(0)} µs`, bytesEach.toFixed(0)])
}
const full = timed(() => mock.reset())

print('One world, one invite after another', ['invites', 'time each', 'bytes each'], rows)
print(
  'Worlds',
  ['', 'median', 'p95'],
  [
    ['made', `${quantile(made).toFixed(3)} ms`, `${quantile(made, 0.95).toFixed(3)} ms`],
    ['reset', `${quantile(fresh).toFixed(3)} ms`, `${quantile(fresh, 0.95).toFixed(3)} ms`],
    ['reset with 100,000 invites', `${full.toFixed(3)} ms`, ''],
  ],
)
console.log()
const late = (/** @type {'msEach' | 'bytesEach'} */ what) =>
  quantile(batches.slice(BATCHES / 2).map((batch) => batch[what])) /
  quantile(batches.slice(0, BATCHES / 2).map((batch) => batch[what]))
judge('reset in ms, to 1 ms', quantile(fresh), 1)
judge('time of an invite, the second half to the first', late('msEach'), 1.25)
judge('memory of an invite, the second half to the first', late('bytesEach'), 1.25)
