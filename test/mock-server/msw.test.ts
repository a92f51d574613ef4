import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { mswHandlers } from '../../mock-server/msw.ts'
import { startServer } from '../src/http-server.ts'
import { CREATE, INES, keyOf, QUIZ } from './calls.ts'

const mock = createMockServer({ baseUrl: 'https://api.example.test/certify' })
const server = setupServer(...mswHandlers(mock))

afterEach(() => {
  server.close()
  server.resetHandlers()
  server.events.removeAllListeners()
  mock.reset()
})

const create = (): Promise<Response> =>
  fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'full') },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
  })

test('the mock answers everything below its base URL: a wrong path never leaves the process', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  const response = await fetch('https://api.example.test/certify/graphql')
  expect([response.status, await response.json()]).toEqual([
    404,
    { message: expect.stringContaining('POST /api/developer/graphql') },
  ])
})

test('requests to other hosts, and to other paths on the same host, pass through untouched', async () => {
  const { url } = await startServer((response, { method, path }) => response.end(`${method} ${path}`))
  server.listen({ onUnhandledRequest: 'bypass' })
  const answer = await fetch(`${url}/api/developer/graphql`, { method: 'POST', body: '{}' })
  expect(await answer.text()).toBe('POST /api/developer/graphql')
  server.use(http.get('https://api.example.test/certify-other', () => HttpResponse.text('another service')))
  expect(await (await fetch('https://api.example.test/certify-other')).text()).toBe('another service')
})

test('two mocks behind one server, with different base URLs, share nothing, not even a cookie', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  const other = createMockServer({ baseUrl: 'https://other.example.test' })
  server.use(...mswHandlers(other))
  mock.faults.add({ fault: { status: 200, headers: { 'set-cookie': 'session=mine; Path=/' } } })
  expect((await create()).headers.get('set-cookie')).toBe('session=mine; Path=/')
  const cookies: (string | null)[] = []
  server.events.on('request:start', ({ request }) => cookies.push(request.headers.get('cookie')))
  await Promise.all([create(), create(), fetch(other.baseUrl)])
  expect(cookies).toEqual([null, null, null])
  expect([mock.invites.length, other.invites.length]).toEqual([2, 0])
})
