import { describe, expect, test } from 'vitest'
import { INES } from '../mock-server/calls.ts'
import { create, shows, visits } from './visit.ts'

/* A page shows changes, keeps what the user is doing on it, and says when its mock is away. */

const begin = visits()

test('input, selection and focus survive an update, and the list still updates', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  await page.goto(`${url}/invites`)
  const search = page.getByRole('searchbox')
  await search.pressSequentially('@')
  await page.waitForURL(/q=%40/)
  await page.evaluate('document.activeElement.setSelectionRange(0, 1)')
  await create(mock, { candidate: { email: 'second@example.com' } })
  await shows(page, 'second@example.com')
  const field = 'document.activeElement'
  const kept = await page.evaluate(`[${field}.name, ${field}.value, ${field}.selectionStart, ${field}.selectionEnd]`)
  expect(kept).toEqual(['q', '@', 0, 1])
})

test('selected text stays selected and formatted, and details stay open, while rows arrive', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  await page.goto(`${url}/requests`)
  await page.locator('#details-1 > summary').click()
  await page.getByRole('group', { name: 'Request: POST' }).waitFor()
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('#entry-1 .payload pre'))")
  const selected = await page.evaluate('String(getSelection())')
  expect(selected).toContain('mutation')
  expect(selected).not.toContain('\\n')
  await create(mock)
  await page.getByRole('button', { name: '1 new · show' }).click()
  await page.locator('#details-2').waitFor()
  expect(await page.evaluate('String(getSelection())')).toBe(selected)
  expect(await page.locator('#details-1').getAttribute('open')).not.toBeNull()
})

test('what somebody reads in the request log neither moves nor vanishes, however many requests arrive', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  await page.goto(`${url}/requests`)
  await page.locator('#details-1 > summary').click()
  for (let count = 0; count < 31; count += 1) await mock.fetch(mock.endpoint)
  const show = page.getByRole('button', { name: '31 new · show' })
  await show.waitFor()
  expect(await page.locator('#entry-1 .payload pre').first().isVisible()).toBe(true)
  expect(await page.locator('.entries > li').count()).toBe(1)
  await show.click()
  await page.locator('#details-32').waitFor()
})

test('a list is searched while somebody types, and turned, without another page', async () => {
  const { mock, url, page } = await begin()
  for (let count = 0; count < 30; count += 1) await create(mock, { candidate: { email: `c${count}@example.com` } })
  await page.goto(`${url}/invites`)
  await page.evaluate('globalThis.isSamePage = true')
  await page.getByRole('searchbox').pressSequentially('c17@')
  await page.locator('#invites .count', { hasText: '1 invite' }).waitFor()
  expect(await page.evaluate('document.activeElement.value')).toBe('c17@')
  await page.getByRole('searchbox').fill('')
  await page.locator('#invites .count', { hasText: '30 invites' }).waitFor()
  await page.getByRole('link', { name: 'Next' }).click()
  await shows(page, 'Page 2 of 2')
  await page.goBack()
  await shows(page, 'Page 1 of 2')
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
})

