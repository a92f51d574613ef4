// How long a call takes with each client, against one server. Each has its own processes, which take turns:
// clients in one process spoil each other's JIT optimizations, and one process may be luckier than another.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { CLIENTS } from './clients.mjs'
import { judge, note, print, quantile } from './table.mjs'
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
    cpus: /** @type {number[]} */ ([]),
  }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < clients.length; turn += 1) {
      const client = clients[(round + turn) % clients.length]
      if (client === undefined) throw new Error('no client')
      const { median, p95, cpuMs } = await measure(operation, client.name)
      client.medians.push(median)
      client.p95s.push(p95)
      client.cpus.push(cpuMs)
    }
  }
  /* Round by round, so that other load on the machine affects both sides of a ratio. */
  const ratio = (
    /** @type {string} */ to,
    of = 'certify-sdk',
    figure = /** @type {'medians' | 'cpus'} */ ('medians'),
  ) => {
    const figures = (/** @type {string} */ name) => clients.find((client) => client.name === name)?.[figure] ?? []
    return quantile(figures(of).map((one, round) => one / (figures(to)[round] ?? Number.NaN)))
  }
  print(
    `${title}, a response of ${bytes.toLocaleString('en')} bytes: medians of ${ROUNDS} processes each`,
    ['', 'median', 'p95', 'CPU time', '× fetch', 'CPU, × fetch'],
    clients.map(({ name, medians, p95s, cpus }) => [
      name,
      ...[medians, p95s, cpus].map((figures) => `${quantile(figures).toFixed(3)} ms`),
      ratio('fetch', name).toFixed(2),
      ratio('fetch', name, 'cpus').toFixed(2),
    ]),
  )
  console.log()
  const byHand = 'graphql-request and zod/mini'
  judge(`${title}, to ${byHand}`, ratio(byHand), 1.1)
  note(`${title}, CPU time, to ${byHand}`, ratio(byHand, 'certify-sdk', 'cpus'))
  note(`${title} with fetch, CPU time, to ${byHand}`, ratio(byHand, 'certify-sdk, with fetch', 'cpus'))
  for (const peer of ['@urql/core', '@apollo/client']) judge(`${title}, to ${peer}`, ratio(peer), 1)
}

/**
 * @param {string} operation
 * @param {string} name
 * @returns {Promise<{ median: number, p95: number, cpuMs: number }>}
 */
async function measure(operation, name) {
  const child = fork(`${import.meta.dirname}/call-once.mjs`, [server.url, operation, name])
  const ended = once(child, 'exit')
  const [message] = await Promise.race([once(child, 'message'), ended])
  const [code] = await ended
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return /** @type {{ median: number, p95: number, cpuMs: number }} */ (message)
}
