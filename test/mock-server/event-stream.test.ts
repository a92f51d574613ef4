import { afterEach, expect, test } from 'vitest'
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

test('the event streams of a session end when it is closed, and other worlds’ streams go on', async () => {
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
