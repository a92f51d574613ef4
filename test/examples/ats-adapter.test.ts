import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { installExample, type RunningExample, startExample } from './run-example.ts'
import { expectNoSecrets } from './secrets.ts'

/* The ATS calls the adapter, as its documentation shows; the service is the mock. */

const KEY = '0d031d8227eafa61dc375a6c2e067e24'
const authorization = `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`
const PACKAGE = 'package:pkg_react_beginner'
const QUIZ = 'quiz:quiz_react_beginner_state'

let mock: MockServer
let adapter: RunningExample
let start: () => Promise<RunningExample>
let atsOrigin: string
let tests = 0
let output = ''
const ends: (() => unknown)[] = []
let ofOldProcess: unknown
const patched: { readonly url: string | undefined; readonly authorization: string | undefined }[] = []
const ats = createServer(({ method, url, headers }, response) => {
  if (method === 'PATCH') patched.push({ url, authorization: headers.authorization })
  response.end()
})

beforeAll(async () => {
  mock = createMockServer()
  ends.push(
    () => mock.close(),
    () => ats.close(),
  )
  const { url } = await mock.listen()
  await once(ats.listen(0, '127.0.0.1'), 'listening')
  atsOrigin = `http://127.0.0.1:${(ats.address() as AddressInfo).port}`
  const folder = installExample(inject('consumer'), 'ats-adapter')
  const env = {
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    CALLBACK_URL: 'https://adapter.example/certify',
    CALLBACK_SECRET: randomBytes(32).toString('hex'),
    ATS_API_KEY: KEY,
    ATS_ORIGIN: atsOrigin,
    PROFILE_URL: 'https://hiring.example/interviews/',
    LEDGER: join(folder, 'ats.ledger'),
  }
  start = async () => {
    const started = await startExample(folder, env)
    ends.push(started.kill)
    mock.callbacks.deliverTo(started.origin)
    return started
  }
  adapter = await start()
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const request = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(adapter.origin + path, { headers: { authorization }, ...init })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** A request as the ATS sends it. A new test of a candidate has a new URL; a repeated request has the same. */
function sendTest(testId: string, email: string, url = newUrl()) {
  const candidate = { first_name: 'Harry', last_name: 'Potter', email, resume_url: null, phone_number: null }
  const body = { partner_test_id: testId, candidate, url }
  return request('/send_test', { method: 'POST', body: JSON.stringify(body) })
}

const newUrl = () => `${atsOrigin}/integrations/testing_partners/take_home_tests/${++tests}`
const status = (id: unknown) => request(`/test_status?partner_interview_id=${encodeURIComponent(String(id))}`)
const invitesOf = (email: string) => mock.invites.filter(({ candidate }) => candidate.email === email)
const createsOf = (email: string) => mock.requestLog.list().filter(({ body }) => body?.includes(email)).length

test('list_tests has each package and each quiz, with the two documented fields', async () => {
  const { body } = await request('/list_tests')
  const listed = body as unknown as readonly Record<string, unknown>[]
  const ids = listed.map(({ partner_test_id: id }) => id)
  expect(ids).toEqual(expect.arrayContaining([PACKAGE, QUIZ]))
  expect(new Set(ids).size).toBe(ids.length)
  for (const each of listed) expect(Object.keys(each)).toEqual(['partner_test_id', 'partner_test_name'])
})

test('a request with another key, or with none, is refused', async () => {
  for (const headers of [{}, { authorization: `Basic ${Buffer.from('wrong:').toString('base64')}` }]) {
    expect(await request('/list_tests', { headers })).toMatchObject({ status: 401 })
  }
})

test.each([
  ['a package', PACKAGE, 3],
  ['a quiz', QUIZ, 1],
])('%s is sent once, however often the ATS repeats the request', async (kind, testId, skills) => {
  const email = `${kind.replace(' ', '-')}@example.com`
  const url = newUrl()
  const answers = await Promise.all([1, 2, 3, 4].map(() => sendTest(testId, email, url)))
  /* While one is being sent, the others are asked to come again. */
  expect(answers.filter((each) => ![200, 503].includes(each.status))).toEqual([])
  const first = await sendTest(testId, email, url)
  expect(await sendTest(testId, email, url)).toEqual(first)
  expect(first).toEqual({ status: 200, body: { partner_interview_id: expect.stringMatching(/^ats\./) } })
  expect(invitesOf(email)).toHaveLength(skills)
  expect(invitesOf(email)[0]?.candidate.name).toBe('Harry Potter')
})

test('the same test by another application is the same interview, and no second invite', async () => {
  const first = await sendTest(QUIZ, 'twice@example.com')
  expect(await sendTest(QUIZ, 'twice@example.com')).toEqual(first)
  expect(invitesOf('twice@example.com')).toHaveLength(1)
})

test('a package of which the candidate has one quiz is refused: that is another test', async () => {
  await sendTest(QUIZ, 'part@example.com')
  expect(await sendTest(PACKAGE, 'part@example.com')).toMatchObject({ status: 409 })
  expect(invitesOf('part@example.com')).toHaveLength(1)
})

test('test_status follows the skills of a package, and the ATS hears of each result', async () => {
  const url = newUrl()
  const { body } = await sendTest(PACKAGE, 'hermione@example.com', url)
  const id = body['partner_interview_id']
  ofOldProcess = id
  expect((await status(id)).body).toMatchObject({ partner_status: 'invited' })

  const [first, ...others] = invitesOf('hermione@example.com')
  mock.open(first?.inviteId ?? '').pass()
  await mock.settle()
  await vi.waitFor(() => expect(heard(url)).toBe(1), 20_000)
  expect((await status(id)).body).toMatchObject({ partner_status: 'in_progress' })

  for (const { inviteId } of others) mock.open(inviteId).fail()
  await mock.settle()
  await vi.waitFor(() => expect(heard(url)).toBe(3), 20_000)
  expect(await status(id)).toEqual({
    status: 200,
    body: {
      partner_status: 'complete',
      partner_profile_url: `https://hiring.example/interviews/${String(id)}`,
      partner_score: 33,
      metadata: expect.objectContaining({}),
    },
  })
  const { metadata } = (await status(id)).body as { metadata: Record<string, string> }
  expect(Object.values(metadata).toSorted()).toEqual(['failed', 'failed', 'passed'])
  expect(patched.every((each) => each.authorization === authorization)).toBe(true)
})

const heard = (url: string) => patched.filter((each) => each.url === new URL(url).pathname).length

test('a retake that passes counts for the skill that had failed', async () => {
  const url = newUrl()
  const { body } = await sendTest(QUIZ, 'ron@example.com', url)
  const failed = mock.open(invitesOf('ron@example.com')[0]?.inviteId ?? '')
  failed.fail()
  mock.open(failed.claim('retake').inviteId).pass()
  await mock.settle()
  await vi.waitFor(() => expect(heard(url)).toBe(3), 20_000)
  expect((await status(body['partner_interview_id'])).body).toMatchObject({ partner_score: 100 })
})

test('a lost response is no failure and no success: test_status says unknown, until an event settles it', async () => {
  const url = newUrl()
  const email = 'cut-after+ats@candidate.test'
  const first = await sendTest(PACKAGE, email, url)
  expect(first.status).toBe(200)
  const id = first.body['partner_interview_id']
  expect((await status(id)).body['partner_status']).toMatch(/^unknown: a person has to find out/)
  expect(await sendTest(PACKAGE, email, url)).toEqual(first)
  expect(await sendTest(PACKAGE, email)).toEqual(first)
  expect(invitesOf(email)).toHaveLength(3)

  const [one, ...others] = invitesOf(email)
  mock.open(one?.inviteId ?? '').pass()
  await mock.settle()
  await vi.waitFor(() => expect(heard(url)).toBe(1), 20_000)
  /* The event names one invite of three. That is not the whole test. */
  expect((await status(id)).body).toMatchObject({ partner_status: 'in_progress' })
  for (const { inviteId } of others) mock.open(inviteId).pass()
  await mock.settle()
  await vi.waitFor(() => expect(heard(url)).toBe(3), 20_000)
  expect((await status(id)).body).toMatchObject({ partner_status: 'complete', partner_score: 100 })
})

test('if the request was lost, it is not repeated either: nobody can tell the two cases apart', async () => {
  const email = 'cut-before+ats@candidate.test'
  const url = newUrl()
  const first = await sendTest(QUIZ, email, url)
  expect(await sendTest(QUIZ, email, url)).toEqual(first)
  expect((await status(first.body['partner_interview_id'])).body['partner_status']).toMatch(/^unknown/)
  expect(createsOf(email)).toBe(1)
})

test('after a rate limit nothing was sent, and the ATS may try again', async () => {
  mock.faults.add({
    email: 'busy@example.com',
    fault: { status: 429, headers: { 'retry-after': '0' }, body: '' },
    times: 3,
  })
  const url = newUrl()
  expect(await sendTest(QUIZ, 'busy@example.com', url)).toMatchObject({ status: 503 })
  const { status: code, body } = await sendTest(QUIZ, 'busy@example.com', url)
  expect(code).toBe(200)
  expect((await status(body['partner_interview_id'])).body).toMatchObject({ partner_status: 'invited' })
  expect(invitesOf('busy@example.com')).toHaveLength(1)
})

test('a refusal of the service is told, with its code and without its words', async () => {
  const { status: code, body } = await sendTest('quiz:quiz_of_nobody', 'neville@example.com')
  expect([code, body]).toEqual([422, { error: expect.stringMatching(/^Nothing was sent: [A-Z_]+\.$/) }])
})

test('what is no request of this ATS is refused: also a URL of a stranger, which would get the key', async () => {
  for (const url of ['https://stranger.example/tests/1', 'no URL', `${atsOrigin}/`]) {
    expect(await sendTest(QUIZ, 'luna@example.com', url)).toMatchObject({ status: 400 })
  }
  expect(await sendTest('quiz_without_kind', 'luna@example.com')).toMatchObject({ status: 400 })
  for (const body of ['{', 'null', '7']) {
    expect(await request('/send_test', { method: 'POST', body })).toMatchObject({ status: 400 })
  }
  expect(await status('ats.none')).toMatchObject({ status: 404 })
  expect(createsOf('luna@example.com')).toBe(0)
})

test('a result is told to the ATS only, also where the path of its URL looks like another host', async () => {
  const stranger = new URL(atsOrigin)
  const heardByStranger: unknown[] = []
  const server = createServer(({ headers }, response) => {
    heardByStranger.push(headers.authorization)
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(() => server.close())
  stranger.port = String((server.address() as AddressInfo).port)
  await sendTest(QUIZ, 'cho@example.com', `${atsOrigin}//${stranger.host}/tests/1`)
  mock.open(invitesOf('cho@example.com')[0]?.inviteId ?? '').pass()
  await mock.settle()
  await vi.waitFor(() => expect(patched.at(-1)?.url).toBe(`//${stranger.host}/tests/1`), 20_000)
  expect(heardByStranger).toEqual([])
})

test('a request with any path ends in an answer, and the adapter goes on', async () => {
  expect(await request('//')).toMatchObject({ status: 404 })
  expect(await request('//', { headers: {} })).toMatchObject({ status: 401 })
  expect(await request('/list_tests')).toMatchObject({ status: 200 })
})

test('after kill -9 in the middle of a send, the adapter goes on, and does not send it again', async () => {
  const email = 'draco@example.com'
  mock.faults.add({ email, phase: 'after', fault: 'hang' })
  const url = newUrl()
  const lost = sendTest(QUIZ, email, url).catch(() => undefined)
  await mock.waitForMail({ to: email })
  output += adapter.output()
  adapter.kill()
  await lost
  adapter = await start()
  /* Unknown as soon as the dead process is known to be gone, at the latest when its lease ends; being sent before that. */
  const { status: code } = await sendTest(QUIZ, email, url)
  expect([200, 503]).toContain(code)
  expect(createsOf(email)).toBe(1)
  expect((await status(ofOldProcess)).body).toMatchObject({ partner_status: 'complete' })
})

test('the log of the adapter has no key, candidate, link or callback URL', () => {
  output += adapter.output()
  expect(output).toContain('send_test unknown')
  expectNoSecrets(output, mock, KEY, authorization, 'Potter')
})
