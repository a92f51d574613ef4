import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { CREATE, INES, QUIZ } from '../mock-server/calls.ts'
import { startStranger, visits } from './visit.ts'

const HOSTILE = '<img src=x onerror="document.title=1"></td></table><script>document.title=1</script>'
const VIEWS = ['/', '/outbox', '/invites', '/callbacks', '/faults', '/requests', '/console', '/connect']

const begin = visits()

async function create(mock: MockServer, url: string, candidate: object = INES, more: object = {}): Promise<Response> {
  return fetch(`${url}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate, ...more } } }),
  })
}

const shows = (page: Page, text: string) => page.getByText(text).first().waitFor()

test('a stranger plays a candidate from the e-mail to a level-up, and the application hears of it', async () => {
  const app = await startStranger()
  onTestFinished(app.close)
  const { mock, url, page } = await begin({ callbacks: { hosts: { 'https://app.example': app.url } } })
  await page.goto(url)
  await shows(page, 'No e-mail was sent yet')
  await create(mock, url, INES, { callbackUrl: 'https://app.example/hook' })
  await page.getByRole('link', { name: `Open link: e-mail to ${INES.email}` }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await shows(page, 'The attempt is in progress')
  await page.getByRole('button', { name: 'Pass' }).click()
  await shows(page, 'the candidate is certified')
  await page.getByRole('button', { name: 'Claim the level-up' }).click()
  await shows(page, 'intermediate')
  await page.getByRole('button', { name: 'Pass' }).click()
  await shows(page, 'the candidate is certified')
  await mock.settle()
  expect(app.received.map(({ type }) => type)).toEqual([
    'certification.completed',
    'certification.follow_up_claimed',
    'certification.completed',
  ])
  await page.goto(`${url}/callbacks`)
  await shows(page, '3 callbacks')
  await page
    .getByRole('button', { name: /^Redeliver/ })
    .last()
    .click()
  await expect.poll(() => app.received.length).toBe(4)
})

test('a fail, an abandoned attempt and a claimed retake are played without any JavaScript', async () => {
  const { mock, url, page } = await begin({}, { javaScriptEnabled: false })
  await create(mock, url)
  await page.goto(mock.outbox[0]?.challengeUrl ?? '')
  await page.getByRole('button', { name: 'Fail' }).click()
  await page.getByRole('button', { name: 'Claim the retake' }).click()
  await page.getByRole('button', { name: 'Abandon' }).click()
  expect(mock.invites.map(({ status }) => status)).toEqual(['FAILED', 'ABANDONED'])
})

test('what the candidate may not do any more is said on the page', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  await page.goto(mock.outbox[0]?.challengeUrl ?? '')
  const button = page.getByRole('button', { name: 'Start' })
  await page.route('**/__mock/events', (route) => route.abort())
  await page.reload()
  mock.open(mock.invites[0]?.inviteId ?? '').fail()
  await button.click()
  expect(await page.getByRole('alert').textContent()).toContain('was failed')
  await page.unroute('**/__mock/events')
  await page.waitForLoadState()
  const looked = page.waitForResponse((response) => response.status() === 410)
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await (await looked).finished()
  expect(await page.getByRole('alert').textContent()).toContain('was failed')
  expect(mock.requestLog.list().filter(({ target }) => target.startsWith('/challenge/'))).toEqual([])
})

test('the clock is moved past the end of a link, and the page shows it at once', async () => {
  const { mock, url, page } = await begin({ now: '2030-03-01T09:30:00Z' })
  await create(mock, url)
  await page.goto(`${url}/invites`)
  await page.locator('.badge.pending').waitFor()
  await page.getByRole('button', { name: /\+14/ }).click()
  await page.locator('.badge.expired').waitFor()
  await page.getByRole('button', { name: /^Unfreeze/ }).click()
  await page.getByRole('button', { name: /^Freeze/ }).waitFor()
  expect(mock.clock.frozen).toBe(false)
})

test('a fault is added by hand, counted when it hits, and removed', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/faults`)
  const form = page.locator('form').filter({ hasText: 'Operation' })
  await form.getByLabel('What happens').selectOption({ label: 'HTTP 503' })
  await form.getByRole('button').click()
  await shows(page, 'fault_1')
  expect((await create(mock, url)).status).toBe(503)
  await page.locator('td[data-label="Hits"]', { hasText: '1' }).waitFor()
  await page.getByRole('button', { name: 'Remove: fault_1' }).click()
  await shows(page, 'Nothing goes wrong')
  expect(mock.faults.list()).toEqual([])
})

test('an invalid rule is refused with a message', async () => {
  const { url, page } = await begin()
  await page.goto(`${url}/faults`)
  await page.getByRole('textbox', { name: 'Rule' }).fill('{"fault":"flood"}')
  await page.getByRole('button', { name: 'Add the rule' }).click()
  await shows(page, 'This fault is not valid')
})

test('the console runs a document, and the e-mail of its invite has a stable address', async () => {
  const { url, page } = await begin()
  await page.goto(`${url}/console`)
  await page.getByRole('button', { name: /Run Ctrl/ }).click()
  await shows(page, 'HTTP 200')
  await page.goto(`${url}/outbox/latest?to=ada@example.com`)
  await page.getByRole('link', { name: 'Open link' }).click()
  await shows(page, 'Ada Byron')
})

