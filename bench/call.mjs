// How long a call takes by each client, against one server, in turns: a round is one call by each, in another order.
import { clientsOf } from './clients.mjs'
import { judge, print, quantile } from './table.mjs'
import { startServer } from './with-server.mjs'

const ROUNDS = Number(process.argv[2] ?? 3000)
const WARM_UP = 500

const server = await startServer()
/** @type {Record<'tracks' | 'invite', Record<string, () => Promise<unknown>>>} */
const operations = clientsOf(server.url)
await compare('tracks.list', server.bytes.tracks, operations.tracks)
await compare('invites.create', server.bytes.invite, operations.invite)
server.stop()

/**
 * @param {string} title
 * @param {number} bytes
 * @param {Record<string, () => Promise<unknown>>} clients
 */
async function compare(title, bytes, clients) {
  const times = Object.entries(clients).map(([name, call]) => ({ name, call, took: /** @type {number[]} */ ([]) }))
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (let turn = 0; turn < times.length; turn += 1) {
      const client = times[(round + turn) % times.length]
      if (client === undefined) throw new Error('no client')
      const since = performance.now()
      await client.call()
      if (round >= WARM_UP) client.took.push(performance.now() - since)
    }
  }
  const medianOf = (/** @type {string} */ name) => quantile(times.find((client) => client.name === name)?.took ?? [])
  const ratio = (/** @type {string} */ to) => medianOf('certify-sdk') / medianOf(to)
  print(
    `${title}, an answer of ${bytes.toLocaleString('en')} bytes: ${ROUNDS} rounds`,
    ['', 'median', 'p95', '× fetch'],
    times.map(({ name, took }) => [
      name,
      `${quantile(took).toFixed(3)} ms`,
      `${quantile(took, 0.95).toFixed(3)} ms`,
      (quantile(took) / medianOf('fetch')).toFixed(2),
    ]),
  )
  console.log()
  judge('to fetch alone', ratio('fetch'), 1.2)
  judge('to graphql-request', ratio('graphql-request'), 1.05)
  for (const peer of ['@urql/core', '@apollo/client', '@octokit/graphql']) judge(`to ${peer}`, ratio(peer), 1)
}