test('an update is shown, but not announced to screen readers', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/invites`)
  await create(mock)
  await shows(page, INES.email)
  expect(await page.locator('#status').textContent()).toBe('')
})

test('the page of a candidate shows at once that its link has expired', async () => {
  const { mock, url, page } = await begin({ now: '2030-01-01T00:00:00Z' })
  await create(mock)
  await page.goto((mock.invites[0]?.challengeUrl ?? '').replace(mock.baseUrl, url))
  await shows(page, 'The attempt has not started.')
  await page.evaluate('globalThis.isSamePage = true')
  await mock.clock.advance('14d')
  await shows(page, 'Nobody started before the link closed.')
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
})

test('without the control token, the page of a candidate opens no event stream, and refreshes when it becomes visible', async () => {
  const { mock, url, page } = await begin({}, {}, { controlToken: 'secret' })
  await create(mock)
  const problems: string[] = []
  page.on('request', (request) => void (request.url().endsWith('/events') && problems.push(request.url())))
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
  const { challengeUrl = '', inviteId = '' } = mock.invites[0] ?? {}
  await page.goto(challengeUrl.replace(mock.baseUrl, url))
  mock.open(inviteId).start()
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await shows(page, 'How does the attempt end?')
  expect(problems).toEqual([])
})

describe('the menu and the rows', () => {
  test('show another view without loading the page, with its title and its heading in focus', async () => {
    const { mock, url, page } = await begin()
    await create(mock)
    await page.goto(url)
    await page.evaluate(WATCH_SHIFTS)
    await page.getByRole('link', { name: 'Invites', exact: true }).click()
    await page.locator('h1:focus', { hasText: 'Invites' }).waitFor({ state: 'attached' })
    expect(await page.title()).toMatch(/^Invites/)
    expect(await page.locator('.views [aria-current]').textContent()).toContain('Invites')
    await page.getByRole('link', { name: INES.email }).click()
    await shows(page, 'E-mail sent')
    expect(await page.evaluate('globalThis.shifts')).toEqual([])
    mock.open(mock.invites[0]?.inviteId ?? '').pass()
    await shows(page, 'The candidate is certified.')
    await page.goBack()
    await page.locator('h1', { hasText: /^Invites/ }).waitFor({ state: 'attached' })
    expect(await page.evaluate('globalThis.shifts')).toBeDefined()
  })

  test('leave everything else to the browser: another tab, and what cannot be fetched', async () => {
    const { url, page, tab } = await begin()
    await page.goto(url)
    await page.evaluate('globalThis.isSamePage = true')
    const other = tab.waitForEvent('page')
    await page.getByRole('link', { name: 'Faults', exact: true }).click({ modifiers: ['Control'] })
    expect(await (await other).waitForURL(`${url}/faults`)).toBeUndefined()
    expect(page.url()).toBe(`${url}/`)
    await page.route(`${url}/connect`, (route) =>
      route.request().resourceType() === 'fetch' ? route.abort() : route.continue(),
    )
    /* The address changes first: the browser then loads it. */
    const loaded = page.waitForEvent('load')
    await page.locator('.views').getByRole('link', { name: 'Connect' }).click()
    await loaded
    expect(await page.evaluate('globalThis.isSamePage')).toBeUndefined()
  })
})

/* Also shifts that a person has just caused, which browsers otherwise excuse. */
const WATCH_SHIFTS = `(() => {
  globalThis.shifts = []
  new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries().map(({ value }) => value))).observe({
    type: 'layout-shift',
  })
})()`

test.each(['', '/s/worker-1'])('a page about an invite that a reset removed says so: %s', async (prefix) => {
  const { mock, url, page } = await begin()
  const session = mock.openSession({ id: 'worker-1' })
  const world = prefix === '' ? mock : session
  await create(world)
  await page.goto(`${url}${prefix}/invites/${world.invites[0]?.inviteId}`)
  world.reset()
  await shows(page, /This page has not existed since .*: the world was reset/)
})

test('a page keeps updating after an update that failed', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/invites`)
  const failed = page.waitForEvent('pageerror')
  await page.evaluate(FAIL_ONCE)
  await create(mock)
  expect((await failed).message).toBe('broken by this test')
  await create(mock, { candidate: { email: 'second@example.com' } })
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

describe('a mock that stops', () => {
  test('is reported at once, with the time; no form is sent, and the page recovers when the mock is back', async () => {
    const { mock, listener, url, page } = await begin()
    await page.goto(`${url}/invites`)
    await listener.close()
    await shows(page, /not been reachable since \d/)
    await page.getByLabel('Candidate’s name').fill('Grace')
    await page.getByRole('button', { name: 'Create the invite' }).click()
    await page.locator('.problem', { hasText: 'Not sent: the mock is not reachable.' }).waitFor()
    await mock.listen({ port: listener.port })
    await page.locator('#away').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Create the invite' }).click()
    await shows(page, 'E-mail sent')
    expect(mock.invites).toMatchObject([{ candidate: { name: 'Grace' } }])
  })
})
