import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { mswHandlers } from '../../mock-server/msw.ts'
import { answerOf, CREATE, INES, keyOf, QUIZ } from './calls.ts'

const mock = createMockServer({ baseUrl: 'https://api.example.test/certify' })
const server = setupServer(...mswHandlers(mock))

afterEach(() => {
  server.close()
  server.resetHandlers()
  server.events.removeAllListeners()
  mock.reset()
})

const create = (headers: Record<string, string> = {}, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(mock.endpoint, {
    signal,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'full'), ...headers },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
  })

test('one line gives MSW the whole service: anonymous documents too, and a state behind it', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  const { body } = await answerOf(await create())
  const [kept] = mock.invites
  expect(body?.data?.['developerCreateCertificationInvite']).toMatchObject({
    inviteId: kept?.inviteId,
    status: 'PENDING',
  })
  expect((await fetch(kept?.challengeUrl ?? '')).status).toBe(200)
})

test('the mock answers everything under its base: a wrong path never leaves the process', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  const response = await fetch('https://api.example.test/certify/graphql')
  expect([response.status, await response.json()]).toEqual([
    404,
    { message: expect.stringContaining('POST /api/developer/graphql') },
  ])
})

test('requests to other hosts, and to other paths of the same host, pass by untouched', async () => {
  const echo = createServer((request, response) => response.end(`${request.method} ${request.url}`))
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  const address = echo.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server.listen({ onUnhandledRequest: 'bypass' })
  const answer = await fetch(`http://127.0.0.1:${port}/api/developer/graphql`, { method: 'POST', body: '{}' })
  expect(await answer.text()).toBe('POST /api/developer/graphql')
  server.use(http.get('https://api.example.test/certify-other', () => HttpResponse.text('another service')))
  expect(await (await fetch('https://api.example.test/certify-other')).text()).toBe('another service')
  echo.closeAllConnections()
  await new Promise((resolve) => echo.close(resolve))
})

test('a handler that a test puts in front wins', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  server.use(http.post(mock.endpoint, () => new HttpResponse(null, { status: 503 })))
  expect((await create()).status).toBe(503)
  expect(mock.invites).toEqual([])
})

test('who listens to MSW can still read the request that the mock answered', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  const bodies: Promise<string>[] = []
  server.events.on('request:match', ({ request }) => bodies.push(request.clone().text()))
  await create()
  expect(await bodies[0]).toContain(INES.email)
})

test('an abort reaches the caller as an abort', async () => {
  server.listen({ onUnhandledRequest: 'error' })
  const asked = fetch(mock.endpoint, { method: 'POST', body: '{}', signal: AbortSignal.abort() })
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  expect(mock.invites).toEqual([])
})

/** What nobody caught, and what was printed as an error, while the test ran. */
function leaks(): unknown[] {
  const seen: unknown[] = []
  const keep = (leak: unknown) => void seen.push(leak)
  const printed = vi.spyOn(console, 'error').mockImplementation(keep)
  process.on('unhandledRejection', keep)
  onTestFinished(() => {
    process.off('unhandledRejection', keep)
    printed.mockRestore()
  })
  return seen
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

test.each([
  ['before', 0],
  ['after', 1],
] as const)('a cut %s the effect is a network error for the caller, and %i invites', async (phase, invites) => {
  server.listen({ onUnhandledRequest: 'error' })
  const seen = leaks()
  mock.faults.add({ phase, fault: 'cut' })
  await expect(create()).rejects.toThrow(TypeError)
  expect([mock.invites.length, mock.outbox.length]).toEqual([invites, invites])
  await turn()
  expect(seen).toEqual([])
})

test.each([
  ['before', 0],
  ['after', 1],
] as const)('a hang %s the effect ends with the caller’s abort and leaks nothing', async (phase, invites) => {
  server.listen({ onUnhandledRequest: 'error' })
  const seen = leaks()
  const handle = mock.faults.add({ phase, fault: 'hang' })
  const caller = new AbortController()
  const asked = create({}, caller.signal)
  while (handle.hits === 0) await turn()
  expect([mock.invites.length, mock.outbox.length]).toEqual([invites, invites])
  const other = fetch(mock.baseUrl)
  expect(await Promise.race([asked, other])).toBe(await other)
  const reason = new Error('enough')
  caller.abort(reason)
  await expect(asked).rejects.toBe(reason)
  await turn()
  expect(seen).toEqual([])
})

test.each(['truncate', 'stall'] as const)('a body that is to %s does so through MSW', async (fault) => {
  server.listen({ onUnhandledRequest: 'error' })
  const seen = leaks()
  mock.faults.add({ phase: 'after', fault })
  const caller = new AbortController()
  const response = await create({}, caller.signal)
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^{"data":{"developerCreate/)
  const more = reader?.read()
  if (fault === 'stall') caller.abort(new Error('enough'))
  await expect(more).rejects.toThrow(fault === 'stall' ? 'enough' : 'terminated')
  await turn()
  expect(seen).toEqual([])
})

test('an abort is heard through MSW however long the caller has waited', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  server.listen({ onUnhandledRequest: 'error' })
  mock.faults.add({ script: ['hang', 'stall'] })
  const caller = new AbortController()
  /* Which of them hangs and which stalls is MSW's to decide. */
  const asked = [1, 2].map(async () => (await create({}, caller.signal)).text())
  const ended = Promise.allSettled(asked)
  for (const _ of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await turn()
    collectGarbage()
  }
  caller.abort('enough')
  expect(await ended).toEqual(asked.map(() => ({ status: 'rejected', reason: 'enough' })))
})

test('two mocks behind one server, each with a base of its own, share nothing, not even a cookie', async () => {
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
