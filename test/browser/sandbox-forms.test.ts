import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { CREATE, INES, QUIZ } from '../mock-server/calls.ts'
import { visits } from './visit.ts'

/* What a person does on the page of the sandbox: invites, sample data, faults, and what cannot be undone. */

const KEPT = 'https://sandbox.callback/hook'
const PATIENT = { timeout: 10_000 }

const begin = visits()

async function create(mock: MockServer, url: string, input: object = {}): Promise<void> {
  await fetch(`${url}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES, ...input } } }),
  })
}

const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe.each([true, false])('with JavaScript: %s', (javaScriptEnabled) => {
  test('a stranger invites, plays the candidate and sees the event, without a server and without a line of code', async () => {
    const { mock, url, page } = await begin({ now: '2030-03-01T09:30:00Z' }, { javaScriptEnabled })
    await page.goto(url)
    await page.getByLabel('Quiz or package').selectOption({ label: 'State and Events, beginner' })
    await page.getByLabel('Candidate’s name').fill('Grace')
    await page.getByLabel('Candidate’s e-mail').fill('grace@example.com')
    await page.getByRole('button', { name: 'Create the invite' }).click()
    await shows(page, 'E-mail sent to')
    await page.getByRole('button', { name: 'Pass' }).click()
    await shows(page, 'Attempt ended')
    await mock.settle()
    await page.reload()
    await page.getByRole('link', { name: 'certification.completed' }).click()
    await shows(page, 'HTTP 200')
    await page.getByText('Body and attempts').click()
    await shows(page, /"result":"PASSED"/)
    expect(mock.invites).toMatchObject([{ candidate: { name: 'Grace' }, status: 'PASSED', callbackUrl: KEPT }])
  })

  test('a refused invite says why at the form, and keeps what was filled in', async () => {
    const { mock, url, page } = await begin({}, { javaScriptEnabled })
    mock.candidate('ada@example.com').certify(QUIZ)
    await page.goto(`${url}/invites`)
    await page.getByText('New invite').click()
    await page.getByLabel('Quiz or package').selectOption(`quiz ${QUIZ}`)
    await page.getByLabel('External reference').fill('application 7')
    await page.getByRole('button', { name: 'Create the invite' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('The candidate holds a certification')
    expect(await page.getByLabel('External reference').inputValue()).toBe('application 7')
    expect(await page.getByLabel('Quiz or package').inputValue()).toBe(`quiz ${QUIZ}`)
    await page.getByLabel('Candidate’s e-mail').fill('grace@example.com')
    await page.getByRole('button', { name: 'Create the invite' }).click()
    await shows(page, 'E-mail sent to')
    expect(mock.invites).toHaveLength(1)
  })

  test('sample data fills an empty sandbox', async () => {
    const { mock, url, page } = await begin({}, { javaScriptEnabled })
    await page.goto(url)
    await page.getByRole('button', { name: 'Fill with sample data' }).click()
    await shows(page, 'Katherine Johnson')
    expect(new Set(mock.invites.map(({ status }) => status)).size).toBe(5)
    await page.getByText('New invite').click()
    await page.getByRole('button', { name: 'Create the invite' }).waitFor()
    expect(await page.getByRole('button', { name: 'Fill with sample data' }).count()).toBe(0)
  })

  test('sample data that another tab has added are refused by a page that a reload does not lose', async () => {
    const { mock, url, page } = await begin({}, { javaScriptEnabled })
    await page.goto(url)
    await fetch(`${url}/__mock/sample-data`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    const before = mock.invites.length
    await page.getByRole('button', { name: 'Fill with sample data' }).click()
    expect(await page.getByRole('alert').textContent()).toBe('The sample data is here already.')
    await page.goto(page.url())
    await shows(page, 'Katherine Johnson')
    expect([page.url(), mock.invites.length]).toEqual([`${url}/invites`, before])
  })

  test('one click destroys nothing', async () => {
    const { mock, url, page } = await begin({}, { javaScriptEnabled })
    await create(mock, url)
    mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 503 })
    mock.openSession({ id: 'worker-1' })
    for (const [path, words] of [
      ['/requests', 'Clear'],
      ['/faults', 'Remove all'],
      ['/connect', 'Close'],
      ['/connect', 'Back to the beginning'],
    ] as const) {
      await page.goto(url + path)
      await page.locator('summary', { hasText: new RegExp(`^${words}$`) }).click()
      await page.locator('.question').getByRole('button', { name: words }).waitFor()
    }
    expect([mock.invites.length, mock.faults.list().length, mock.requestLog.list().length]).toEqual([1, 1, 1])
    expect(mock.sessions).toHaveLength(1)
  })
})

test('a fault that is refused says why at its form, until it is added', async () => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/faults`)
  const form = page.locator('form', { has: page.getByRole('textbox', { name: 'Rule' }) })
  await form.getByRole('textbox').fill('{"fault":"flood"}')
  await form.getByRole('button').click()
  await form.locator('.problem', { hasText: 'This fault is not valid' }).waitFor()
  await form.getByRole('textbox').fill('{')
  await form.getByRole('button').click()
  await form.locator('.problem', { hasText: 'That is not JSON.' }).waitFor()
  await form.getByRole('textbox').fill('{"fault":503}')
  await form.getByRole('button').click()
  await shows(page, '1 rule')
  expect([await page.locator('.problem').count(), mock.faults.list().length]).toEqual([0, 1])
})

