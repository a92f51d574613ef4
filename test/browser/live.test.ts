import type { Page } from 'playwright-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { CREATE, INES, QUIZ } from '../mock-server/calls.ts'
import { visits } from './visit.ts'

const begin = visits()

async function create(mock: MockServer, email: string = INES.email): Promise<void> {
  const input = { quizId: QUIZ, candidate: { ...INES, email } }
  await mock.fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query: CREATE, variables: { input } }),
  })
}

const minuteOf = ({ clock }: MockServer) => clock.now().toISOString().slice(0, 16)

const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test.each(['cut', 'reset'] as const)(
  'one click in the Console is one invite, also where its answer is %s',
  async (fault) => {
    const { mock, url, page } = await begin()
    await page.goto(`${url}/invites`)
    await page.goto(`${url}/console`)
    const run = page.getByRole('button', { name: /^Run/ }).last()
    await run.click()
    await shows(page, 'HTTP 200')
    mock.faults.add({ phase: 'after', fault })
    const answer = page.locator('#answer')
    const before = mock.invites.length
    await run.click()
    await expect.poll(() => answer.textContent(), { timeout: 5000 }).toContain('no answer')
    expect(mock.invites.length - before).toBe(1)
    expect(mock.outbox.length - before).toBe(1)
  },
)

test('one click is one invite although the browser has connections that it opened and has not used', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/console`)
  mock.faults.add({ phase: 'after', fault: 'cut', times: Infinity })
  const answer = page.locator('#answer')
  for (let round = 1; round <= 8; round += 1) {
    await page.evaluate(ABORTED_FETCHES)
    await page.getByRole('button', { name: /^Run/ }).last().click()
    await expect.poll(() => answer.textContent(), { timeout: 5000 }).toContain('no answer')
    expect(mock.invites).toHaveLength(round)
    await page.reload()
  }
}, 60_000)

/* The browser opens a connection for each, and keeps those whose request was given up before it was sent. */
const ABORTED_FETCHES = `(async () => {
  for (let count = 0; count < 30; count += 1) {
    const controller = new AbortController()
    fetch('/__mock/health', { signal: controller.signal }).catch(() => {})
    if (count % 2) await new Promise((resolve) => setTimeout(resolve, count % 5))
    controller.abort()
  }
})()`

test('a browser never uses a connection twice; a program does', async () => {
  const { mock, url, page } = await begin()
  const response = await page.goto(`${url}/console`)
  expect(await response?.headerValue('connection')).toBe('close')
  const [health, asked] = [
    await fetch(`${url}/__mock/health`),
    await fetch(`${url}/api/developer/graphql`, { method: 'POST', headers: { 'x-api-key': mock.apiKey }, body: '{}' }),
  ]
  expect([health.headers.get('connection'), asked.headers.get('connection')]).toEqual(['keep-alive', 'keep-alive'])
})

test('what somebody typed and chose, the focus and the selection survive a change, and the list still shows it', async () => {
  const { mock, url, page } = await begin()
  await create(mock, 'first@example.com')
  await page.goto(`${url}/invites`)
  await page.getByLabel('Status').selectOption('PASSED')
  const search = page.getByRole('searchbox')
  await search.pressSequentially('first@')
  const field = 'document.activeElement'
  await page.evaluate(`${field}.setSelectionRange(1, 3)`)
  await create(mock, 'second@example.com')
  await shows(page, 'second@example.com')
  const kept = await page.evaluate(`[${field}.name, ${field}.value, ${field}.selectionStart, ${field}.selectionEnd]`)
  expect(kept).toEqual(['q', 'first@', 1, 3])
  await page.locator('main').focus()
  await create(mock, 'third@example.com')
  await shows(page, 'third@example.com')
  expect([await search.inputValue(), await page.getByLabel('Status').inputValue()]).toEqual(['first@', 'PASSED'])
})

test('a text that somebody selected stays selected, and details stay open, while new rows come', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  await page.goto(`${url}/requests`)
  await page.locator('#request-1 summary').click()
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('#request-1 pre'))")
  const selected = await page.evaluate('String(getSelection())')
  await create(mock, 'second@example.com')
  await page.locator('#request-2').waitFor()
  expect(await page.evaluate('String(getSelection())')).toBe(selected)
  expect(await page.locator('#request-1').getAttribute('open')).not.toBeNull()
})

test('a stopped mock is seen at once, with the time, and the page goes on by itself when it is back', async () => {
  const { mock, listener, url, page } = await begin()
  await page.goto(`${url}/invites`)
  await page.waitForLoadState('networkidle').catch(() => {})
  await listener.close()
  await shows(page, /not reachable since \d\d:\d\d:\d\d UTC/)
  const time = page.locator('#clock time')
  const stopped = await time.textContent()
  await expect.poll(() => page.evaluate('performance.now()')).toBeGreaterThan(1500)
  expect(await time.textContent()).toBe(stopped)
  await create(mock)
  await mock.listen({ port: listener.port })
  await shows(page, INES.email)
  await page.locator('#away').waitFor({ state: 'hidden' })
  await expect.poll(() => time.textContent(), { timeout: 5000 }).not.toBe(stopped)
})

test('twenty pages of one browser stay live at once, with one stream for all of them', async () => {
  const { mock, url, tab } = await begin()
  const streams: string[] = []
  tab.on('request', (request) => void (request.url().endsWith('/events') && streams.push(request.url())))
  const pages = await Promise.all(Array.from({ length: 20 }, () => tab.newPage()))
  for (const each of pages) await each.goto(`${url}/invites`)
  await create(mock)
  for (const each of pages) await shows(each, INES.email)
  expect(streams).toHaveLength(1)
  await pages[0]?.close()
  await create(mock, 'after@example.com')
  for (const each of pages.slice(1)) await shows(each, 'after@example.com')
}, 60_000)

test('the page of a candidate opens no stream, and looks again when somebody comes back to it', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  const streams: string[] = []
  page.on('request', (request) => void (request.url().endsWith('/events') && streams.push(request.url())))
  const { challengeUrl = '', inviteId = '' } = mock.invites[0] ?? {}
  await page.goto(challengeUrl.replace(mock.baseUrl, url))
  mock.open(inviteId).pass()
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await shows(page, 'the candidate is certified')
  expect(streams).toEqual([])
})

test('a clock that nobody moved is no news; one that somebody moved is', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/faults`)
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 90_000)
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await expect.poll(() => page.locator('#clock time').getAttribute('datetime')).toContain(minuteOf(mock))
  expect(await page.locator('#status').textContent()).toBe('')
  await mock.clock.advance('1d')
  await expect.poll(() => page.locator('#status').textContent(), { timeout: 5000 }).toContain('Clock: ')
})

