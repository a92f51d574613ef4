import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { visits } from './visit.ts'

/* What a person does on a page whose mock has stopped. */

const begin = visits()

const PATIENT = { timeout: 10_000 }

const statusOf = (page: Page) => page.locator('#status')

/** A page whose mock stops while somebody looks at it. */
async function stopped(path: string) {
  const { mock, listener, url, page } = await begin()
  await page.goto(url + path)
  await listener.close()
  await page.getByText(/not reachable since \d\d:/).waitFor()
  return { mock, listener, url, page }
}

test('a form is not sent to a mock that is away: what was typed stays, and is sent when the mock is back', async () => {
  const { mock, listener, url, page } = await stopped('/')
  await page.getByLabel('Candidate’s name').fill('Grace')
  for (const name of ['Create the invite', 'Fill with sample data']) {
    await statusOf(page).evaluate((status) => status.replaceChildren())
    await page.getByRole('button', { name }).click()
    await expect.poll(() => statusOf(page).textContent()).toBe('Not sent: the mock is not reachable.')
  }
  expect(page.url()).toBe(`${url}/`)
  expect(await page.getByLabel('Candidate’s name').inputValue()).toBe('Grace')
  await mock.listen({ port: listener.port })
  await page.locator('#away').waitFor({ state: 'hidden', ...PATIENT })
  await page.getByRole('button', { name: 'Create the invite' }).click()
  await page.getByText('E-mail sent to').waitFor()
  expect(mock.invites).toMatchObject([{ candidate: { name: 'Grace' } }])
})

test('a form of a session that was closed is not sent either', async () => {
  const { mock, url, page } = await begin()
  const session = mock.openSession({ id: 'worker-1' })
  await page.goto(`${url}/s/worker-1/invites`)
  await session.close()
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await page.getByText(/was closed at \d\d:/).waitFor()
  await page.getByText('New invite').click()
  await page.getByRole('button', { name: 'Create the invite' }).click()
  await expect.poll(() => statusOf(page).textContent()).toBe('Not sent: the session was closed.')
  expect(page.url()).toBe(`${url}/s/worker-1/invites`)
})

test('the Console does not say that a mock which is away has executed anything', async () => {
  const { mock, listener, page } = await stopped('/console')
  const run = page.getByRole('button', { name: /^Run/ })
  const answer = page.locator('#answer')
  await run.click()
  await expect.poll(() => answer.textContent(), PATIENT).toBe('Not sent, or not answered: the mock is not reachable.')
  // Back again, it executes a request whose answer is lost.
  mock.faults.add({ phase: 'after', fault: 'truncate' })
  await mock.listen({ port: listener.port })
  await run.click()
  await expect
    .poll(() => answer.textContent(), PATIENT)
    .toBe('There was no answer. The service may have executed the request.')
  expect(mock.invites).toHaveLength(1)
})