test('the candidate in the list of invites leads to the page of the invite', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  await page.goto(`${url}/invites`)
  await page.getByRole('link', { name: `${INES.name} ${INES.email}`, exact: true }).click()
  await shows(page, 'E-mail sent to')
  expect(page.url()).toBe(`${url}/invites/${mock.invites[0]?.inviteId}`)
})

test('a double click creates one invite', async () => {
  const { mock, url, page } = await begin()
  await page.goto(url)
  await page.getByRole('button', { name: 'Create the invite' }).dblclick()
  await shows(page, 'E-mail sent to')
  expect([mock.invites.length, mock.outbox.length]).toEqual([1, 1])
})

test.each([
  ['/requests', 'Clear', (mock: MockServer) => mock.requestLog.list().length],
  ['/faults', 'Remove all', (mock: MockServer) => mock.faults.list().length],
  ['/connect', 'Close', (mock: MockServer) => mock.sessions.length],
  ['/connect', 'Back to the beginning', (mock: MockServer) => mock.invites.length],
] as const)('what cannot be undone on %s asks first, and is done after the answer: %s', async (path, words, left) => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 503 })
  mock.openSession({ id: 'worker-1' })
  await page.goto(url + path)
  const summary = page.locator('summary', { hasText: new RegExp(`^${words}$`) })
  const answer = page.locator('.question').getByRole('button', { name: words })
  await summary.click()
  await page.keyboard.press('Escape')
  await answer.waitFor({ state: 'hidden' })
  await summary.click()
  await page.locator('h2').first().click()
  await answer.waitFor({ state: 'hidden' })
  expect(left(mock)).toBe(1)
  await summary.click()
  await answer.click()
  await expect.poll(() => left(mock), PATIENT).toBe(0)
  await answer.waitFor({ state: 'hidden' })
})

test('an imported state replaces everything after a question, and the same file can be imported again', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  const file = {
    name: 'state.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(mock.snapshot())),
  }
  await page.goto(`${url}/connect`)
  const dialog = page.getByRole('dialog')
  const choose = async () => {
    mock.reset()
    const chooser = page.waitForEvent('filechooser')
    await page.getByLabel('Import').click()
    await (await chooser).setFiles(file)
    await dialog.waitFor()
  }
  await choose()
  expect(await dialog.textContent()).toContain('state.json')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(mock.invites).toEqual([])
  for (const _ of [1, 2]) {
    await choose()
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => mock.invites.length, PATIENT).toBe(1)
    await dialog.waitFor({ state: 'hidden' })
  }
})

test('a file that is no state is refused with a message, and the world stays', async () => {
  const { mock, url, page } = await begin()
  await create(mock, url)
  await page.goto(`${url}/connect`)
  await page
    .getByLabel('Import')
    .setInputFiles({ name: 's.json', mimeType: 'application/json', buffer: Buffer.from('{"format":"zip"}') })
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await shows(page, 'not a snapshot that this version can read')
  expect(mock.invites).toHaveLength(1)
})

test('redeliver says what it does: it sends, it waits behind another event, or for the end of a pause', async () => {
  const { mock, url, page } = await begin({ behaviour: { callbackRetries: [] } })
  await create(mock, url, { callbackUrl: KEPT })
  mock.faults.add({ event: 'any', fault: 'refuse', skip: 1 })
  const challenge = mock.open(mock.invites[0]?.inviteId ?? '')
  challenge.fail()
  await mock.settle()
  challenge.claim('retake')
  await mock.settle()
  const [first, second] = mock.callbacks.list()
  await page.goto(`${url}/callbacks`)
  const press = (id = '') => page.locator(`#redeliver-${id}`).click()
  const status = page.locator('#status')
  await press(first?.id)
  await status.getByText('certification.completed is sent again now.').waitFor()
  await mock.settle()
  mock.callbacks.pause()
  await press(first?.id)
  await status.getByText('certification.completed waits: callbacks are paused.').waitFor()
  await press(second?.id)
  await status.getByText(`certification.follow_up_claimed waits again, behind ${first?.id}.`).waitFor()
})

