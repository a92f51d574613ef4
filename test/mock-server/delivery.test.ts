import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { HOOK, invite, openHooked } from './calls.ts'
import { createReceiver, realServer } from './receiver.ts'

const NOW = '2030-03-01T09:30:00.000Z'

test('close stops a running advance where it is, and the clock can be advanced afterwards', async () => {
  const mock = createMockServer({ now: NOW })
  await invite(mock, { candidate: { email: 'pass@candidate.test' } })
  const underWay = mock.clock.advance('1d')
  await mock.close()
  await underWay
  await mock.clock.advance('1d')
  expect(mock.clock.now().toISOString()).toBe('2030-03-02T09:30:00.000Z')
})

test('a callback duplicated by a fault uses up one retry', async () => {
  const { deliver, received } = createReceiver(500, 500, 500)
  const behaviour = { callbackRetries: ['1s', '1h'] } as const
  const mock = createMockServer({ now: NOW, behaviour, callbacks: { deliver } })
  mock.faults.add({ event: 'any', fault: 'duplicate' })
  const challenge = await openHooked(mock)
  challenge.pass()
  await mock.clock.advance('1s')
  expect(received).toHaveLength(3)
  expect(mock.callbacks.list()).toMatchObject([{ nextAttemptAt: '2030-03-01T10:30:01.000Z' }])
})

test('redelivered events arrive in their original order, whatever the order of the calls', async () => {
  const { deliver, received } = createReceiver()
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  const original = await openHooked(mock)
  original.fail()
  mock.open(original.claim('retake').inviteId).pass()
  await mock.settle()
  const ids = mock.callbacks.list().map(({ id }) => id)
  for (const id of ids.toReversed()) mock.callbacks.redeliver(id)
  await mock.settle()
  expect(received.map(({ body }) => body.id)).toEqual([...ids, ...ids])
})

test('only the first event of a lane has a next attempt, and none while callbacks are paused', async () => {
  const { deliver } = createReceiver(500)
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  const original = await openHooked(mock)
  original.fail()
  original.claim('retake')
  await mock.settle()
  const next = () => mock.callbacks.list().map(({ nextAttemptAt }) => nextAttemptAt)
  expect(next()).toEqual(['2030-03-01T09:30:01.000Z', null])
  mock.callbacks.pause()
  expect(next()).toEqual([null, null])
})

test('deliverTo takes an origin too: every callback goes there with its path, whatever its host, until reset', async () => {
  const { deliver, received } = createReceiver()
  const { origin, paths } = await realServer()
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  const pass = async (callbackUrl: string) => {
    mock
      .open((await invite(mock, { candidate: { email: `${paths.length}@example.com` }, callbackUrl })).challengeUrl)
      .pass()
    await mock.settle()
  }
  mock.callbacks.deliverTo(`${origin}/`)
  await pass('https://app.example/hook?a=1')
  await pass('https://other.example/b')
  expect([paths, received]).toEqual([['/hook?a=1', '/b'], []])
  mock.callbacks.deliverTo(deliver)
  await pass(HOOK)
  mock.callbacks.deliverTo(origin)
  mock.reset()
  await pass(HOOK)
  expect([paths.length, received.length]).toEqual([2, 2])
})

test('deliverTo refuses an invalid address, and an address that may not be contacted is blocked', async () => {
  const mock = createMockServer({ now: NOW })
  for (const wrong of ['app.example', 'ftp://127.0.0.1', '', {}]) {
    expect(() => mock.callbacks.deliverTo(wrong as string)).toThrow(
      /callbacks\.deliverTo: .* neither an address such as http:\/\/127\.0\.0\.1:3000 nor a function/,
    )
  }
  mock.callbacks.deliverTo('http://app:3000')
  ;(await openHooked(mock)).pass()
  await mock.settle()
  expect(mock.callbacks.list()).toMatchObject([{ status: 'blocked' }])
})

test('reset and restore stop a running advance: the clock does not move afterwards', async () => {
  const mock = createMockServer({ now: NOW })
  const snapshot = mock.snapshot()
  for (const goBack of [() => mock.reset(), () => mock.restore(snapshot)]) {
    await invite(mock, { candidate: { email: 'pass@candidate.test' } })
    const underWay = mock.clock.advance('14d')
    goBack()
    await underWay
    expect(mock.clock.now().toISOString()).toBe(NOW)
  }
})

test('close ends delayed and hanging responses, like a server that goes away', async () => {
  const mock = createMockServer()
  for (const fault of [{ delayMs: 60_000 }, 'hang'] as const) {
    const handle = mock.faults.add({ fault })
    const lost = invite(mock)
    await expect.poll(() => handle.hits).toBe(1)
    await mock.close()
    await expect(lost).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
  }
})
