// How long a call takes with each client, against one server. Each has its own processes, which take turns:
// clients in one process spoil each other's JIT optimizations, and one process may be luckier than another.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { CLIENTS } from './clients.mjs'
import { judge, print, quantile } from './table.mjs'
import { startServer } from './with-server.mjs'

const ROUNDS = Number(process.argv[2] ?? 9)

const server = await startServer()
await compare('tracks.list', 'tracks', server.bytes.tracks)
await compare('invites.create', 'invite', server.bytes.invite)
server.stop()

/**
 * @param {string} title
 * @param {'tracks' | 'invite'} operation
 * @param {number} bytes
 */
async function compare(title, operation, bytes) {
  const clients = Object.keys(CLIENTS).map((name) => ({
    name,
    medians: /** @type {number[]} */ ([]),
    p95s: /** @type {number[]} */ ([]),
  }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < clients.length; turn += 1) {
      const client = clients[(round + turn) % clients.length]
      if (client === undefined) throw new Error('no client')
      const { median, p95 } = await measure(operation, client.name)
      client.medians.push(median)
      client.p95s.push(p95)
    }
  }
  const mediansOf = (/** @type {string} */ name) => clients.find((client) => client.name === name)?.medians ?? []
  /* Round by round, so that other load on the machine affects both sides of a ratio. */
  const ratio = (/** @type {string} */ to, of = 'certify-sdk') => {
    const others = mediansOf(to)
    return quantile(mediansOf(of).map((median, round) => median / (others[round] ?? Number.NaN)))
  }
  print(
    `${title}, a response of ${bytes.toLocaleString('en')} bytes: medians of ${ROUNDS} processes each`,
    ['', 'median', 'p95', '× fetch'],
    clients.map(({ name, medians, p95s }) => [
      name,
      `${quantile(medians).toFixed(3)} ms`,
      `${quantile(p95s).toFixed(3)} ms`,
      ratio('fetch', name).toFixed(2),
    ]),
  )
  console.log()
  judge(`${title}, to graphql-request and zod/mini`, ratio('graphql-request and zod/mini'), 1.1)
  for (const peer of ['@urql/core', '@apollo/client']) judge(`${title}, to ${peer}`, ratio(peer), 1)
}

/**
 * @param {string} operation
 * @param {string} name
 * @returns {Promise<{ median: number, p95: number }>}
 */
async function measure(operation, name) {
  const child = fork(`${import.meta.dirname}/call-once.mjs`, [server.url, operation, name])
  const [message] = await once(child, 'message')
  await once(child, 'exit')
  return /** @type {{ median: number, p95: number }} */ (message)
}
