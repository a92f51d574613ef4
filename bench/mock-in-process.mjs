// One invite in process: by mock.fetch, through MSW, and what people do without the mock: MSW's http.post with graphql(),
// or a request to graphql-yoga on the loopback. In turns of a few hundred calls.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createMockServer } from '../dist/mock/index.js'
import { usualMsw } from './mock-msw.mjs'
import { bodies, headers, PATH } from './mock-operations.mjs'
import { judge, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 20)
const CALLS = 200

const yoga = fork(`${import.meta.dirname}/mock-peers.mjs`, ['graphql-yoga'], {
  env: { ...process.env, NODE_ENV: 'production' },
})
const [{ port }] = /** @type {[{ port: number }]} */ (await once(yoga, 'message'))
const mock = createMockServer()
const msw = await usualMsw(mock)
const init = { method: 'POST', headers, body: bodies.invite }
const plain = { begin: () => {}, end: () => {} }
const ways = [
  { name: 'fetch to graphql-yoga', ...plain, call: () => fetch(`http://127.0.0.1:${port}${PATH}`, init) },
  { name: 'mock.fetch', ...plain, call: () => mock.fetch(mock.endpoint, init) },
  {
    name: 'MSW: http.post, graphql()',
    begin: () => msw.listen(msw.usual),
    end: msw.close,
    call: () => fetch(mock.endpoint, init),
  },
  {
    name: 'MSW: mswHandlers',
    begin: () => msw.listen(msw.ours),
    end: msw.close,
    call: () => fetch(mock.endpoint, init),
  },
].map((way) => ({ ...way, took: /** @type {number[]} */ ([]) }))

for (let round = -2; round < ROUNDS; round += 1) {
  for (let turn = 0; turn < ways.length; turn += 1) {
    const way = ways[(round + 2 + turn) % ways.length]
    if (way === undefined) throw new Error('no way')
    way.begin()
    const since = performance.now()
    for (let count = 0; count < CALLS; count += 1) {
      const answer = /** @type {{ data?: unknown }} */ (await (await way.call()).json())
      if (!answer.data) throw new Error(`${way.name} answers ${JSON.stringify(answer)}`)
    }
    if (round >= 0) way.took.push((performance.now() - since) / CALLS)
    way.end()
  }
}
yoga.disconnect()

const tookBy = (/** @type {string} */ name) => ways.find((way) => way.name === name)?.took ?? []
const ratio = (/** @type {readonly number[]} */ took, /** @type {readonly number[]} */ to) =>
  quantile(took.map((ms, round) => ms / (to[round] ?? ms)))
const loopback = tookBy('fetch to graphql-yoga')
print(
  `One invite in process: ${ROUNDS} rounds of ${CALLS}`,
  ['', 'median', '× yoga'],
  ways.map(({ name, took }) => [name, `${(quantile(took) * 1000).toFixed(0)} µs`, ratio(took, loopback).toFixed(2)]),
)
console.log()
judge('mock.fetch, to fetch to graphql-yoga', ratio(tookBy('mock.fetch'), loopback), 0.5)
judge('mock.fetch, to http.post with graphql()', ratio(tookBy('mock.fetch'), tookBy('MSW: http.post, graphql()')), 0.35)
judge(
  'mswHandlers, to http.post with graphql()',
  ratio(tookBy('MSW: mswHandlers'), tookBy('MSW: http.post, graphql()')),
  1,
)
