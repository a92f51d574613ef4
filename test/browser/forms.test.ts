import { expect, onTestFinished, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { create, shows, startServer, visits } from './visit.ts'

/* Faults, the clock, sessions, and everything irreversible. */

const begin = visits()

test('a fault can be added by hand, is counted when it hits, and can be removed', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/faults`)
  const form = page.locator('#add-request-form')
  await form.getByLabel('What happens').selectOption({ label: 'HTTP 503' })
  expect(mock.faults.list()).toEqual([])
  await form.getByRole('button', { name: 'Add the fault' }).click()
  await shows(page, 'Requests: HTTP 503, before the request is executed.')
  await page.getByRole('status').getByText('Fault fault_1 added').waitFor()
  expect((await create(mock)).status).toBe(503)
  await page.locator('td[data-label="Hits"]', { hasText: '1' }).waitFor()
  await page.getByRole('button', { name: 'Remove: fault_1' }).click()
  await shows(page, 'No fault is set')
  expect(mock.faults.list()).toEqual([])
})

test('the clock can be advanced past the end of a link, frozen at a future time, and unfrozen', async () => {
  const { mock, url, page } = await begin({ now: '2030-03-01T09:30:00Z' })
  await create(mock)
  await page.goto(`${url}/invites`)
  const open = () => page.locator('#clock-button').click()
  await open()
  await page.getByRole('button', { name: /\+14/ }).click()
  await page.locator('.badge.expired').waitFor()
  await open()
  await page.getByLabel('Time in UTC').fill('2040-02-29T12:30:15')
  await page.getByRole('button', { name: 'Freeze at this time' }).click()
  await page.locator('#clock time[datetime="2040-02-29T12:30:15.000Z"]').waitFor()
  await open()
  await page.locator('#clock-mode').click()
  await page.locator('#clock .state.runs').waitFor()
  expect(mock.clock.frozen).toBe(false)
})

test('times are in the reader’s time zone, with UTC on hover', async () => {
  const { mock, url, page } = await begin(
    { now: '2030-03-01T09:30:00Z' },
    { timezoneId: 'Asia/Tokyo', locale: 'en-GB' },
  )
  await mock.clock.freeze('2030-03-01T09:30:59Z')
  await create(mock)
  await page.goto(`${url}/outbox`)
  const time = page.locator('#outbox time')
  expect([await time.textContent(), await time.getAttribute('title')]).toEqual([
    expect.stringContaining('18:30:59'),
    '2030-03-01 09:30:59 UTC',
  ])
  expect(await page.locator('#clock time').first().textContent()).toMatch(/18:30$/)
})

test.each([
  ['/requests', '#requests-clear', (mock: MockServer) => mock.requestLog.list().length, 'Forgot 1 request'],
  ['/faults', '#faults-clear', (mock: MockServer) => mock.faults.list().length, 'Removed 1 rule'],
  ['/', '#reset', (mock: MockServer) => mock.requestLog.list().length, 'Reset: 1 invite removed'],
] as const)('an irreversible action on %s asks first, on the screen, and tells: %s', async (path, id, left, done) => {
  const { mock, url, page } = await begin()
  await create(mock)
  mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 503 })
  await page.setViewportSize({ width: 1000, height: 500 })
  await page.goto(url + path)
  const question = page.locator(`${id}-question`)
  await page.locator(id).click()
  const { y = -1, height = 0 } = (await question.boundingBox()) ?? {}
  expect(y >= 0 && y + height <= 500).toBe(true)
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  expect([left(mock), await page.evaluate("'#' + document.activeElement.id")]).toEqual([1, id])
  await page.locator(id).click()
  await question.locator('.danger').click()
  await page.getByRole('status').getByText(done).waitFor()
  expect(left(mock)).toBe(0)
  await question.waitFor({ state: 'hidden' })
})

test('a test event goes to the application under Connect, which shows its response', async () => {
  const { url, page } = await begin()
  const app = await startServer()
  onTestFinished(app.close)
  await page.goto(`${url}/connect`)
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await shows(page, '1 callback to app.example was not sent')
  await page.getByLabel('Send callbacks to', { exact: true }).fill(app.url)
  await page.getByRole('button', { name: 'Send callbacks there' }).click()
  await page.locator('#targets .badge.delivered').waitFor()
  await page.getByLabel('Callback URL').fill('https://app.example/other')
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByRole('status').getByText('Test event to https://app.example/other: delivered').waitFor()
  expect(app.received).toMatchObject([{ type: 'certification.completed' }, { type: 'certification.completed' }])
})

test('the pages of a session lead back to the main world', async () => {
  const { mock, url, page } = await begin()
  const session = mock.openSession({ id: 'worker-1' })
  await page.goto(`${url}/connect`)
  await page.getByRole('link', { name: 'worker-1' }).click()
  await page.waitForURL((at) => at.pathname !== '/connect')
  await shows(page, 'Session worker-1')
  await session.close()
  await page.getByText(/The session worker-1 was closed at/).waitFor()
  await page.getByRole('link', { name: 'main world' }).click()
  await page.waitForURL(`${url}/connect`)
})

test('the catalogue can disable a quiz and set a switch', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/catalogue`)
  await page.getByRole('button', { name: 'Disable: State and Events' }).first().click()
  await shows(page, 'not deliverable')
  await page.goto(`${url}/behaviour`)
  await page.getByLabel('pendingInvite').selectOption('refuse')
  await page.getByRole('status').getByText('pendingInvite is set').waitFor()
  expect(mock.quizzes.find(({ ready, skillName }) => !ready && skillName === 'State and Events')).toBeDefined()
  expect(mock.behaviour.pendingInvite).toBe('refuse')
})
