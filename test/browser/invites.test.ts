import type { Page, Route } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { INES, QUIZ } from '../mock-server/calls.ts'
import { create, shows, startServer, visits } from './visit.ts'

/* What a person does with invites: creating them, acting as the candidate, and seeing what the application receives. */

const begin = visits()

const createButton = (page: Page) => page.getByRole('button', { name: 'Create the invite' })

test('inviting, acting as the candidate and seeing the event takes no server and no code', async () => {
  const { mock, url, page } = await begin({ now: '2030-03-01T09:30:00Z' })
  await page.goto(url)
  await page.getByLabel('Quiz or package').selectOption({ label: 'State and Events, beginner' })
  await page.getByLabel('Candidate’s name').fill('Grace')
  await page.getByLabel('Candidate’s e-mail').fill('grace@example.com')
  await createButton(page).click()
  await page.waitForURL(/\/invites\/inv_/)
  await page.getByRole('link', { name: 'E-mail' }).click()
  await page.getByRole('link', { name: 'Open link' }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await shows(page, 'How does the attempt end?')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('pass')
  await page.getByRole('button', { name: 'Pass' }).click()
  await shows(page, 'The candidate is certified.')
  await page.getByRole('button', { name: 'Claim the level-up' }).click()
  await page.getByRole('link', { name: 'Go to the level-up' }).click()
  await shows(page, 'State and Events, intermediate')
  await mock.settle()
  await page.goto(`${url}/callbacks`)
  await page.locator('.entries > li > details > summary').last().click()
  await page.locator('.payload pre', { hasText: '"result": "PASSED"' }).waitFor()
  expect(mock.invites[0]).toMatchObject({ candidate: { name: 'Grace' }, status: 'PASSED' })
})

test('a local application can be connected on the page, and receives what it missed', async () => {
  const app = await startServer()
  onTestFinished(app.close)
  const { mock, url, page } = await begin()
  await create(mock, { callbackUrl: 'https://app.example/hook' })
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  await page.goto(`${url}/callbacks`)
  await shows(page, '1 callback to app.example was not sent')
  await page.getByRole('link', { name: 'Send callbacks elsewhere' }).click()
  await page.getByLabel('Send callbacks to').fill(app.url)
  await page.getByRole('button', { name: 'Send callbacks there' }).click()
  await shows(page, `Callbacks go to ${app.url}`)
  await expect.poll(() => app.received.map(({ type }) => type)).toEqual(['certification.completed'])
  await page.getByRole('button', { name: 'Send callbacks to their own addresses' }).click()
  await shows(page, 'Callbacks go to their own addresses')
})

test('a refused invite gives the reason at the form, and keeps the input', async () => {
  const { mock, url, page } = await begin()
  mock.candidate('ada@example.com').certify(QUIZ)
  await page.goto(`${url}/invites`)
  await page.getByLabel('External reference').fill('application 7')
  await createButton(page).click()
  expect(await page.getByRole('alert').textContent()).toContain('The candidate holds a certification')
  expect(await page.getByLabel('External reference').inputValue()).toBe('application 7')
  await page.getByLabel('Candidate’s e-mail').fill('grace@example.com')
  await createButton(page).click()
  await shows(page, 'E-mail sent')
  expect(mock.invites).toHaveLength(1)
})

test.each([
  ['Callback URL', 'http://localhost:3000', 'http://localhost:3000 cannot be used. It must start with https://'],
  ['Candidate’s e-mail', 'ada@localhost.', 'Candidate’s e-mail is not a valid e-mail address.'],
] as const)('an error is shown once, at its field and in its words: %s', async (label, value, text) => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/invites`)
  await page.locator('#invite-form').evaluate((form) => form.toggleAttribute('novalidate', true))
  const field = page.getByLabel(label)
  await field.fill(value)
  await createButton(page).click()
  await page.locator('.problem').waitFor()
  expect([await page.locator('.problem').allTextContents(), await field.getAttribute('aria-invalid')]).toEqual([
    [expect.stringContaining(text)],
    'true',
  ])
  expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  expect(await page.locator('#status').textContent()).toBe('')
  expect(mock.invites).toEqual([])
})

test('a double click creates one invite', async () => {
  const { mock, url, page } = await begin()
  await page.goto(url)
  await createButton(page).dblclick()
  await shows(page, 'E-mail sent')
  expect([mock.invites.length, mock.outbox.length]).toEqual([1, 1])
})

test('the keyboard alone is enough to start an attempt, and to find the search and the shortcuts', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  await page.goto(`${url}/invites`)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('/')
  await page.keyboard.type('ines')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=ines/)
  await page.getByRole('link', { name: INES.email }).press('Enter')
  await page.waitForURL(/\/invites\/inv_/)
  await page.locator('#start').press('Enter')
  await shows(page, 'How does the attempt end?')
})

test('whoever leaves a search while typing is not led back to it', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  await page.clock.install()
  await page.goto(`${url}/invites`)
  await page.getByRole('searchbox').pressSequentially('ines')
  await page.getByRole('link', { name: INES.email }).press('Enter')
  await page.waitForURL(/\/invites\/inv_/)
  await page.clock.runFor(1000)
  expect(page.url()).toMatch(/\/invites\/inv_/)
})

test('a button cannot be clicked before the script that makes it work has loaded', async () => {
  const { mock, url, page } = await begin()
  await create(mock)
  const held: Route[] = []
  await page.route(/\/payload\.js/, (route) => void held.push(route))
  await page.goto(`${url}/invites/${mock.invites[0]?.inviteId}`, { waitUntil: 'commit' })
  await expect(page.locator('#start').click({ timeout: 500 })).rejects.toThrow('Timeout')
  for (const route of held) await route.continue()
  await page.locator('#start').click()
  await shows(page, 'How does the attempt end?')
})

test('a request can be copied as a command', async () => {
  const { mock, url, page } = await begin({}, { permissions: ['clipboard-read', 'clipboard-write'] })
  await create(mock)
  await page.goto(`${url}/requests`)
  await page.locator('#details-1 > summary').click()
  const copied = async (button: string) => {
    await page.getByRole('button', { name: `${button}: request 1` }).click()
    await page
      .getByRole('status')
      .getByText(/^Copied/)
      .waitFor()
    return page.evaluate('navigator.clipboard.readText()')
  }
  expect(await copied('Copy as curl')).toContain(`curl -sS '${url}/api/developer/graphql'`)
})

test('with 1,000 invites a page of them is a bounded document', async () => {
  const { mock, url, page } = await begin()
  await page.goto(url)
  for (let count = 0; count < 1000; count += 1) await create(mock, { candidate: { email: `c${count}@example.com` } })
  await page.goto(`${url}/invites?q=c432@`)
  expect(await page.locator('#invites tbody tr').count()).toBe(1)
  await page.goto(`${url}/invites?page=40`)
  await shows(page, 'c0@example.com')
  expect(await page.locator('*').count()).toBeLessThan(1000)
})

test('with a token the browser asks for it once, and the page is live and usable', async () => {
  const httpCredentials = { username: 'anybody', password: 'opensesame' }
  const { mock, url, page, browser } = await begin({}, { httpCredentials }, { controlToken: 'opensesame' })
  await page.goto(`${url}/invites`)
  await create(mock)
  await page.getByRole('link', { name: INES.email }).click()
  await page.getByRole('button', { name: 'Pass' }).click()
  await shows(page, 'The candidate is certified.')
  const other = await browser.newPage()
  expect((await other.goto(url).catch(() => null))?.status() ?? 401).toBe(401)
  await other.close()
})