test('copy as curl copies a command that asks again', async () => {
  const { mock, url, page } = await begin({}, { permissions: ['clipboard-read', 'clipboard-write'] })
  await create(mock, url)
  await page.goto(`${url}/requests`)
  await page.getByRole('button', { name: 'Copy as curl: request 1' }).click()
  await shows(page, 'Copied')
  const copied = await page.evaluate('navigator.clipboard.readText()')
  expect(copied).toContain(`curl -sS '${url}/api/developer/graphql'`)
  expect(copied).toContain(mock.apiKey)
})

test('a world is exported, brought back by hand, and a session opened', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  await page.goto(`${url}/connect`)
  const state = JSON.stringify(mock.snapshot())
  await page.locator('summary', { hasText: 'Back to the beginning' }).click()
  await page.locator('#reset').getByRole('button').click()
  await expect.poll(() => mock.invites.length).toBe(0)
  await page
    .getByLabel('Import')
    .setInputFiles({ name: 's.json', mimeType: 'application/json', buffer: Buffer.from(state) })
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await expect.poll(() => mock.invites.length).toBe(1)
  await page.getByRole('button', { name: 'Open a session' }).click()
  await page.locator('#sessions a').click()
  await shows(page, 'No e-mail was sent yet')
})

test.each([...VIEWS, 'challenge'])('hostile names stay text on %s', async (view) => {
  const { mock, url, page } = await begin()
  const dialogs: string[] = []
  page.on('dialog', (dialog) => dialogs.push(dialog.message()))
  await create(
    mock,
    url,
    { name: HOSTILE, email: 'mallory@example.com' },
    { externalReference: HOSTILE, callbackUrl: `https://app.example/"><script>document.title=1</script>` },
  )
  mock.open(mock.invites[0]?.inviteId ?? '').fail()
  await page.goto(
    view === 'challenge'
      ? (mock.invites[0]?.challengeUrl ?? '')
      : `${url}${view}?q=${encodeURIComponent(HOSTILE)}&to=${encodeURIComponent(HOSTILE)}`,
  )
  expect(await page.title()).toMatch(/certify sandbox/)
  expect(await page.locator('img, script:not([src])').count()).toBe(0)
  expect(dialogs).toEqual([])
})

test('a name that turns the direction of writing turns nothing else', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url, { name: 'Ada \u202E', email: 'ada@example.com' })
  await page.goto(`${url}/invites`)
  const [first, last] = await page
    .locator('.who bdi')
    .last()
    .evaluate((element) => {
      const text = element.firstChild
      if (text === null) throw new Error('no text')
      return [0, 14].map((index) => {
        const range = element.ownerDocument.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + 1)
        return range.getBoundingClientRect().left
      })
    })
  expect(first).toBeLessThan(last ?? 0)
})

describe.each(['light', 'dark'] as const)('in the %s', (colorScheme) => {
  test.each([...VIEWS, 'challenge'])('axe finds nothing serious on %s, wide or narrow', async (view) => {
    const { mock, url, page } = await begin({}, { colorScheme, bypassCSP: true })
    await create(mock, url, INES, { callbackUrl: 'https://app.example/hook' })
    mock.open(mock.invites[0]?.inviteId ?? '').fail()
    mock.faults.add({ fault: 503 })
    mock.openSession()
    await create(mock, url)
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(view === 'challenge' ? (mock.invites[0]?.challengeUrl ?? '') : url + view)
      await page.addScriptTag({ content: axe.source })
      const found = (await page.evaluate('axe.run()')) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[]
      }
      const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
  })
})

test('10,000 invites are usable: a page of them is there in under a second, in a bounded document', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  await page.goto(`${url}/invites`)
  for (let count = 1; count < 10_000; count += 1) {
    await mock.fetch(mock.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
      body: JSON.stringify({
        query: CREATE,
        variables: { input: { quizId: QUIZ, candidate: { email: `c${count}@example.com` } } },
      }),
    })
  }
  const since = performance.now()
  await page.goto(`${url}/invites?q=c4321@`)
  expect(performance.now() - since).toBeLessThan(1000)
  expect(await page.locator('#invites tbody tr').count()).toBe(1)
  await page.goto(`${url}/invites`)
  await shows(page, 'Page 1 of 400')
  expect(await page.locator('*').count()).toBeLessThan(1000)
})

test('keyboard alone starts an attempt', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  await page.goto(mock.invites[0]?.challengeUrl ?? '')
  for (let tabs = 0; tabs < 10; tabs += 1) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement.id')) === 'start') break
  }
  await page.keyboard.press('Enter')
  await shows(page, 'The attempt is in progress')
})

test('with a token the browser asks for it once, and the page is live and obeys', async () => {
  const httpCredentials = { username: 'anybody', password: 'opensesame' }
  const { mock, url, page, browser } = await begin({}, { httpCredentials }, { controlToken: 'opensesame' })
  await page.goto(url)
  await create(mock, url)
  await page.getByRole('link', { name: `Open link: e-mail to ${INES.email}` }).click()
  await page.getByRole('button', { name: 'Pass' }).click()
  await shows(page, 'the candidate is certified')
  const stranger = await browser.newPage()
  expect((await stranger.goto(url).catch(() => null))?.status() ?? 401).toBe(401)
  await stranger.close()
})
