import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { invite, QUIZ } from './calls.ts'
import { createReceiver, realServer } from './receiver.ts'

const NOW = '2030-03-01T09:30:00.000Z'
const HOOK = 'https://app.example/hooks/certify?tenant=7'

/** A mock with a frozen clock whose callbacks reach a receiver with these responses. */
function mockWith(statuses: number[] = [], options: MockServerOptions = {}) {
  const receiver = createReceiver(...statuses)
  const mock = createMockServer({ now: NOW, callbacks: { deliver: receiver.deliver }, ...options })
  return { mock, receiver }
}

async function openOne(mock: MockServer, input: object = {}) {
  return mock.open((await invite(mock, { callbackUrl: HOOK, ...input })).challengeUrl)
}

test('a result is POSTed to the callbackUrl of its invite, as JSON with an identifier', async () => {
  const { mock, receiver } = mockWith()
  const challenge = await openOne(mock, { externalReference: 'application-7' })
  challenge.pass()
  await mock.settle()
  const [event] = receiver.received
  expect(event?.body).toEqual({
    id: expect.stringMatching(/^evt_\w{16}$/),
    type: 'certification.completed',
    occurredAt: NOW,
    data: {
      inviteId: challenge.invite.inviteId,
      quizId: QUIZ,
      result: 'PASSED',
      validUntil: '2032-03-01T09:30:00.000Z',
      externalReference: 'application-7',
    },
  })
  expect(event?.url).toBe(HOOK)
  expect(event?.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(event?.headers.get('x-certify-event-id')).toBe(event?.body.id)
})

test('a claimed follow-up is sent with both invite ids, before the results of its attempt', async () => {
  const { mock, receiver } = mockWith()
  const original = await openOne(mock)
  original.fail()
  const retake = original.claim('retake')
  mock.open(retake.inviteId).pass()
  await mock.settle()
  expect(receiver.received.map(({ body }) => [body.type, body.data['result'] ?? body.data['kind']])).toEqual([
    ['certification.completed', 'FAILED'],
    ['certification.follow_up_claimed', 'retake'],
    ['certification.completed', 'PASSED'],
  ])
  expect(receiver.received[1]?.body.data).toMatchObject({
    originalInviteId: original.invite.inviteId,
    followUpInviteId: retake.inviteId,
  })
})

test('an abandoned attempt, an invite without a callbackUrl and a history send no event', async () => {
  const { mock, receiver } = mockWith()
  const abandoned = await openOne(mock)
  abandoned.abandon()
  mock.open((await invite(mock)).challengeUrl).pass()
  mock.candidate('grace@candidate.test').certify(QUIZ)
  await mock.settle()
  expect([receiver.received, mock.callbacks.list()]).toEqual([[], []])
})

test('an unacknowledged event is retried after 1 s, 5 s, 30 s, 5 min and 1 h of mock time, then given up', async () => {
  const { mock, receiver } = mockWith(Array.from({ length: 10 }, () => 500))
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.settle()
  for (const [waits, times] of [
    ['999ms', 1],
    [1, 2],
    ['5s', 3],
    ['30s', 4],
    ['5m', 5],
    ['59m', 5],
    ['1m', 6],
    ['30d', 6],
  ] as const) {
    await mock.clock.advance(waits)
    expect(receiver.received).toHaveLength(times)
  }
  expect(mock.callbacks.list()).toMatchObject([{ status: 'given-up', nextAttemptAt: null }])
})

test('every attempt has the same identifier and the same bytes, and its number', async () => {
  const { mock, receiver } = mockWith([500, 302, 404])
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.clock.advance('1h')
  const [first] = receiver.received
  expect(receiver.received.map(({ text }) => text)).toEqual(Array.from({ length: 4 }, () => first?.text))
  expect(receiver.received.map(({ headers }) => headers.get('x-certify-attempt'))).toEqual(['1', '2', '3', '4'])
  expect(mock.callbacks.list()).toMatchObject([
    {
      status: 'delivered',
      attempts: [
        { at: NOW, status: 500, error: null },
        { at: '2030-03-01T09:30:01.000Z', status: 302 },
        { at: '2030-03-01T09:30:06.000Z', status: 404 },
        { at: '2030-03-01T09:30:36.000Z', status: 204 },
      ],
    },
  ])
})

test('an event waits for the previous one of the same candidate and address, and for no other', async () => {
  const { mock, receiver } = mockWith([500])
  const first = await openOne(mock)
  const sameLane = await openOne(mock, { quizId: 'quiz_javascript_beginner' })
  const otherCandidate = await openOne(mock, { candidate: { email: 'grace@candidate.test' } })
  const otherAddress = await openOne(mock, { quizId: 'quiz_python_beginner', callbackUrl: 'https://other.example/' })
  for (const challenge of [first, sameLane, otherCandidate, otherAddress]) challenge.pass()
  await mock.settle()
  const told = () => receiver.received.map(({ body }) => body.data['inviteId'])
  const ids = [first, otherCandidate, otherAddress].map(({ invite: { inviteId } }) => inviteId)
  expect(told()).toEqual(ids)
  await mock.clock.advance('1s')
  expect(told().slice(3)).toEqual([first.invite.inviteId, sameLane.invite.inviteId])
})

test('an event that was given up blocks the ones behind it until it is redelivered', async () => {
  const { mock, receiver } = mockWith(Array.from({ length: 6 }, () => 503))
  const challenge = await openOne(mock)
  challenge.fail()
  challenge.claim('retake')
  await mock.clock.advance('2h')
  expect(mock.callbacks.list().map(({ status }) => status)).toEqual(['given-up', 'waiting'])
  mock.callbacks.redeliver(mock.callbacks.list()[0]?.id ?? '')
  await mock.settle()
  expect(mock.callbacks.list().map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  const types = receiver.received.slice(6).map(({ body }) => body.type)
  expect(types).toEqual(['certification.completed', 'certification.follow_up_claimed'])
})

test('callbackRetries sets the number of attempts and the delays between them', async () => {
  const { mock, receiver } = mockWith([500, 500, 500], { behaviour: { callbackRetries: ['10m', '10m'] } })
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.clock.advance('1d')
  expect(receiver.received).toHaveLength(3)
  expect(mock.callbacks.list()[0]?.attempts.map(({ at }) => at.slice(11, 16))).toEqual(['09:30', '09:40', '09:50'])
})

test('a redelivery has the same identifier and body, and a fresh set of attempts', async () => {
  const { mock, receiver } = mockWith([200, 500])
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.settle()
  const id = mock.callbacks.list()[0]?.id ?? ''
  mock.callbacks.redeliver(id)
  await mock.clock.advance('1s')
  expect(receiver.received).toHaveLength(3)
  expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1)
  expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered', attempts: [{}, { status: 500 }, {}] }])
  expect(() => mock.callbacks.redeliver('evt_nothing')).toThrow('No event "evt_nothing"')
})

test('an origin can be mapped, keeping path and query; redirects are not followed; user info becomes basic authentication', async () => {
  const seen: unknown[] = []
  const server = await realServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  const mock = createMockServer({ now: NOW, callbacks: { hosts: { 'https://app.example': server.origin } } })
  const challenge = await openOne(mock, { callbackUrl: 'https://us%C3%A9r:p%40ss@app.example/hooks?tenant=7' })
  challenge.pass()
  await mock.settle()
  expect(server.paths).toEqual(['/hooks?tenant=7'])
  expect(seen).toEqual([`Basic ${Buffer.from('usér:p@ss').toString('base64')}`])
  expect(mock.callbacks.list()).toMatchObject([{ status: 'waiting', attempts: [{ status: 307 }] }])
})

test('only loopback addresses are contacted: other callbacks are blocked, and do not block the ones behind them', async () => {
  const mock = createMockServer({ now: NOW })
  const challenge = await openOne(mock)
  challenge.fail()
  challenge.claim('retake')
  await mock.clock.advance('1d')
  expect(mock.callbacks.list().map(({ status }) => status)).toEqual(['blocked', 'blocked'])
  expect(mock.callbacks.list()[0]?.attempts[0]?.error).toContain('app.example was not contacted')
})

test('timeoutMs limits the wait for a response, in real time', async () => {
  const server = await realServer(() => {})
  const hosts = { 'https://app.example': server.origin }
  const mock = createMockServer({ now: NOW, callbacks: { hosts, timeoutMs: 30 } })
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.settle()
  expect(mock.callbacks.list()).toMatchObject([
    { status: 'waiting', attempts: [{ error: 'no response within 30 ms' }] },
  ])
})

test('reset abandons deliveries in flight: a later response changes nothing', async () => {
  let release: (response: Response) => void = () => {}
  const deliver = (): Promise<Response> =>
    new Promise((resolve) => {
      release = resolve
    })
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  const challenge = await openOne(mock)
  challenge.pass()
  await new Promise(setImmediate)
  mock.reset()
  release(new Response(null, { status: 500 }))
  await mock.settle()
  expect(mock.callbacks.list()).toEqual([])
})

test('with a clock that follows real time, a due retry is sent without an advance', async () => {
  const receiver = createReceiver(500)
  const behaviour = { callbackRetries: ['20ms'] } as const
  const mock = createMockServer({ behaviour, callbacks: { deliver: receiver.deliver } })
  const challenge = await openOne(mock)
  challenge.pass()
  await expect.poll(() => mock.callbacks.list()[0]?.status).toBe('delivered')
  expect(receiver.received).toHaveLength(2)
  await mock.close()
})

test('a delayed callback arrives at its time', async () => {
  const { mock, receiver } = mockWith()
  mock.faults.add({ event: 'any', fault: { delay: '10m' } })
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.clock.advance('599s')
  expect(receiver.received).toHaveLength(0)
  await mock.clock.advance('1s')
  expect(receiver.received).toHaveLength(1)
})
