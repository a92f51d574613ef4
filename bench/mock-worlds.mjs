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

/** @param {import('../dist/mock/index.js').MockServer} world */
async function invites(world, count = INVITES) {
  const since = performance.now()
  for (let done = 0; done < count; done += 1) await invite(world)
  return (performance.now() - since) / count
}

const rows = []
/** @type {{ ratio: number, bytes: number }[]} */
const batches = []
await invites(createMockServer())
for (let batch = 1; batch <= BATCHES; batch += 1) {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const inFull = await invites(mock)
  globalThis.gc?.()
  const bytes = (process.memoryUsage().heapUsed - before) / INVITES
  const ratio = inFull / (await invites(createMockServer(), INVITES / 2))
  batches.push({ ratio, bytes })
  const figures = [`${(inFull * 1000).toFixed(0)} µs`, ratio.toFixed(2), bytes.toFixed(0)]
  rows.push([(batch * INVITES).toLocaleString('en'), ...figures])
}
const full = timed(() => mock.reset())

print('One world, one invite after another', ['invites', 'time each', '× in a new world', 'bytes each'], rows)
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
const [early, late] = [batches.slice(0, BATCHES / 2), batches.slice(BATCHES / 2)]
const bytesOf = (/** @type {typeof batches} */ some) => quantile(some.map(({ bytes }) => bytes))
judge('reset, to 1 ms', quantile(fresh), 1)
judge('time of an invite after 50,000, to one in a new world', quantile(late.map(({ ratio }) => ratio)), 1.25)
judge('memory of an invite after 50,000, to one before', bytesOf(late) / bytesOf(early), 1.25)
