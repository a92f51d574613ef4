import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { CREATE, INES, QUIZ } from '../mock-server/calls.ts'
import { visits } from './visit.ts'

const visit = visits()

/** A mock that listens, and its Console in a tab. `complaints` are the errors of the browser, of its policy too. */
async function begin(context: BrowserContextOptions = {}, path = '/console') {
  const { mock, url, page } = await visit({}, context)
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(url + path)
  return { mock, url, page, complaints }
}

const editorOf = (page: Page, name: string) => page.getByRole('textbox', { name })
const run = (page: Page) => page.getByRole('button', { name: /^Run/ }).click()
const answerOf = (page: Page) => page.locator('#answer')

/** Waits until the editors are there. */
async function edited(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Format' }).waitFor()
}

async function rewrite(page: Page, name: string, text: string): Promise<void> {
  await editorOf(page, name).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

/** Answers the next request to the service only when the function that it returns is called. */
async function hold(page: Page): Promise<(data: object) => Promise<void>> {
  let release = (_data: object): void => {}
  const held = new Promise<object>((resolve) => {
    release = resolve
  })
  let done = (): void => {}
  const answered = new Promise<void>((resolve) => {
    done = resolve
  })
  await page.route(
    '**/api/developer/graphql',
    async (route) => {
      const json = await held
      // The page has left by then, where it was cancelled.
      await route.fulfill({ json }).catch(() => {})
      done()
    },
    { times: 1 },
  )
  return async (data) => {
    release(data)
    await answered
  }
}

describe('the editor', () => {
  test('completes from the schema, and shows what the schema says', async () => {
    const { page, complaints } = await begin()
    await edited(page)
    await rewrite(page, 'Document', '{ developerCertificationPackageTracks { sl } }')
    for (let count = 0; count < 4; count += 1) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: /slug/ }).waitFor()
    await page.locator('.cm-completionInfo', { hasText: 'what `trackSlug` is compared with' }).waitFor()
    await page.getByRole('option', { name: /slug/ }).click()
    await expect.poll(() => editorOf(page, 'Document').textContent()).toContain('{ slug } }')
    await page
      .getByRole('region', { name: 'Documentation' })
      .filter({ hasText: 'CertificationPackageTrack.slug' })
      .waitFor()
    await page.getByText('developerCertificationPackageTracks', { exact: true }).first().hover()
    await page.locator('.cm-tooltip-hover', { hasText: 'Needs the scope CERTIFICATION_PACKAGE_READ' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('marks what the schema does not allow, in the document and in the variables', async () => {
    const { page, complaints } = await begin()
    await edited(page)
    await rewrite(page, 'Document', '{ developerCertificationPackageTracks { colour } }')
    await page.locator('.cm-lintRange-error', { hasText: 'colour' }).hover()
    await page.locator('.cm-tooltip', { hasText: 'Cannot query field "colour"' }).waitFor()
    await page.getByLabel('Example').selectOption({ label: 'Create an invite' })
    await rewrite(page, 'Variables', '{ "input": { "quizId": 1 } }')
    await page.locator('.cm-lintRange-error', { hasText: 'quizId' }).first().hover()
    await page.locator('.cm-tooltip', { hasText: 'of required type' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('formats both texts, and keeps the comments', async () => {
    const { page } = await begin()
    await edited(page)
    await rewrite(page, 'Document', '# all of them\n{ developerCertificationPackageTracks{id}}')
    await rewrite(page, 'Variables', '{"search":"x"}')
    await page.keyboard.press('Shift+Alt+F')
    const area = (name: string) => page.locator(`textarea[name="${name}"]`).inputValue()
    await expect
      .poll(() => area('query'))
      .toBe('# all of them\n{\n  developerCertificationPackageTracks {\n    id\n  }\n}')
    await expect.poll(() => area('variables')).toBe('{\n  "search": "x"\n}')
  })

  test('is left by Tab, and sends by Ctrl Enter what it shows', async () => {
    const { mock, page } = await begin()
    await edited(page)
    await rewrite(page, 'Document', '{ developerCertificationPackageTracks { slug } }')
    await page.keyboard.press('Control+Enter')
    await page.getByText('HTTP 200').waitFor()
    expect(mock.requestLog.list()[0]?.body).toContain('{ developerCertificationPackageTracks { slug } }')
    expect(mock.requestLog.list()).toHaveLength(1)
    for (let tabs = 0; tabs < 3; tabs += 1) await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Run')
  })

  test('is at most 400 kB, compressed, and no other page loads it', async () => {
    const { url, page } = await begin()
    const script = await (await fetch(`${url}/__mock/console-editor.js`)).text()
    expect(gzipSync(script).length).toBeLessThan(400_000)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    for (const path of ['/', '/requests', '/connect']) await page.goto(url + path)
    expect(asked.filter((address) => address.includes('console') && address.endsWith('.js'))).toEqual([])
  })

  test('is missing where its script cannot be loaded: then the text areas send', async () => {
    const { mock, url, page } = await begin({}, '/connect')
    await page.route('**/console-editor.js', (route) => route.abort())
    await page.goto(`${url}/console`)
    await page.getByLabel('Document').fill('{ developerCertificationPackageTracks { name } }')
    await page.getByLabel('Document').press('Control+Enter')
    await page.getByText('HTTP 200').waitFor()
    expect(mock.requestLog.list()).toHaveLength(1)
  })

  test.each(['light', 'dark'] as const)(
    'axe finds nothing in the %s, wide or narrow, with completions too',
    async (colorScheme) => {
      const { page } = await begin({ colorScheme, bypassCSP: true })
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.reload()
        await edited(page)
        await run(page)
        await page.getByText('HTTP 200').waitFor()
        await rewrite(page, 'Document', '{ developerCertificationPackageTracks { colour s } }')
        await page.locator('.cm-lintRange-error', { hasText: 'colour' }).waitFor()
        for (let count = 0; count < 4; count += 1) await page.keyboard.press('ArrowLeft')
        await page.keyboard.press('Control+Space')
        await page.locator('.cm-tooltip-autocomplete li').first().waitFor()
        await page.addScriptTag({ content: axe.source })
        const found = (await page.evaluate("axe.run('main')")) as {
          violations: { id: string; nodes: { html: string }[] }[]
        }
        expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    },
    60_000,
  )
})

describe('a run', () => {
  test('is busy until it is answered, and can be cancelled', async () => {
    const { page } = await begin()
    const answer = await hold(page)
    expect(await page.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(false)
    await run(page)
    await expect.poll(() => answerOf(page).getAttribute('aria-busy')).toBe('true')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await answerOf(page).textContent()).toMatch(
      /^Cancelled after .* The service may have executed the request\.$/,
    )
    expect(await answerOf(page).getAttribute('aria-busy')).toBeNull()
    await answer({ data: { late: true } })
    expect(await answerOf(page).textContent()).toMatch(/^Cancelled/)
  })

  test('shows the newest answer: an earlier one that comes later is not shown', async () => {
    const { page } = await begin()
    await page.getByLabel('Example').selectOption({ label: 'List tracks' })
    const late = await hold(page)
    await run(page)
    await expect.poll(() => answerOf(page).getAttribute('aria-busy')).toBe('true')
    await page.getByLabel('Example').selectOption({ label: 'No credentials (UNAUTHENTICATED)' })
    await run(page)
    await page.getByText('UNAUTHENTICATED').last().waitFor()
    await late({ data: { late: true } })
    expect(await answerOf(page).textContent()).not.toContain('late')
    expect(await answerOf(page).textContent()).toContain('UNAUTHENTICATED')
  })

  test('is sent once by a double click: nobody is invited twice', async () => {
    const { mock, page } = await begin()
    await page.getByRole('button', { name: /^Run/ }).dblclick({ delay: 100 })
    await page.getByText('HTTP 200').waitFor()
    expect(mock.invites).toHaveLength(1)
  })

  test.each(['Enter on Run', 'Ctrl Enter in the document'])('is sent once by a key that is held: %s', async (where) => {
    const { mock, page } = await begin()
    if (where === 'Enter on Run') await page.getByRole('button', { name: /^Run/ }).focus()
    else await page.locator('[name=query]').locator('visible=true').or(editorOf(page, 'Document')).first().focus()
    if (where !== 'Enter on Run') await page.keyboard.down('Control')
    for (let repeat = 0; repeat < 8; repeat += 1) {
      await page.keyboard.down('Enter')
      await page.getByText('HTTP 200').waitFor()
    }
    await page.keyboard.up('Enter')
    expect(mock.invites).toHaveLength(1)
  })

  test('says after a lost answer that it may have been executed', async () => {
    const { mock, page } = await begin()
    mock.faults.add({ phase: 'after', fault: 'truncate' })
    await run(page)
    await page.getByText('There was no answer. The service may have executed the request.').waitFor()
    expect(mock.invites).toHaveLength(1)
  })

  test('brings its answer into view, and says beside its button what came back', async () => {
    const { mock, page } = await begin()
    await edited(page)
    const outcome = page.getByRole('status').filter({ hasText: 'HTTP' })
    const isSeen = () =>
      page.evaluate("document.getElementById('answer').getBoundingClientRect().bottom <= innerHeight + 1")
    await page.setViewportSize({ width: 1000, height: 500 })
    await page.evaluate('scrollTo(0, 0)')
    await editorOf(page, 'Variables').press('Control+Enter')
    await expect.poll(() => outcome.textContent()).toMatch(/^HTTP 200, \d+ ms$/)
    expect(await isSeen()).toBe(true)
    mock.faults.add({ fault: 503 })
    await run(page)
    await expect.poll(() => outcome.textContent()).toMatch(/^HTTP 503, \d+ ms$/)
    await page.getByLabel('Example').selectOption({ label: 'No credentials (UNAUTHENTICATED)' })
    await run(page)
    await expect.poll(() => outcome.textContent()).toMatch(/^HTTP 200, UNAUTHENTICATED, \d+ ms$/)
  })

  test('shows challenge links as links', async () => {
    const { mock, page } = await begin()
    await run(page)
    await answerOf(page).getByRole('link').click()
    await page.getByText('The attempt has not started').waitFor()
    expect(page.url()).toBe(mock.invites[0]?.challengeUrl)
  })

  test('may be one of the admin session', async () => {
    const { mock, page } = await begin()
    await page.getByLabel('Key or session').selectOption('admin session')
    await run(page)
    await page.getByText('HTTP 200').waitFor()
    expect(mock.invites).toHaveLength(1)
    await page.getByLabel('Example').selectOption({ label: 'A callback URL in an admin session (BAD_USER_INPUT)' })
    await run(page)
    await page.getByText('callbackUrl can only be set with an API key').waitFor()
  })
})

test('what was typed is there after another view was visited', async () => {
  const { url, page } = await begin()
  await edited(page)
  await rewrite(page, 'Document', '{ developerCertificationPackageTracks { slug } }')
  await page.getByLabel('Key or session').selectOption('key read')
  await page.goto(`${url}/requests`)
  await page.goto(`${url}/console`)
  await edited(page)
  expect(await editorOf(page, 'Document').textContent()).toBe('{ developerCertificationPackageTracks { slug } }')
  expect(await page.getByLabel('Key or session').inputValue()).toBe('key read')
})

test('a request of the log is opened in the Console, and sent again from there', async () => {
  const { mock, url, page } = await begin({}, '/requests')
  await create(mock, url)
  await page.getByRole('link', { name: 'Open in Console: request 1' }).click()
  await edited(page)
  expect(await editorOf(page, 'Variables').textContent()).toContain(INES.email)
  await run(page)
  await page.getByText('HTTP 200').waitFor()
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual([INES.email, INES.email])
})

test('without JavaScript no key is in the address, and the page has the command instead', async () => {
  const { mock, url, page } = await begin({ javaScriptEnabled: false })
  await page.getByLabel('Document').fill('{ developerCertificationPackageTracks { slug } }')
  await run(page)
  expect(page.url()).toBe(`${url}/console`)
  expect(await page.getByLabel('Document').inputValue()).toBe('{ developerCertificationPackageTracks { slug } }')
  expect(await answerOf(page).textContent()).toContain(`curl -sS '${url}/api/developer/graphql'`)
  expect(mock.requestLog.list()).toEqual([])
})

async function create(mock: MockServer, url: string): Promise<void> {
  await fetch(`${url}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
  })
}
