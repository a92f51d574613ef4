// Requests per second of the mock over HTTP, and of servers with the same schema and data; in turns, each in its own process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { load } from './load.mjs'
import { bodies, headers, PATH } from './mock-operations.mjs'
import { judge, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 24)
const SECONDS = 0.5
const MOCK = 'certify-sdk/mock'

const servers = await Promise.all(
  [MOCK, 'graphql-yoga', '@apollo/server'].map(async (name) => {
    const child = fork(`${import.meta.dirname}/mock-peers.mjs`, [name], {
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const [{ port }] = /** @type {[{ port: number }]} */ (await once(child, 'message'))
    return { name, url: `http://127.0.0.1:${port}${PATH}`, stop: () => child.disconnect() }
  }),
)
await compare('Listing tracks', bodies.tracks)
await compare('Creating an invite', bodies.invite)
for (const { stop } of servers) stop()

/**
 * @param {string} title
 * @param {string} body
 */
async function compare(title, body) {
  const results = servers.map(({ name, url }) => ({
    name,
    url,
    rates: /** @type {number[]} */ ([]),
    late: /** @type {number[]} */ ([]),
  }))
  for (let round = -1; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < results.length; turn += 1) {
      const result = results[(round + 1 + turn) % results.length]
      if (result === undefined) throw new Error('no server')
      const { perSecond, latenciesMs } = await load(result.url, { headers, body, connections: 16, seconds: SECONDS })
      if (round >= 0) {
        result.rates.push(perSecond)
        result.late.push(quantile(latenciesMs, 0.99))
      }
    }
  }
  const ours = results[0]?.rates ?? []
  print(
    `${title}, 16 connections: ${ROUNDS} rounds`,
    ['', 'requests/s', 'p99', 'mock to it'],
    results.map(({ name, rates, late }) => [
      name,
      Math.round(quantile(rates)).toLocaleString('en'),
      `${quantile(late).toFixed(0)} ms`,
      `${quantile(rates.map((rate, round) => (ours[round] ?? 0) / rate)).toFixed(2)} ×`,
    ]),
  )
  console.log()
  const ratio = (/** @type {string} */ name) =>
    quantile(
      (results.find((result) => result.name === name)?.rates ?? []).map((rate, round) => rate / (ours[round] ?? 0)),
    )
  judge(`${title}: requests a second of graphql-yoga, to the mock`, ratio('graphql-yoga'), 1 / 1.5)
  judge(`${title}: requests a second of @apollo/server, to the mock`, ratio('@apollo/server'), 1)
}
