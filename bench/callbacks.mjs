// Acknowledged events a second: each stored on the disk before it is acknowledged, beside the least that is needed for that,
// the same without waiting for the disk, and a server that stores nothing.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { callbackUrls } from '../dist/callbacks/index.js'
import { BASE_URL, SECRET } from './callbacks-setting.mjs'
import { load } from './load.mjs'
import { judge, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 12)
const CONNECTIONS = 32
const REFERENCES = 1_000

const urls = callbackUrls({ baseUrl: BASE_URL, secrets: [SECRET] })
const paths = await Promise.all(
  Array.from({ length: REFERENCES }, async (_each, number) => new URL(await urls.mint(`reference-${number}`)).pathname),
)
let sent = 0
const next = () => {
  sent += 1
  const data = { inviteId: `inv_${sent}`, quizId: 'quiz_react_beginner_state', result: 'PASSED', validUntil: null }
  const body = JSON.stringify({ id: `evt_${sent}`, type: 'certification.completed', occurredAt: new Date(), data })
  return { path: paths[sent % REFERENCES] ?? '', body }
}

const NAMES = {
  handler: 'certify-sdk/callbacks',
  'by-hand': 'node:http and better-sqlite3, by hand',
  'by-hand-unsynchronised': 'the same, not synchronised to the disk',
  bare: 'node:http, which stores nothing',
}
const servers = await Promise.all(
  Object.entries(NAMES).map(async ([argument, name]) => {
    const child = fork(`${import.meta.dirname}/callbacks-server.mjs`, [argument])
    const [{ port }] = /** @type {[{ port: number }]} */ (await once(child, 'message'))
    return {
      name,
      url: `http://127.0.0.1:${port}/`,
      rates: /** @type {number[]} */ ([]),
      stop: () => child.disconnect(),
    }
  }),
)
for (let round = -1; round < ROUNDS; round += 1) {
  for (const { url, rates } of round % 2 === 0 ? servers : servers.toReversed()) {
    const headers = { 'content-type': 'application/json' }
    const { perSecond } = await load(url, { headers, body: next, connections: CONNECTIONS, seconds: 1 })
    if (round >= 0) rates.push(perSecond)
  }
}
for (const { stop } of servers) stop()
const median = (/** @type {readonly number[]} */ rates) => Math.round(quantile(rates)).toLocaleString('en')
const bare = servers.at(-1)?.rates ?? []
/** How many times as fast as each round of another server one of these was. */
const times = (/** @type {readonly number[]} */ others, /** @type {readonly number[]} */ rates) =>
  quantile(others.map((rate, round) => rate / (rates[round] ?? 0)))
print(
  `Acknowledged events, ${CONNECTIONS} connections: ${ROUNDS} rounds`,
  ['', 'events/s', 'of bare'],
  servers.map(({ name, rates }) => [name, median(rates), `${(1 / times(bare, rates)).toFixed(2)} ×`]),
)
console.log()
const [ours, byHand] = servers.map(({ rates }) => rates)
judge('events/s of a server that stores nothing, to those of the handler', times(bare, ours ?? []), 2)
console.log(
  `       events/s by hand, to those of the handler: ${times(byHand ?? [], ours ?? []).toFixed(2)} ×, no bound`,
)
