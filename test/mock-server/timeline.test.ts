import { afterEach, expect, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { HOOK, invite, openHooked } from './calls.ts'
import { createReceiver } from './receiver.ts'

const NOW = '2030-03-01T09:30:00.000Z'

afterEach(() => {
  vi.useRealTimers()
})

test('an advance runs everything that falls due, at its time and in order', async () => {
  const times: string[] = []
  const mock = createMockServer({
    now: NOW,
    callbacks: {
      deliver: async (request) => {
        const { type } = (await request.json()) as { type: string }
        times.push(`${mock.clock.now().toISOString().slice(14, 19)} ${type.slice(14)}`)
        return new Response(null, { status: times.length === 1 ? 500 : 204 })
      },
    },
  })
  await invite(mock, { candidate: { email: 'retake@candidate.test' }, callbackUrl: HOOK })
  await mock.clock.advance('14d')
  expect(times).toEqual(['30:02 completed', '30:03 completed', '30:03 follow_up_claimed', '30:05 completed'])
  expect(mock.clock.now().toISOString()).toBe('2030-03-15T09:30:00.000Z')
})

test('concurrent advances run one after the other', async () => {
  const { deliver, received } = createReceiver(500, 500)
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  ;(await openHooked(mock)).pass()
  await Promise.all([mock.clock.advance('1s'), mock.clock.advance('5s')])
  expect(mock.clock.now().toISOString()).toBe('2030-03-01T09:30:06.000Z')
  expect(received).toHaveLength(3)
})

test('freezing at a later time runs everything that falls due until then', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock, { candidate: { email: 'pass@candidate.test' } })
  const at = new Date(mock.clock.now().getTime() + 60_000)
  await mock.clock.freeze(at)
  expect([mock.clock.now(), mock.open(challengeUrl).invite.status]).toEqual([at, 'PASSED'])
})

test('a frozen clock can follow real time again from where it stands', async () => {
  vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') })
  const mock = createMockServer({ now: NOW })
  vi.advanceTimersByTime(5000)
  expect(mock.clock.now().toISOString()).toBe(NOW)
  mock.clock.follow()
  vi.advanceTimersByTime(1500)
  expect(mock.clock.now().toISOString()).toBe('2030-03-01T09:30:01.500Z')
})

test('nothing hangs under fake timers: requests, callbacks, delayed responses, advance and close', async () => {
  vi.useFakeTimers()
  const { deliver, received } = createReceiver(500)
  const mock = createMockServer({ callbacks: { deliver } })
  mock.faults.add({ fault: { delayMs: 5 } })
  ;(await openHooked(mock)).pass()
  await mock.settle()
  await mock.clock.advance('1s')
  expect(received).toHaveLength(2)
  await mock.close()
})

test('every response carries the time of the world', async () => {
  const mock = createMockServer({ now: NOW })
  const dates = async (): Promise<(string | null)[]> => {
    const paths = ['/api/developer/graphql', '/challenge/nothing', '/nowhere']
    return Promise.all(paths.map(async (path) => (await mock.fetch(mock.baseUrl + path)).headers.get('date')))
  }
  expect(new Set(await dates())).toEqual(new Set(['Fri, 01 Mar 2030 09:30:00 GMT']))
  const listener = await mock.listen()
  await mock.clock.advance('14d')
  expect((await fetch(`${listener.url}/nowhere`)).headers.get('date')).toBe('Fri, 15 Mar 2030 09:30:00 GMT')
  await mock.close()
})

test('rateLimit: a key has a number of requests per period, and is told when to retry', async () => {
  const mock = createMockServer({ now: NOW, behaviour: { rateLimit: { requests: 2, per: '1m' } } })
  const send = async (key: string) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const response = await mock.fetch(mock.endpoint, { method: 'POST', headers, body: '{"query":"{ __typename }"}' })
    return [response.status, response.headers.get('retry-after')]
  }
  const [first = '', second = ''] = mock.apiKeys.map(({ key }) => key)
  expect([await send(first), await send(first), await send(second)]).toEqual([
    [200, null],
    [200, null],
    [200, null],
  ])
  await mock.clock.advance('12500ms')
  expect(await send(first)).toEqual([429, '48'])
  await mock.clock.advance('47500ms')
  expect(await send(first)).toEqual([200, null])
})

test('close leaves no server and no session, stops callbacks in flight, and sends none afterwards', async () => {
  const servers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length
  let asked = 0
  const deliver = (): Promise<Response> => {
    asked += 1
    return new Promise(() => {})
  }
  const mock = createMockServer({ callbacks: { deliver } })
  await mock.listen()
  const session = mock.openSession()
  await session.listen()
  expect(servers()).toBeGreaterThanOrEqual(2)
  ;(await openHooked(mock)).pass()
  session.open((await invite(session, { callbackUrl: HOOK })).challengeUrl).pass()
  await mock.close()
  await expect.poll(servers).toBe(0)
  expect(asked).toBe(1)
  expect(mock.callbacks.list()).toMatchObject([{ status: 'waiting', attempts: [] }])
})
