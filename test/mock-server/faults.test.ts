import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import type { FaultHandle } from '../../mock-server/contract/members.ts'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { BehaviourSwitches, Fault } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { type Answer, answerOf, CREATE, INES, keyOf, QUIZ } from './calls.ts'

const PHASES = ['before', 'after'] as const
const EVERYWHERE = ['mock.fetch', 'HTTP'].flatMap((runtime) => PHASES.map((phase) => [runtime, phase] as const))
const LOST = { name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } }

interface Place {
  readonly mock: MockServer
  readonly fetch: typeof globalThis.fetch
  readonly endpoint: string
}

async function placeIn(runtime: string, behaviour: Partial<BehaviourSwitches> = {}): Promise<Place> {
  const mock = createMockServer({ behaviour })
  if (runtime === 'mock.fetch') return { mock, fetch: mock.fetch, endpoint: mock.endpoint }
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  return { mock, fetch, endpoint: listener.endpoint }
}

function create({ mock, fetch, endpoint }: Place, init: RequestInit = {}): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'full') },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
    redirect: 'manual',
    ...init,
  })
}

/** Before the effect there is no invite; after it there is one, with one e-mail. */
function expectEffect({ mock }: Place, phase: 'before' | 'after'): void {
  expect(mock.invites).toHaveLength(phase === 'after' ? 1 : 0)
  expect(mock.outbox.map(({ to }) => to)).toEqual(phase === 'after' ? [INES.email] : [])
}

