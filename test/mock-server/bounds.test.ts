import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, invite, QUIZ } from './calls.ts'

/* What a mock keeps for people has a bound, and what waits costs nothing. */

test('fault rules that are used up leave the list, the oldest first; active ones stay, and handles keep their counts', async () => {
  const mock = createMockServer()
  const first = mock.faults.add({ fault: 503 })
  await invite(mock).catch(() => {})
  const active = mock.faults.add({ fault: 503, email: 'nobody@example.com' })
  for (let count = 0; count < 150; count += 1) {
    mock.faults.add({ fault: 503 })
    await invite(mock).catch(() => {})
  }
  expect(mock.faults.list()).toHaveLength(102)
  expect(mock.faults.list().map(({ id }) => id)).toContain(active.id)
  expect(mock.faults.list().map(({ id }) => id)).not.toContain(first.id)
  expect(first.hits).toBe(1)
})

test('a thousand sessions may be open; the next is refused until one is closed', async () => {
  const mock = createMockServer({ world: { quizzes: [], tracks: [], candidates: [] } })
  const sessions = Array.from({ length: 1000 }, () => mock.openSession())
  expect(() => mock.openSession()).toThrow('1000 sessions are open: close those that are no longer used.')
  await sessions[7]?.close()
  expect(mock.openSession({ id: 'worker-1' }).id).toBe('worker-1')
})

test('a hundred streams of events may be open; the next is 503, until one ends', async () => {
  const mock = createMockServer()
  const open = async (signal?: AbortSignal) => mock.fetch(`${mock.baseUrl}/__mock/events`, signal ? { signal } : {})
  const ended = new AbortController()
  const streams = [await open(ended.signal)]
  for (let count = 1; count < 100; count += 1) streams.push(await open())
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200))
  expect((await open()).status).toBe(503)
  ended.abort()
  expect((await open()).status).toBe(200)
  await mock.close()
})

test('no more of a receiver’s response is read than is kept', async () => {
  const mock = createMockServer()
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      controller.enqueue(new Uint8Array(1024).fill(120))
    },
  })
  mock.callbacks.deliverTo(() => new Response(endless))
  await invite(mock, { callbackUrl: 'https://app.example/hook' })
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  expect(mock.callbacks.list()[0]?.attempts[0]).toMatchObject({ status: 200, response: 'x'.repeat(4096) })
  expect(sent).toBeLessThan(8)
})

test('a subscriber that throws silences no other', async () => {
  const mock = createMockServer()
  const thrown: unknown[] = []
  const listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (error) => thrown.push(error))
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
  })
  const heard: string[] = []
  mock.subscribe(() => {
    throw new Error('mine')
  })
  mock.subscribe(() => void heard.push('second'))
  await invite(mock)
  await new Promise((resolve) => setImmediate(resolve))
  expect([heard, thrown]).toEqual([['second'], [expect.objectContaining({ message: 'mine' })]])
})

test('callbacks that wait for a retry are all attempted again at its time, however many there are', async () => {
  const mock = createMockServer({ now: '2030-03-01T09:30:00Z' })
  mock.callbacks.deliverTo(() => new Response(null, { status: 500 }))
  const create = async (index: number, callbackUrl?: string) =>
    ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email: `c${index}@example.com` }, callbackUrl } })
  for (let index = 0; index < 200; index += 1) {
    await create(index, 'https://app.example/hook')
    mock.open(mock.invites[index]?.inviteId ?? '').pass()
  }
  await mock.settle()
  expect(mock.callbacks.list({ status: 'waiting' })).toHaveLength(200)
  await mock.clock.advance('1s')
  expect(mock.callbacks.list().every(({ attempts }) => attempts.length === 2)).toBe(true)
  const order = mock.callbacks.list().map(({ nextAttemptAt }) => nextAttemptAt)
  expect(new Set(order)).toEqual(new Set(['2030-03-01T09:30:06.000Z']))
})
