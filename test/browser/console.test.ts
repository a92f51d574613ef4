import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { INES } from '../mock-server/calls.ts'
import { create, shows, visits } from './visit.ts'

const visit = visits()

/** A mock that listens, and its Console in a tab. */
async function begin(context: BrowserContextOptions = {}, path = '/console') {
  const visited = await visit({}, context)
  await visited.page.goto(visited.url + path)
  return visited
}

const run = (page: Page) => page.getByRole('button', { name: /^Run/ }).click()
const responseOf = (page: Page) => page.locator('#response')
const example = (page: Page, label: string) => page.locator('#example').selectOption({ label })

describe('the fields', () => {
  test('are formatted, and keep their comments', async () => {
    const { page } = await begin()
    await page
      .getByRole('textbox', { name: 'Document' })
      .fill('# all of them\n{ developerCertificationPackageTracks{id}}')
    await page.getByRole('textbox', { name: 'Variables' }).fill('{"search":"x"}')
    await page.getByRole('button', { name: 'Format' }).click()
    expect(await page.getByRole('textbox', { name: 'Document' }).inputValue()).toBe(
      '# all of them\n{\n  developerCertificationPackageTracks {\n    id\n  }\n}',
    )
    expect(await page.getByRole('textbox', { name: 'Variables' }).inputValue()).toBe('{\n  "search": "x"\n}')
  })

  test('are indented by Tab and Enter, and left by Tab after Escape', async () => {
    const { page } = await begin()
    const field = page.getByRole('textbox', { name: 'Document' })
    await field.fill('{')
    await field.press('Enter')
    await field.press('Tab')
    expect(await field.inputValue()).toBe('{\n    ')
    await field.press('Escape')
    await field.press('Tab')
    expect(await page.evaluate('document.activeElement.name')).toBe('variables')
  })

  test('show an example that was chosen before the script was loaded', async () => {
    const { url, page } = await visit()
    let load = () => {}
    const loading = new Promise<void>((resolve) => (load = resolve))
    await page.route('**/assets/console.js', async (route) => loading.then(async () => route.continue()))
    await page.goto(`${url}/console`, { waitUntil: 'commit' })
    await example(page, 'The quiz does not exist (BAD_USER_INPUT)')
    load()
    await expect.poll(() => page.locator('#example').inputValue()).toBe('')
    expect(await page.getByRole('textbox', { name: 'Variables' }).inputValue()).toContain('quiz_unknown')
  })

  test('keep their text, and the history its runs, after a visit to another view', async () => {
    const { url, page } = await begin()
    await example(page, 'List tracks')
    await run(page)
    await shows(page, 'HTTP 200')
    await page.getByRole('textbox', { name: 'Document' }).fill('{ developerCertificationPackageTracks { slug } }')
    await page.locator('#credentials').selectOption('key read')
    await page.goto(`${url}/requests`)
    await page.goto(`${url}/console`)
    expect(await page.getByRole('textbox', { name: 'Document' }).inputValue()).toBe(
      '{ developerCertificationPackageTracks { slug } }',
    )
    expect(await page.locator('#credentials').inputValue()).toBe('key read')
    await page.locator('#history').selectOption({ index: 1 })
    expect(await page.getByRole('textbox', { name: 'Document' }).inputValue()).toContain('query PackageTracks')
  })

  test('can be filled from a logged request, which can be run again', async () => {
    const { mock, page } = await begin({}, '/requests')
    await create(mock)
    await page.locator('#request-1 > summary').click()
    await page.getByRole('link', { name: 'Open in Console: request 1' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Variables' }).inputValue()).toContain(INES.email)
    await run(page)
    await shows(page, 'HTTP 200')
    expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual([INES.email, INES.email])
  })

  test('with invalid JSON say so, and nothing is sent', async () => {
    const { mock, page } = await begin()
    await page.getByRole('textbox', { name: 'Variables' }).fill('{')
    await run(page)
    await page.locator('.problem', { hasText: 'That is not JSON.' }).waitFor()
    expect(mock.requestLog.list()).toEqual([])
  })
})

describe('a run', () => {
  test('shows its response, coloured and with links, next to its document', async () => {
    const { mock, url, page } = await begin()
    await page.setViewportSize({ width: 1280, height: 720 })
    await run(page)
    const outcome = page.locator('#console-outcome')
    await expect.poll(() => outcome.textContent()).toMatch(/^HTTP 200, \d+ ms$/)
    const isSeen = "document.getElementById('response').getBoundingClientRect().bottom <= innerHeight"
    expect([await page.evaluate(isSeen), await page.getByRole('button', { name: /^Run/ }).isVisible()]).toEqual([
      true,
      true,
    ])
    await responseOf(page).getByRole('link').click()
    await shows(page, 'The attempt has not started')
    expect(page.url()).toBe(mock.invites[0]?.challengeUrl.replace(mock.baseUrl, url))
  })

  test('selects the place of an error in the document; the schema beside it can be searched', async () => {
    const { page } = await begin()
    await page.getByRole('textbox', { name: 'Document' }).fill('{\n  developerCertificationPackageTracks { colour }\n}')
    await run(page)
    const selected = 'getSelection().toString()'
    await expect.poll(() => page.evaluate(selected)).toBe('colour')
    await page.locator('#schema > summary').click()
    await page.getByRole('searchbox', { name: 'Search the schema' }).fill('PENDING')
    await expect.poll(() => page.locator('#schema pre:visible').count()).toBeLessThan(8)
    await page.locator('#schema pre', { hasText: 'enum CertificationInviteStatus' }).waitFor()
  })

  test('names the error that came back', async () => {
    const { mock, page } = await begin()
    const outcome = page.locator('#console-outcome')
    await example(page, 'The quiz does not exist (BAD_USER_INPUT)')
    await run(page)
    await expect.poll(() => outcome.textContent()).toMatch(/^HTTP 200, BAD_USER_INPUT, \d+ ms$/)
    mock.faults.add({ fault: 503 })
    await run(page)
    await expect.poll(() => outcome.textContent()).toMatch(/^HTTP 503, \d+ ms$/)
    expect(mock.invites).toEqual([])
  })

  test('is busy until the response arrives and can be cancelled; a late response is not shown', async () => {
    const { mock, page } = await begin()
    mock.faults.add({ fault: 'hang' })
    await run(page)
    await expect.poll(() => responseOf(page).getAttribute('aria-busy')).toBe('true')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await responseOf(page).textContent()).toBe('Cancelled. The service may have executed the request.')
    expect(await page.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(false)
    mock.faults.add({ fault: { delayMs: 500 } })
    await run(page)
    await expect.poll(() => responseOf(page).getAttribute('aria-busy')).toBe('true')
    await example(page, 'No credentials (UNAUTHENTICATED)')
    await run(page)
    await responseOf(page).getByText('UNAUTHENTICATED').waitFor()
    await expect.poll(() => mock.requestLog.list().length).toBeGreaterThan(1)
    expect(await responseOf(page).textContent()).not.toContain('challengeUrl')
  })

  test('ignores a second click while it waits: nobody is invited twice', async () => {
    const { mock, page } = await begin()
    mock.faults.add({ fault: { delayMs: 500 } })
    await page.getByRole('button', { name: /^Run/ }).dblclick({ delay: 50 })
    await shows(page, 'HTTP 200')
    expect(mock.invites).toHaveLength(1)
  })

  test.each(['Enter on Run', 'Ctrl Enter in the document'])('ignores key repeat: %s', async (where) => {
    const { mock, page } = await begin()
    if (where === 'Enter on Run') await page.getByRole('button', { name: /^Run/ }).focus()
    else {
      await page.getByRole('textbox', { name: 'Document' }).focus()
      await page.keyboard.down('Control')
    }
    for (let repeat = 0; repeat < 8; repeat += 1) {
      await page.keyboard.down('Enter')
      await shows(page, 'HTTP 200')
    }
    await page.keyboard.up('Enter')
    expect(mock.invites).toHaveLength(1)
  })

  test('sends one request, even if its response is cut off', async () => {
    const { mock, page } = await begin()
    mock.faults.add({ phase: 'after', fault: 'cut' })
    await run(page)
    await shows(page, 'There was no response. The service may have executed the request.')
    expect([mock.invites.length, mock.outbox.length]).toEqual([1, 1])
  })
})