test('active faults and paused callbacks are seen on every page', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/console`)
  expect(await page.locator('#in-effect a').count()).toBe(0)
  mock.faults.add({ fault: 503 })
  mock.callbacks.pause()
  await shows(page, '1 active fault')
  await shows(page, 'callbacks paused')
  mock.faults.clear()
  mock.callbacks.resume()
  await expect.poll(() => page.locator('#in-effect a').count(), { timeout: 5000 }).toBe(0)
})

test('a page about an invite that a reset has removed says so, also in a session', async () => {
  const { mock, url, page } = await begin()
  const session = mock.openSession({ id: 'worker-1' })
  for (const [world, prefix] of [
    [mock, ''],
    [session, '/s/worker-1'],
  ] as const) {
    await create(world)
    await page.goto(`${url}${prefix}/invites/${world.invites[0]?.inviteId}`)
    world.reset()
    await shows(page, /What this page shows is gone since \d\d:\d\d:\d\d UTC: the world was reset/)
  }
})

test('a page goes on updating after an update that failed', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/invites`)
  const failed = page.waitForEvent('pageerror')
  await page.evaluate(FAIL_ONCE)
  await create(mock, 'first@example.com')
  expect((await failed).message).toBe('broken by this test')
  await create(mock, 'second@example.com')
  await shows(page, 'second@example.com')
})

/* The page compares each section with the new one. */
const FAIL_ONCE = `(() => {
  const { isEqualNode } = Node.prototype
  Node.prototype.isEqualNode = () => {
    Node.prototype.isEqualNode = isEqualNode
    throw new Error('broken by this test')
  }
})()`

test('the pages of a session name it, lead back to the main world, and say when it was closed', async () => {
  const { mock, url, page } = await begin()
  const session = mock.openSession({ id: 'worker-1' })
  await page.goto(`${url}/s/worker-1/invites`)
  await shows(page, 'Session worker-1')
  await session.close()
  await shows(page, /The session worker-1 was closed at \d\d:\d\d:\d\d UTC/)
  await page.getByRole('link', { name: 'main world' }).click()
  await page.waitForURL(`${url}/connect`)
})

test('the clock is frozen at any time to come', async () => {
  const { mock, url, page } = await begin()
  await page.goto(url)
  await page.getByText('Freeze at…').click()
  await page.getByLabel('Time in UTC').fill('2040-02-29T12:30:15')
  await page.getByRole('button', { name: 'Freeze there' }).click()
  await page.locator('#clock time', { hasText: '2040-02-29 12:30:15' }).waitFor()
  expect([mock.clock.frozen, mock.clock.now().toISOString()]).toEqual([true, '2040-02-29T12:30:15.000Z'])
})
