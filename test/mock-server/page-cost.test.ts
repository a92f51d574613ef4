import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, INES, QUIZ } from './calls.ts'

const INVITES = 400
const HTML = { headers: { accept: 'text/html' } }

/*
 * Each row formats times in ISO 8601, and each entry of the request log is searched for keys to hide: so these calls
 * are counted.
 */
let times: MockInstance
let replacements: MockInstance<typeof String.prototype.replaceAll>

async function filledMock() {
  const filled = createMockServer()
  for (let count = 0; count < INVITES; count += 1) {
    await ask(filled, CREATE, { input: { quizId: QUIZ, candidate: { ...INES, email: `c${count}@example.com` } } })
  }
  return filled
}

const mock = await filledMock()

beforeEach(() => {
  times = vi.spyOn(Date.prototype, 'toISOString')
  replacements = vi.spyOn(String.prototype, 'replaceAll')
})
afterEach(() => vi.restoreAllMocks())

/** The number of texts that were searched for keys. */
function redactions(): number {
  const { apiKey } = mock
  return replacements.mock.calls.filter(([text]) => text instanceof RegExp && text.source.includes(apiKey)).length
}

async function look(path: string, at = mock): Promise<string> {
  times.mockClear()
  replacements.mockClear()
  const response = await at.fetch(at.baseUrl + path, HTML)
  expect(response.status).toBe(200)
  return response.text()
}

test.each([
  '/',
  '/invites',
  '/outbox',
  '/invites?page=9',
  '/invites?q=c123@',
  '/invites?status=PENDING',
  '/__mock/invites?limit=25',
  '/__mock/outbox?limit=25',
])('%s renders only the rows that it shows', async (path) => {
  await look(path)
  expect(times.mock.calls.length).toBeLessThan(INVITES / 4)
})

test('health counts rows without rendering any', async () => {
  expect(JSON.parse(await look('/__mock/health'))).toMatchObject({
    invites: INVITES,
    mails: INVITES,
    requests: INVITES,
  })
  expect(times.mock.calls.length).toBeLessThan(5)
  expect(redactions()).toBe(0)
})

test('the request log hides keys only in the requests that it shows, and only on the first view', async () => {
  const unseen = await filledMock()
  await look('/requests', unseen)
  const first = redactions()
  expect(first).toBeGreaterThan(25)
  expect(first).toBeLessThan(25 * 6)
  await look('/requests', unseen)
  expect(redactions()).toBeLessThan(first / 2)
  expect(times.mock.calls.length).toBeLessThan(25)
})

test('a request that nobody views is neither parsed again nor searched for keys', async () => {
  replacements.mockClear()
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES } })
  expect(replacements.mock.calls.length).toBeLessThan(3)
})
