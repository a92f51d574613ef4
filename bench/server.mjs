// The other end, in its own process: it responds at once with the response that the mock gave at its start.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createMockServer } from '../dist/mock/index.js'

const operation = (/** @type {string} */ name) =>
  readFileSync(`${import.meta.dirname}/../operations/${name}.graphql`, 'utf8')
const mock = createMockServer()
const ask = async (/** @type {string} */ query, /** @type {object} */ variables) => {
  const response = await mock.fetch(`${mock.baseUrl}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query, variables }),
  })
  return response.text()
}

const tracks = await ask(operation('package-tracks'), {})
/** @type {string} */
const quizId = JSON.parse(tracks).data.developerCertificationPackageTracks[0].packages[0].skills[0].quizId
const invite = await ask(operation('create-invite'), { input: { quizId, candidate: { email: 'ada@example.com' } } })

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const answer = body.includes('mutation') ? invite : tracks
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    response.end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.({ port: address?.port, tracks: tracks.length, invite: invite.length })
})
process.on('disconnect', () => process.exit())
