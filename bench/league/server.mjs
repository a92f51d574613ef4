// @ts-nocheck: as in ways.mjs.
// The service, with its books: it executes every create that it accepts, and its fault decides what the caller gets to know.
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * What happens to a create that the fault hits. `isExecuted`: the invite exists when the response is lost; default: as the seed
 * says. An outage hits half of the candidates for `lastsMs`.
 */
export const FAULTS = {
  'cut before': { isExecuted: false, end: (_response, socket) => socket.destroy() },
  'cut after': { isExecuted: true, end: (_response, socket) => socket.destroy() },
  'cut in the body': { isExecuted: true, end: cutInTheBody },
  '502 after': { isExecuted: true, end: (response) => page(response, 502) },
  503: { isExecuted: false, end: (response) => page(response, 503) },
  'time-out after': { isExecuted: true, end: () => {} },
  'reset of a kept connection': { isExecuted: false, end: (_response, socket) => socket.resetAndDestroy() },
  'partial outage': { lastsMs: 5000, end: (response) => page(response, 503) },
  'HTML with 200 after': { isExecuted: true, end: (response) => page(response, 200) },
}

/**
 * Starts the service. `plan` says for each e-mail address how many of its creates are hit, and whether they are executed.
 *
 * @param {{ end: Function, lastsMs?: number, warmUps?: number, delayMs?: number, plan: Map<string, { hits: number, isExecuted: boolean }> }} cell
 */
export async function startService({ end, lastsMs = Number.POSITIVE_INFINITY, warmUps = 0, delayMs = 0, plan }) {
  /** The ids of the invites of each candidate. @type {Map<string, string[]>} */
  const books = new Map([...plan.keys()].map((email) => [email, []]))
  const seen = new Map()
  const waiting = []
  let [ids, hit, endsAt] = [0, 0, 0]
  let isAllHit
  /** @type {Promise<void>} */
  const allHit = new Promise((resolve) => {
    isAllHit = resolve
  })

  const server = createServer((request, response) => void receive(request, response))

  async function receive(request, response) {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    /* The ledger asks for the time of the service. */
    if (body === '') {
      response.end()
      return
    }
    const { query, variables } = JSON.parse(body)
    /* The SDK asks whether the service is well again. */
    if (query.startsWith('query')) {
      response.setHeader('content-type', 'application/json').end('{"data":{"developerCertificationPackageTracks":[]}}')
      return
    }
    const email = variables?.input?.candidate.email
    const planned = plan.get(email)
    if (planned === undefined) {
      /* Each of them gets a connection of its own, and keeps it. */
      waiting.push(response)
      if (waiting.length >= warmUps) for (const each of waiting.splice(0)) answer(each, `warm-up-${(ids += 1)}`)
      return
    }
    endsAt ||= performance.now() + lastsMs
    const count = (seen.get(email) ?? 0) + 1
    seen.set(email, count)
    const isHit = count <= planned.hits && performance.now() < endsAt
    const inviteId = `inv_${(ids += 1)}`
    if (!isHit || planned.isExecuted) books.get(email)?.push(inviteId)
    if (isHit) {
      end(response, request.socket, inviteId)
      if (count === 1 && (hit += 1) === plan.size) isAllHit()
    } else setTimeout(answer, delayMs, response, inviteId)
  }
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, books, allHit, stop }
}

function bodyFor(inviteId) {
  const links = { challengeUrl: `https://certify.example/${inviteId}`, expiresAt: '2099-01-01T00:00:00.000Z' }
  return JSON.stringify({
    data: { developerCreateCertificationInvite: { inviteId, status: 'PENDING', ...links, emailSent: true } },
  })
}

function answer(response, inviteId) {
  response.setHeader('content-type', 'application/json').end(bodyFor(inviteId))
}

function cutInTheBody(response, socket, inviteId) {
  const body = bodyFor(inviteId)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.slice(0, body.length / 2), () => socket.destroy())
}

function page(response, status) {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>A gateway</title>')
}
