import { afterEach, expect, test, vi } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'

const opened: MockServer[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mock) => mock.close()))
})

function begin(): MockServer {
  const mock = createMockServer()
  opened.push(mock)
  return mock
}

const MOST = 100

test('at most 100 streams of one mock are open; one more is refused, and a closed one makes room', async () => {
  const mock = begin()
  const events = `${mock.baseUrl}/__mock/events`
  const clients = Array.from({ length: MOST }, () => new AbortController())
  for (const { signal } of clients) expect((await mock.fetch(events, { signal })).status).toBe(200)
  const refused = await mock.fetch(events)
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { error: { code: 'STREAMS_FULL', message: expect.stringContaining('100 event streams') } },
  ])
  clients[0]?.abort()
  expect((await mock.fetch(events)).status).toBe(200)
})

test('a client over HTTP that leaves makes room for another', async () => {
  const mock = begin()
  const { url } = await mock.listen()
  const clients = Array.from({ length: MOST }, () => new AbortController())
  // They are kept: a response that nobody holds is given up by the collector.
  const streams: Response[] = []
  for (const { signal } of clients) streams.push(await fetch(`${url}/__mock/events`, { signal }))
  expect((await fetch(`${url}/__mock/events`)).status).toBe(503)
  expect(streams.every(({ status }) => status === 200)).toBe(true)
  for (const client of clients) client.abort()
  await vi.waitFor(async () => expect((await fetch(`${url}/__mock/events`)).status).toBe(200), { timeout: 10_000 })
})

test('the streams of a session end when it is closed, and those of other worlds go on', async () => {
  const mock = begin()
  const { url } = await mock.listen()
  const session = mock.openSession({ id: 'worker-1' })
  const [own, other] = [await fetch(`${url}/s/worker-1/__mock/events`), await fetch(`${url}/__mock/events`)]
  const whole = own.text()
  await session.close()
  expect(await whole).toContain('retry: 1000')
  const reader = other.body?.getReader()
  let text = ''
  while (!text.includes('sessions')) text += new TextDecoder().decode((await reader?.read())?.value)
  expect(text).toContain('"sessions"')
})
