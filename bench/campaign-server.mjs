// A cheap service: a fixed response with a new identifier each time, after the delay that the path names.
import { createServer } from 'node:http'

let created = 0
const expiresAt = new Date(Date.now() + 14 * 24 * 60 * 60 * 1000).toISOString()
const server = createServer((request, response) => {
  /* The request for a mock's world. */
  if (request.method === 'GET') {
    response.writeHead(404).end()
    return
  }
  let isQuery = false
  /* The query that a campaign sends first is small, so it arrives in one piece. */
  request.on('data', (piece) => (isQuery ||= String(piece).includes('PackageTracks')))
  request.on('end', () => {
    if (isQuery) return send(response, { developerCertificationPackageTracks: [] })
    const latencyMs = Number(/^\/after-(\d+)/.exec(request.url ?? '')?.[1] ?? 0)
    if (latencyMs === 0) respond(response)
    else setTimeout(() => respond(response), latencyMs)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.({ port: address?.port })
})
process.on('disconnect', () => process.exit())

/** @param {import('node:http').ServerResponse} response */
function respond(response) {
  created += 1
  const inviteId = `inv_${created}`
  const challengeUrl = `https://certify.example.com/challenge/${inviteId}`
  const invite = { inviteId, status: 'PENDING', challengeUrl, expiresAt, emailSent: true }
  send(response, { developerCreateCertificationInvite: invite })
}

/** @param {import('node:http').ServerResponse} response @param {object} data */
function send(response, data) {
  const body = JSON.stringify({ data })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
