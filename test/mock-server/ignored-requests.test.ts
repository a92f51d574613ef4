import { get } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { CREATE, INES, QUIZ, TRACKS } from './calls.ts'

let mock: MockServer
let url: string

beforeEach(async () => {
  mock = createMockServer()
  url = (await mock.listen()).url
})
afterEach(() => mock.close())

const variables = { input: { quizId: QUIZ, candidate: INES } }

async function send(headers: Record<string, string>, query: string = CREATE): Promise<number> {
  const response = await fetch(`${url}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, ...(query === CREATE && { variables }) }),
  })
  await response.text()
  return response.status
}

test.each([
  ['without a key', {}],
  ['from a page of another origin', { 'x-api-key': 'any', origin: 'https://evil.example' }],
  ['from a page without an origin', { 'x-api-key': 'any', origin: 'null' }],
  ['that another page loads', { 'x-api-key': 'any', 'sec-fetch-site': 'cross-site' }],
] as const)('a request %s uses up no fault, and does not fill the request log', async (_what, headers) => {
  mock.faults.add({ fault: 503 })
  expect(await send(headers)).toBe(200)
  expect(mock.faults.list()).toMatchObject([{ hits: 0, left: 1 }])
  expect(mock.requestLog.list()).toEqual([])
  expect(mock.requestLog.ignored).toMatchObject([{ number: 1, target: '/api/developer/graphql' }])
  expect(await send({ 'x-api-key': mock.apiKey }, TRACKS)).toBe(503)
  expect(mock.requestLog.list()).toMatchObject([{ number: 1, key: 'full', faulty: true }])
})

test("a browser's look for an icon is not in the request log; a wrong path of a client with a key is", async () => {
  await fetch(`${url}/favicon.ico`)
  await fetch(`${url}/graphql`, { headers: { 'x-api-key': mock.apiKey } })
  expect(mock.requestLog.list()).toMatchObject([{ target: '/graphql', status: 404 }])
  expect(mock.requestLog.ignored).toMatchObject([{ target: '/favicon.ico' }])
})

test('an unknown key, an empty one and an admin session are those of a client, and are in the request log', async () => {
  for (const headers of [{ 'x-api-key': 'ck_nobody' }, { 'x-api-key': '' }, mock.adminSession.headers])
    await send(headers)
  expect([mock.requestLog.list().length, mock.requestLog.ignored.length]).toEqual([3, 0])
})

test('a rule for requests without a key hits them', async () => {
  mock.faults.add({ key: null, fault: 401 })
  mock.faults.add({ fault: 503 })
  expect(await send({ 'x-api-key': mock.apiKey }, TRACKS)).toBe(503)
  expect(await send({})).toBe(401)
})

test('a magic address in a request without a key causes no fault', async () => {
  variables.input = { ...variables.input, candidate: { ...INES, email: 'down@candidate.test' } }
  expect([await send({}), await send({ 'x-api-key': mock.apiKey })]).toEqual([200, 503])
  variables.input = { ...variables.input, candidate: INES }
})

test('a challenge link and the world need no key: they are in the request log, also by a link on another page', async () => {
  await send({ 'x-api-key': mock.apiKey })
  const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }
  // Not by fetch, which sets these headers itself.
  await new Promise((resolve) => get(mock.invites[0]?.challengeUrl ?? '', { headers: followed }, resolve).end())
  await fetch(`${url}/__mock/world`)
  expect(mock.requestLog.list()).toHaveLength(3)
})

test('ignored requests are the last 100, and are listed by the control API and on the page', async () => {
  for (let number = 1; number <= 101; number += 1) await fetch(`${url}/nowhere/${number}`)
  expect([mock.requestLog.ignored.length, mock.requestLog.ignored[0]?.number]).toEqual([100, 2])
  const listed = await (await fetch(`${url}/__mock/requests?ignored=true&limit=1`)).json()
  expect(listed).toMatchObject({ total: 100, rows: [{ target: '/nowhere/101' }] })
  expect(await (await fetch(`${url}/requests`)).text()).toContain('100 ignored requests')
  expect(await (await fetch(`${url}/requests?ignored=true`)).text()).toContain('/nowhere/101')
  mock.requestLog.clear()
  expect(mock.requestLog.ignored).toEqual([])
})

test('in process no request is ignored: they are all of the test itself', async () => {
  await mock.fetch(mock.endpoint, { method: 'POST', body: '{}' })
  expect([mock.requestLog.list().length, mock.requestLog.ignored.length]).toEqual([1, 0])
})
