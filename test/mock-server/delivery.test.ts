import { expect, test } from 'vitest'
import { type CallbackFault, createMockServer, type MockServer } from '../../mock-server/index.ts'
import { invite } from './calls.ts'
import { createReceiver } from './receiver.ts'

const NOW = '2030-03-01T09:30:00.000Z'
const HOOK = 'https://app.example/hook'

async function openOne(mock: MockServer) {
  return mock.open((await invite(mock, { callbackUrl: HOOK })).challengeUrl)
}

test('an event that is redelivered while a fault holds it back arrives once, and those after it go on', async () => {
  const { deliver, received } = createReceiver()
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  mock.faults.add({ event: 'any', fault: 'reorder' })
  const original = await openOne(mock)
  original.fail()
  await mock.settle()
  expect(received).toEqual([])
  mock.callbacks.redeliver(mock.callbacks.list()[0]?.id ?? '')
  await mock.settle()
  mock.open(original.claim('retake').inviteId).pass()
  await mock.settle()
  expect(received.map(({ body }) => body.id)).toEqual(mock.callbacks.list().map(({ id }) => id))
})

test.each<CallbackFault>(['reorder', { delay: '10m' }, { delay: 0 }])(
  'a fault that would put every callback off for ever (%j) puts each attempt off once',
  async (fault) => {
    const { deliver, received } = createReceiver()
    const mock = createMockServer({ now: NOW, callbacks: { deliver } })
    mock.faults.add({ event: 'any', fault, probability: 1 })
    const challenge = await openOne(mock)
    challenge.fail()
    challenge.claim('retake')
    await mock.clock.advance('1h')
    expect(received.map(({ body }) => body.id)).toEqual(mock.callbacks.list().map(({ id }) => id))
  },
)

test('after close, and while it closes, the clock can be advanced over what would have happened', async () => {
  const mock = createMockServer({ now: NOW })
  await invite(mock, { candidate: { email: 'pass@candidate.test' } })
  const underWay = mock.clock.advance('1d')
  await mock.close()
  await underWay
  await mock.clock.advance('1d')
  expect(mock.clock.now().toISOString()).toBe('2030-03-03T09:30:00.000Z')
})

test('a callback that a fault sends twice uses up one retry', async () => {
  const { deliver, received } = createReceiver(500, 500, 500)
  const dialect = { callbackRetries: ['1s', '1h'] } as const
  const mock = createMockServer({ now: NOW, dialect, callbacks: { deliver } })
  mock.faults.add({ event: 'any', fault: 'duplicate' })
  const challenge = await openOne(mock)
  challenge.pass()
  await mock.clock.advance('1s')
  expect(received).toHaveLength(3)
  expect(mock.callbacks.list()).toMatchObject([{ nextAttemptAt: '2030-03-01T10:30:01.000Z' }])
})
