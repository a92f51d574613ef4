// The time until the mock has answered a page of invites: among 10,000 of them, to among 1,000, in turns.
import { createMockServer } from '../dist/mock/index.js'
import { bodies, headers } from './mock-operations.mjs'
import { judge, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 40)
/* A search reads every invite, so ten times as many may take ten times as long. */
const BOUND = { list: 4, search: 10 }
const [few, many] = await Promise.all([1_000, 10_000].map(mockWith))
if (few === undefined || many === undefined) throw new Error('no mock')
for (const path of ['/invites', '/invites?page=20', '/invites?q=ada']) {
  const ratios = []
  for (let round = -3; round < ROUNDS; round += 1) {
    const [first, second] = round % 2 === 0 ? [few, many] : [many, few]
    const times = new Map([[first, await timeOf(first, path)]])
    times.set(second, await timeOf(second, path))
    if (round >= 0) ratios.push((times.get(many) ?? Number.NaN) / (times.get(few) ?? Number.NaN))
  }
  judge(
    `${path} of the mock: with 10,000 invites, to 1,000`,
    quantile(ratios),
    path.includes('q=') ? BOUND.search : BOUND.list,
  )
}

/** @param {number} count */
async function mockWith(count) {
  const mock = createMockServer()
  for (let made = 0; made < count; made += 1) {
    await mock.fetch(mock.endpoint, { method: 'POST', headers, body: bodies.invite })
  }
  if (mock.invites.length !== count) throw new Error('the mock refused invites')
  return mock
}

/**
 * @param {import('../dist/mock/index.js').MockServer} mock
 * @param {string} path
 */
async function timeOf(mock, path) {
  const start = performance.now()
  await (await mock.fetch(new URL(path, mock.endpoint))).text()
  return performance.now() - start
}
