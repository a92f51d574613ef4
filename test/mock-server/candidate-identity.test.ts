import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { invite, QUIZ, refusedInvite } from './calls.ts'
import { createReceiver } from './receiver.ts'

const NOW = '2030-03-01T09:30:00.000Z'
const HOOK = 'https://app.example/hook'
const BOB = { candidate: { email: 'Bob@example.com' } }

/** A mock in which addresses in other letters are other candidates. */
function exactMock(...statuses: number[]) {
  const receiver = createReceiver(...statuses)
  const behaviour = { candidateIdentity: 'exact-email', pendingInvite: 'refuse' } as const
  return { receiver, mock: createMockServer({ now: NOW, behaviour, callbacks: { deliver: receiver.deliver } }) }
}

/** A snapshot in which the result of Bob waits to be sent again. */
async function snapshotOfFailure() {
  const { mock } = exactMock(500)
  const { inviteId } = await invite(mock, { ...BOB, callbackUrl: HOOK })
  mock.open(inviteId).fail()
  await mock.settle()
  return { inviteId, snapshot: mock.snapshot() }
}

test('a restored invite belongs to its candidate as the present identity says, so no second one is created', async () => {
  const { mock } = exactMock()
  await invite(mock, BOB)
  const snapshot = mock.snapshot()
  mock.setBehaviour({ candidateIdentity: 'normalised-email' })
  mock.restore(snapshot)
  for (const email of ['Bob@example.com', 'bob@example.com']) {
    expect((await refusedInvite(mock, { candidate: { email } }))[0]).toBe('BAD_USER_INPUT')
  }
  expect(mock.invites).toHaveLength(1)
})

test('a restored mock starts under another identity than its snapshot was taken under', async () => {
  const original = createMockServer()
  await invite(original, BOB)
  const { mock } = exactMock()
  mock.restore(original.snapshot())
  expect((await refusedInvite(mock, BOB))[0]).toBe('BAD_USER_INPUT')
  await invite(mock, { candidate: { email: 'bob@example.com' } })
})

test.each(['a change of the identity', 'a restore'])(
  'after %s an event still waits for the one before it of the same candidate, and a wait finds both',
  async (way) => {
    const { inviteId, snapshot } = await snapshotOfFailure()
    const { mock, receiver } = exactMock()
    if (way === 'a restore') mock.setBehaviour({ candidateIdentity: 'normalised-email' })
    mock.restore(snapshot)
    mock.setBehaviour({ candidateIdentity: 'normalised-email' })
    mock.open(inviteId).claim('retake')
    await mock.settle()
    const types = ['certification.completed', 'certification.follow_up_claimed']
    const [first, second] = mock.callbacks.list()
    expect([first, second]).toMatchObject([
      { type: types[0], status: 'waiting', waitsBehind: null },
      { type: types[1], status: 'waiting', waitsBehind: first?.id, nextAttemptAt: null },
    ])
    for (const type of types) {
      expect(await mock.waitForCallback({ email: 'bob@example.com', type, timeoutMs: 0 })).toMatchObject({ type })
    }
    await mock.clock.advance('1h')
    expect(receiver.received.map(({ body }) => body.type)).toEqual(types)
  },
)

test('queues that become one keep the order of their events', async () => {
  const { mock, receiver } = exactMock()
  mock.callbacks.pause()
  const order = ['bob@example.com', 'Bob@example.com', 'BOB@example.com', 'bob@example.com']
  const inviteIds: string[] = []
  for (const email of order) {
    const { inviteId } = await invite(mock, { candidate: { email }, callbackUrl: HOOK })
    mock.open(inviteId).fail()
    await mock.clock.advance('100d')
    inviteIds.push(inviteId)
  }
  mock.setBehaviour({ candidateIdentity: 'normalised-email' })
  const [first] = mock.callbacks.list()
  expect(mock.callbacks.list().map(({ waitsBehind }) => waitsBehind)).toEqual([null, first?.id, first?.id, first?.id])
  mock.callbacks.resume()
  await mock.settle()
  expect(receiver.received.map(({ body }) => body.data['inviteId'])).toEqual(inviteIds)
})

test('an attempt that is under way when the identity changes ends, and its event is sent again before the next one', async () => {
  const seen: string[] = []
  let mock: MockServer | undefined
  const deliver = async (request: Request): Promise<Response> => {
    seen.push(((await request.json()) as { type: string }).type)
    if (seen.length > 1) return new Response(null, { status: 204 })
    mock?.setBehaviour({ candidateIdentity: 'normalised-email' })
    return new Promise<Response>(() => {})
  }
  mock = createMockServer({ now: NOW, behaviour: { candidateIdentity: 'exact-email' }, callbacks: { deliver } })
  const { inviteId } = await invite(mock, { ...BOB, quizId: QUIZ, callbackUrl: HOOK })
  const challenge = mock.open(inviteId)
  challenge.fail()
  challenge.claim('retake')
  await mock.settle()
  const completed = 'certification.completed'
  expect(seen).toEqual([completed, completed, 'certification.follow_up_claimed'])
  expect(mock.callbacks.list().map(({ status }) => status)).toEqual(['delivered', 'delivered'])
})