/** Waits for turns of the event loop until the fault has hit. */
async function hit(handle: FaultHandle): Promise<void> {
  while (handle.hits === 0) await turn()
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Whether a promise is still pending after a complete, unrelated exchange. */
async function isOpen({ mock, fetch, endpoint }: Place, promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const watched = promise.finally(() => {
    settled = true
  })
  watched.catch(() => {})
  await (await fetch(endpoint, { method: 'PUT' })).text()
  if (mock.faults.list().every(({ hits }) => hits === 0)) throw new Error('nothing was hit')
  return !settled
}

/** The response that the endpoint would have sent for the one invite. */
function trueBody({ mock }: Place): string {
  const [{ inviteId, status, challengeUrl, expiresAt, emailSent } = {}] = mock.invites
  const developerCreateCertificationInvite = { inviteId, status, challengeUrl, expiresAt, emailSent }
  return JSON.stringify({ data: { developerCreateCertificationInvite } })
}

test.each(EVERYWHERE)('%s: a status %s the effect looks like a gateway’s error page', async (runtime, phase) => {
  const place = await placeIn(runtime)
  place.mock.faults.add({ phase, script: [503, 429, 418, 204] })
  const answers = []
  let lastLength: string | null = ''
  for (const _ of [1, 2, 3, 4]) {
    const response = await create(place)
    expect(response.headers.get('retry-after')).toBeNull()
    lastLength = response.headers.get('content-length')
    answers.push([response.status, response.headers.get('content-type'), await response.text()])
  }
  expect(answers).toEqual([
    [503, 'text/html; charset=utf-8', expect.stringContaining('<h1>503 Service Unavailable</h1>')],
    [429, 'text/html; charset=utf-8', expect.stringContaining('<h1>429 Too Many Requests</h1>')],
    [418, 'text/html; charset=utf-8', expect.stringContaining('<h1>418</h1>')],
    [204, null, ''],
  ])
  expect(lastLength).toBeNull()
  expect([place.mock.invites.length, place.mock.outbox.length]).toEqual(phase === 'after' ? [4, 4] : [0, 0])
})

test.each(EVERYWHERE)('%s: a stall %s the effect sends half of the body, then nothing', async (runtime, phase) => {
  const place = await placeIn(runtime)
  place.mock.faults.add({ phase, fault: 'stall' })
  const caller = new AbortController()
  const { body, received } = await halfOf(await create(place, { signal: caller.signal }))
  expect(received).toBe(phase === 'after' ? firstHalf(trueBody(place)) : firstHalf(INTERNAL_ERROR))
  const more = body.read()
  expect(await isOpen(place, more)).toBe(true)
  const reason = new Error('enough')
  caller.abort(reason)
  await expect(more).rejects.toBe(reason)
  expectEffect(place, phase)
})

test.each(EVERYWHERE)('%s: a response truncated %s the effect ends with the connection', async (runtime, phase) => {
  const place = await placeIn(runtime)
  place.mock.faults.add({ phase, fault: 'truncate', times: 2 })
  const { body, received } = await halfOf(await create(place))
  expect(received).toBe(phase === 'after' ? firstHalf(trueBody(place)) : firstHalf(INTERNAL_ERROR))
  await expect(body.read()).rejects.toMatchObject({ ...LOST, message: 'terminated' })
  expectEffect(place, phase)
  await expect((await create(place)).json()).rejects.toMatchObject({ ...LOST, message: 'terminated' })
})

const INTERNAL_ERROR = JSON.stringify({
  errors: [{ message: 'This error comes from a fault rule.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
})

function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

/** Reads half of the announced bytes. */
async function halfOf(response: Response): Promise<{ body: ReadableStreamDefaultReader; received: string }> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const expected = Math.floor(Number(response.headers.get('content-length')) / 2)
  const body = (response.body ?? new ReadableStream()).getReader()
  let received = ''
  while (received.length < expected) received += new TextDecoder().decode((await body.read()).value)
  return { body, received }
}

test.each(EVERYWHERE)('%s: any custom response can be sent %s the effect', async (runtime, phase) => {
  const place = await placeIn(runtime)
  const odd: Fault[] = [
    { status: 302, headers: { location: 'https://elsewhere.test/' } },
    { status: 429, headers: { 'Retry-After': '2', 'content-type': 'application/json' }, body: '{}' },
    { status: 200, headers: { 'content-type': 'text/plain' }, body: 'é' },
    { status: 200 },
    { status: 304 },
  ]
  const answers = []
  for (const fault of odd) {
    place.mock.faults.add({ phase, fault })
    const { status, headers, ...response } = await answerWithHeaders(await create(place))
    answers.push([status, headers.get('location') ?? headers.get('retry-after'), response.type, response.text])
  }
  expect(answers).toEqual([
    [302, 'https://elsewhere.test/', null, ''],
    [429, '2', 'application/json', '{}'],
    [200, null, 'text/plain', 'é'],
    [200, null, null, ''],
    [304, null, null, ''],
  ])
  expect([place.mock.invites.length, place.mock.outbox.length]).toEqual(phase === 'after' ? [5, 5] : [0, 0])
})

async function answerWithHeaders(response: Response): Promise<Answer & { headers: Headers }> {
  return { ...(await answerOf(response)), headers: response.headers }
}

test.each(EVERYWHERE)('%s: a GraphQL error %s the effect has its code, without data', async (runtime, phase) => {
  const place = await placeIn(runtime)
  place.mock.faults.add({ phase, fault: { code: 'OUT_OF_ORDER' } })
  const { status, body } = await answerOf(await create(place))
  expect([status, body?.errors?.map(({ extensions }) => extensions)]).toEqual([200, [{ code: 'OUT_OF_ORDER' }]])
  expect(body).not.toHaveProperty('data')
  expectEffect(place, phase)
  place.mock.faults.add({
    phase,
    script: [
      { code: 'A', data: 'absent' },
      { code: 'B', data: 'null' },
    ],
  })
  expect((await answerOf(await create(place))).body).not.toHaveProperty('data')
  expect((await answerOf(await create(place))).body).toMatchObject({ data: null, errors: [{}] })
})

test.each(['mock.fetch', 'HTTP'])('%s: a GraphQL error after the effect can accompany the real result', async (at) => {
  const place = await placeIn(at)
  place.mock.faults.add({ phase: 'after', fault: { code: 'OUT_OF_ORDER', data: 'result' } })
  const { body } = await answerOf(await create(place))
  expect(body).toEqual({
    ...JSON.parse(trueBody(place)),
    errors: [expect.objectContaining({ message: expect.any(String) })],
  })
  expectEffect(place, 'after')
})

test('a GraphQL error follows the behaviour switches for errors', async () => {
  const place = await placeIn('mock.fetch', {
    errorCodePlace: 'top-level',
    errorStatus: 400,
    forbiddenResponse: 'html-403',
  })
  place.mock.faults.add({ script: [{ code: 'RATE_LIMITED' }, { code: 'FORBIDDEN' }] })
  const limited = await answerOf(await create(place))
  expect([limited.status, limited.body?.errors?.[0]?.code]).toEqual([400, 'RATE_LIMITED'])
  expect(await answerOf(await create(place))).toMatchObject({ status: 403, text: expect.stringContaining('<html') })
})

test.each(['hang', 'stall'] as const)('close ends a listener at once, even if a request %ss on it', async (fault) => {
  const mock = createMockServer()
  const listener = await mock.listen()
  const handle = mock.faults.add({ fault })
  const asked = create({ mock, fetch, endpoint: listener.endpoint }).then((response) => response.text())
  asked.catch(() => {})
  await hit(handle)
  await listener.close()
  await expect(asked).rejects.toMatchObject(LOST)
})

test('an abort is heard in process however long the request has been pending', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const place = await placeIn('mock.fetch')
  place.mock.faults.add({ script: ['hang', 'stall', 'hang'] })
  const caller = new AbortController()
  const { signal } = caller
  const init = { method: 'POST', body: '{}', signal }
  const asked = [
    create(place, { signal }),
    create(place, { signal }).then((response) => response.text()),
    place.fetch(new Request(place.endpoint, init)),
  ]
  const ended = Promise.allSettled(asked)
  for (const _ of [1, 2, 3, 4]) {
    await turn()
    collectGarbage()
  }
  caller.abort('enough')
  expect(await ended).toEqual(asked.map(() => ({ status: 'rejected', reason: 'enough' })))
})
