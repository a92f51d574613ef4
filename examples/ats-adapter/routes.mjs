// The three calls of the ATS, and the address of the events of the service.
import { timingSafeEqual } from 'node:crypto'
import { createOnce } from 'certify-sdk/ledger'
import { inputOf, referenceOf, statusOf, testsOf } from './mapping.mjs'

/** A listener for `node:http` and Express. */
export function createRoutes({ client, guarded, ledger, callbacks, atsKey, atsOrigin, profileUrlOf }) {
  const routes = { 'GET /list_tests': listTests, 'POST /send_test': sendTest, 'GET /test_status': testStatus }

  async function listTests() {
    return [200, testsOf(await client.tracks.list())]
  }

  async function sendTest({ body }) {
    const [input, reference] = [inputOf(body), referenceOf(body?.url, atsOrigin)]
    if (input === undefined || reference === undefined) return [400, { error: 'This is no send_test request.' }]
    /* The ATS repeats a request that timed out. The same reference never creates a second invite. */
    const { status, invites, error } = await createOnce(guarded, input, { reference, ifInvited: 'reuse' })
    if (status === 'created') return [200, { partner_interview_id: await referenceWith(invites[0].inviteId) }]
    console.error('send_test', status, error.code, error.reference ?? reference)
    /* This request sent nothing. Another one for the same test may be on its way. */
    if (status === 'retry') return [503, { error: 'Try again later.' }]
    const earlier = await earlierSend(input, error.prior[0]?.reference ?? error.reference)
    /* It has an identifier even if nobody knows whether an e-mail was sent: test_status says so, until an event settles it. */
    if (status === 'unknown' || earlier?.state === 'created') {
      return [200, { partner_interview_id: earlier?.reference ?? reference }]
    }
    return [error.code === 'ALREADY_INVITED' ? 409 : 422, { error: `Nothing was sent: ${error.code}.` }]
  }

  async function testStatus({ url }) {
    const entry = await ledger.find(url.searchParams.get('partner_interview_id') ?? '')
    if (entry === undefined) return [404, { error: 'There is no such interview.' }]
    const skillCount = await skillCountOf(entry)
    return [200, statusOf(entry, { skillCount, profileUrl: profileUrlOf(entry), now: Date.now() })]
  }

  /* The candidate may have got this test by another request: then the reference is that of its entry. */
  async function referenceWith(inviteId) {
    const { value: entry } = await ledger.list({ inviteId })[Symbol.asyncIterator]().next()
    return entry.reference
  }

  /* An earlier send of the same test. One of only a part of a package is another test. */
  async function earlierSend({ quizId, packageId }, reference) {
    const entry = reference && (await ledger.find(reference))
    return entry && entry.quizId === quizId && entry.packageId === packageId ? entry : undefined
  }

  /* Where the response was lost, events name the invites of a package one by one. */
  async function skillCountOf({ packageId, packageName, invites }) {
    if (packageId === undefined || packageName !== undefined) return invites.length
    const packages = (await client.tracks.list()).flatMap((track) => track.packages)
    return packages.find(({ id }) => id === packageId)?.skills.length ?? Number.POSITIVE_INFINITY
  }

  return function listener(request, response) {
    /* Before the body is read: the handler reads it itself. */
    if (request.url.startsWith('/certify/')) callbacks.listener(request, response)
    else void answer(request, response)
  }

  async function answer(request, response) {
    const [status, body] = await respond(request).catch((error) => {
      console.error(request.method, request.url.split('?')[0], error.code ?? error.name)
      return [502, { error: 'The service cannot be used now.' }]
    })
    const headers = { 'content-type': 'application/json', ...(status === 401 && { 'www-authenticate': 'Basic' }) }
    response.writeHead(status, headers).end(JSON.stringify(body))
  }

  async function respond(request) {
    if (!isKey(request.headers.authorization, atsKey)) return [401, { error: 'The API key is wrong.' }]
    /* Not with the path as a relative URL: `//` is a path, and no URL. */
    const url = new URL(`http://adapter${request.url}`)
    const route = routes[`${request.method} ${url.pathname}`]
    if (route === undefined) return [404, { error: 'There is no such call.' }]
    return route({ url, body: await jsonOf(request) })
  }
}

/* The key is the user name of Basic authentication, with an empty password. */
function isKey(header, key) {
  const given = Buffer.from(header ?? '')
  const expected = Buffer.from(authorization(key))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export const authorization = (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`

async function jsonOf(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > 100_000) return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
