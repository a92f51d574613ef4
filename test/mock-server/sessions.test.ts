import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, INES, invite, QUIZ } from './calls.ts'

async function createWith(mock: MockServer, apiKey: string, endpoint: string = mock.endpoint) {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
  const body = JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } })
  const response = await mock.fetch(endpoint, { method: 'POST', headers, body })
  const { data } = (await response.json()) as {
    data?: { developerCreateCertificationInvite: { challengeUrl: string } }
  }
  return data?.developerCreateCertificationInvite.challengeUrl
}

test('a session is a separate world: requests with its key reach it at the mock’s address', async () => {
  const mock = createMockServer()
  const [a, b] = [mock.openSession(), mock.openSession()]
  const link = await createWith(mock, a.apiKey)
  expect([mock, a, b].map(({ invites }) => invites.length)).toEqual([0, 1, 0])
  expect(link).toMatch(new RegExp(`^${mock.baseUrl}/s/${a.id}/challenge/\\w+$`))
  expect((await mock.fetch(link ?? '')).status).toBe(200)
})

test('the path of a session is enough to reach it without a key', async () => {
  const mock = createMockServer()
  const session = mock.openSession()
  expect(session.baseUrl).toBe(`${mock.baseUrl}/s/${session.id}`)
  await createWith(mock, session.apiKey, session.endpoint)
  await invite(session)
  expect([mock.invites.length, session.invites.length]).toEqual([0, 2])
  expect(await (await mock.fetch(`${session.baseUrl}/__mock/health`)).json()).toMatchObject({ invites: 2 })
})

test('a key works only in its own session', async () => {
  const mock = createMockServer()
  const [a, b] = [mock.openSession(), mock.openSession()]
  expect(new Set([mock, a, b].flatMap(({ apiKeys }) => apiKeys.map(({ key }) => key))).size).toBe(12)
  expect(a.apiKeys.map(({ name, scopes }) => [name, scopes])).toEqual(
    mock.apiKeys.map(({ name, scopes }) => [name, scopes]),
  )
  expect(await createWith(mock, b.apiKey, a.endpoint)).toBeUndefined()
  expect(await createWith(mock, mock.apiKey, a.endpoint)).toBeUndefined()
})

test('sessions have their own clocks, faults and request logs', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const session = mock.openSession()
  await session.clock.advance('14d')
  session.faults.add({ fault: 503 })
  expect((await ask(mock, '{ __typename }')).status).toBe(200)
  expect((await ask(session, '{ __typename }')).status).toBe(503)
  expect(mock.clock.now().toISOString()).toBe('2030-01-01T00:00:00.000Z')
  expect([mock.requestLog.list().length, session.requestLog.list().length]).toEqual([1, 1])
})

test('over HTTP a session shares the listener, and its links start with the listener’s address', async () => {
  const mock = createMockServer()
  const session = mock.openSession()
  const { url, endpoint } = await mock.listen()
  const headers = { 'content-type': 'application/json', 'x-api-key': session.apiKey }
  const body = JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } })
  await fetch(endpoint, { method: 'POST', headers, body })
  const link = session.invites[0]?.challengeUrl ?? ''
  expect(link.startsWith(`${url}/s/${session.id}/challenge/`)).toBe(true)
  expect((await fetch(link)).status).toBe(200)
  await mock.close()
})

test('a closed session is gone: its key is unknown, its path a 404', async () => {
  const mock = createMockServer()
  const session = mock.openSession()
  await session.close()
  expect(await createWith(mock, session.apiKey)).toBeUndefined()
  expect((await mock.fetch(`${session.baseUrl}/challenge/x`)).status).toBe(404)
  await mock.close()
})

test('an admin session reaches its own world at the mock’s address', async () => {
  const mock = createMockServer()
  const session = mock.openSession()
  const headers = { 'content-type': 'application/json', ...session.adminSession.headers }
  const body = JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } })
  await mock.fetch(mock.endpoint, { method: 'POST', headers, body })
  expect([mock.invites.length, session.invites.length]).toEqual([0, 1])
})

test('a session opened by a session is its sibling, at the same address', async () => {
  const mock = createMockServer()
  const inner = mock.openSession().openSession()
  await createWith(mock, inner.apiKey)
  expect([inner.invites.length, inner.baseUrl, mock.sessions.length]).toEqual([1, `${mock.baseUrl}/s/${inner.id}`, 2])
  await mock.close()
  expect(mock.sessions).toEqual([])
})