test.each([
  ['once', 1, 'The next request: HTTP 503, before it takes effect.'],
  ['always, until it is removed', Infinity, 'Every request: HTTP 503, before it takes effect.'],
] as const)('a fault is added %s, and reads as a sentence', async (label, left, sentence) => {
  const { mock, url, page } = await begin()
  await page.goto(`${url}/faults`)
  const form = page.locator('form').filter({ hasText: 'Operation' })
  await form.getByLabel('What happens').selectOption({ label: 'HTTP 503' })
  await form.getByLabel('How often').selectOption({ label })
  await form.getByRole('button').click()
  await shows(page, sentence)
  expect(mock.faults.list()).toMatchObject([{ left }])
  expect(await form.locator('input[type=number]').count()).toBe(0)
})

test('a long text and one that turns the direction are bounded and isolated in every list, and whole on their page', async () => {
  const { mock, url, page } = await begin()
  const name = `\u202E${'very long '.repeat(100)}end`
  await create(mock, url, {
    candidate: { name, email: 'ada@example.com' },
    callbackUrl: `https://sandbox.callback/${'x'.repeat(3000)}`,
  })
  const { inviteId = '' } = mock.invites[0] ?? {}
  mock.open(inviteId).pass()
  await mock.settle()
  await page.goto(`${url}/invites`)
  expect((await page.locator('#invites tbody tr').boundingBox())?.height).toBeLessThan(130)
  await page.goto(`${url}/callbacks`)
  expect((await page.locator('.entries > li').boundingBox())?.height).toBeLessThan(220)
  const isolated =
    "[...document.querySelectorAll('bdi')].every((each) => getComputedStyle(each).unicodeBidi.includes('isolate'))"
  expect(await page.evaluate(isolated)).toBe(true)
  await page.goto(`${url}/invites/${inviteId}`)
  const whole = page.locator('#invite bdi', { hasText: 'end' })
  expect(await whole.evaluate((element) => element.scrollHeight <= element.getBoundingClientRect().height + 1)).toBe(
    true,
  )
})

test('every time on a page says that it is UTC', async () => {
  const { mock, url, page } = await begin({ now: '2030-03-01T09:30:00Z' })
  await create(mock, url, { callbackUrl: KEPT })
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  for (const path of ['/', '/outbox', '/invites', '/callbacks', '/requests', `/invites/${mock.invites[0]?.inviteId}`]) {
    await page.goto(url + path)
    const texts = await page.locator('main time').allTextContents()
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.filter((text) => !text.endsWith(' UTC'))).toEqual([])
  }
})

test('in forced colours badges and buttons keep their shapes', async () => {
  const { mock, url, page } = await begin({}, { forcedColors: 'active' })
  await create(mock, url)
  await page.goto(`${url}/invites`)
  for (const shape of ['.badge', '.button', 'button']) {
    const border = await page
      .locator(`main ${shape}`)
      .first()
      .evaluate((element) => {
        const { borderTopStyle, borderTopWidth } = element.ownerDocument.defaultView?.getComputedStyle(element) ?? {}
        return [borderTopStyle, Number.parseFloat(borderTopWidth ?? '0') > 0]
      })
    expect([shape, ...border]).toEqual([shape, 'solid', true])
  }
})

const PAGES = ['/', '/outbox', '/invites', '/callbacks', '/faults', '/requests', '/console', '/connect', '/nothing']

describe.each(['light', 'dark'] as const)('in the %s', (colorScheme) => {
  test.each([...PAGES, 'invite', 'e-mail', 'challenge', 'refused'])(
    'axe finds nothing on %s, wide or narrow',
    PATIENT,
    async (view) => {
      const { mock, url, page } = await begin({}, { colorScheme, bypassCSP: true })
      await create(mock, url, { callbackUrl: 'https://app.example/hook' })
      const { inviteId = '', challengeUrl = '' } = mock.invites[0] ?? {}
      mock.open(inviteId).fail()
      mock.open(inviteId).claim('retake')
      await mock.settle()
      mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 503 })
      mock.openSession()
      const paths: Record<string, string> = {
        invite: `/invites/${inviteId}`,
        'e-mail': `/outbox/${inviteId}`,
        refused: '/invites',
      }
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(view === 'challenge' ? challengeUrl : url + (paths[view] ?? view))
        if (view === 'refused') {
          await page.getByText('New invite').click()
          await page.getByLabel('Callback URL').fill('http://app.example')
          await page.getByRole('button', { name: 'Create the invite' }).click()
          await page.getByRole('alert').waitFor()
        }
        // What is folded away is looked at too.
        await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true")
        await page.addScriptTag({ content: axe.source })
        const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] }
        expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    },
  )
})
