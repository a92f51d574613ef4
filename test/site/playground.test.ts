import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { startBrowser } from '../browser/visit.ts'

const site = inject('site')
const files = join(import.meta.dirname, '../../site/dist/playground-files')

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
  return () => browser.close()
})

/** Opens a story. What it asks for must be a file of the site. */
async function open(story: string, asked: string[] = []): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  onTestFinished(() => page.close())
  page.on('request', (request) => void asked.push(request.url()))
  await page.goto(`${site}/playground.html?story=${story}`)
  await page.locator('.playground[data-ready]').waitFor()
  return page
}

/** Runs the program, and returns what it printed. */
async function run(page: Page, button = 'Run', programs = 1): Promise<string> {
  const ends = page.getByRole('log').getByText(/^exit \d/)
  const before = await ends.count()
  const printed = (await page.getByRole('log').innerText()).length
  await page.getByRole('button', { name: button, exact: true }).click()
  await expect.poll(() => ends.count()).toBe(before + programs)
  return (await page.getByRole('log').innerText()).slice(printed)
}

const answer = (page: Page, words: string) => page.getByRole('button', { name: words }).click()
const verdict = (page: Page) => page.getByRole('status').innerText()
const mails = (page: Page) => page.locator('.mails li').allInnerTexts()
const requests = (page: Page) => page.locator('.requests li').count()
const records = (page: Page) => page.locator('.records li').allInnerTexts()

const ADA = 'To ada@example.com: its link is open'

test('a retry without the SDK invites twice, and the page says so in red', async () => {
  const page = await open('retry')
  await run(page)
  expect(await mails(page)).toEqual([ADA, ADA])
  expect(await page.locator('.mails li.bad').count()).toBe(2)
  expect(await verdict(page)).toBe('ada@example.com was invited twice.')
  expect(await page.locator('.verdict.bad').count()).toBe(1)
})

test('a lost response is unknown, also to two programs at once, until somebody decides', async () => {
  const page = await open('lost')
  const both = await run(page, 'Run two at once', 2)
  expect(both).toContain('outcome: unknown')
  expect(both).toContain('PRIOR_OUTCOME_UNKNOWN')
  expect(await verdict(page)).toBe('Nobody was invited twice. Ask ada@example.com: that outcome is unknown.')
  await answer(page, '“I have an e-mail”')
  await expect.poll(() => records(page)).toEqual(['hire-4711, ada@example.com: created'])
  expect(await run(page)).toMatch(/invited inv_\w+\nexit 0/)
  expect([await mails(page), await requests(page)]).toEqual([[ADA], 1])
  expect(await verdict(page)).toBe('Nobody was invited twice.')
})

test('a wrong answer invites twice, and the page says that the answer was wrong', async () => {
  const page = await open('lost')
  await run(page)
  await answer(page, '“I have none”')
  await page.locator('.records li:not(.unknown)').waitFor()
  await run(page)
  expect(await mails(page)).toEqual([ADA, ADA])
  expect(await verdict(page)).toBe('ada@example.com was invited twice: the answer was wrong.')
})

test('in an outage one create is unknown and the others are not sent; after it everybody is invited once', async () => {
  const page = await open('outage')
  const printed = await run(page)
  expect(printed.match(/unknown SERVER_FAULT/g)).toHaveLength(1)
  expect(printed.match(/not-executed SERVICE_UNAVAILABLE/g)).toHaveLength(5)
  expect(await mails(page)).toEqual(['none'])
  await page.getByLabel('The service').selectOption('works')
  await answer(page, '“I have none”')
  await page.locator('.records li:not(.unknown)').waitFor()
  await run(page)
  expect(await mails(page)).toHaveLength(6)
  expect(await verdict(page)).toBe('Nobody was invited twice.')
})

test('in an outage, an answer that an e-mail came is wrong, and the page says so', async () => {
  const page = await open('outage')
  await run(page)
  await answer(page, '“I have an e-mail”')
  await expect.poll(() => verdict(page)).toBe('ada@example.com was not invited: the answer was wrong.')
})

test('the first reference keeps its invite after its link has expired, and a second one is sent', async () => {
  const page = await open('expiry')
  expect(await run(page)).toContain('hire-4711-again not-executed ALREADY_INVITED')
  await page.getByRole('button', { name: '15 days later' }).click()
  await run(page)
  expect(await mails(page)).toEqual(['To ada@example.com: its link has expired', ADA])
  expect(await verdict(page)).toBe('Nobody was invited twice.')
})

test('a program that never ends is ended by Start over, and an import that does not exist is explained', async () => {
  const page = await open('lost')
  await page.getByLabel('Program').fill('for (;;) {}')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByLabel('Program').fill('const text = \'from "node:fs"\'\nconsole.log({ text })')
  expect(await run(page)).toContain(`{ text: 'from "node:fs"' }\nexit 0`)
  await page.getByLabel('Program').fill("import { readFileSync } from 'node:fs'")
  expect(await run(page)).toContain(
    'In this tab a program can import certify-sdk and certify-sdk/ledger, but not node:fs',
  )
  await page.getByLabel('Program').fill('\n\nnull.x')
  expect(await run(page)).toMatch(/Uncaught TypeError: .* \(line 3\)\nexit 1/)
})

test('the address names the story, and a story that does not exist is the first one', async () => {
  const page = await open('nothing')
  await page.locator('button[aria-pressed="true"]', { hasText: 'A plain retry' }).waitFor()
  await page.getByRole('button', { name: 'An outage' }).click()
  expect(page.url()).toBe(`${site}/playground.html?story=outage`)
})

test('a run fits each width, has no axe violations, light or dark, and stays on this host', async () => {
  const asked: string[] = []
  const page = await open('lost', asked)
  await run(page)
  await page.addScriptTag({ content: axe.source })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [360, 600, 768, 959, 960, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] }
    expect(violations.map(({ id }) => id)).toEqual([])
  }
  expect(asked.filter((url) => !url.startsWith(`${site}/`) && !/^(data|blob):/.test(url))).toEqual([])
})

test('a visit loads at most 180 kB of the playground, gzipped, and SQLite in WebAssembly', async () => {
  const asked: string[] = []
  await run(await open('lost', asked))
  const names = readdirSync(files, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  /* A browser reports no request for the script of a worker. */
  const loaded = names.filter((name) => name === 'worker.js' || asked.some((url) => url.endsWith(`-files/${name}`)))
  expect(loaded).toEqual(expect.arrayContaining(['playground.js', 'worker.js', 'sdk.js', 'ledger.js']))
  const bytes = loaded.map((name) => gzipSync(readFileSync(join(files, name))).length)
  expect(bytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(180_000)
})
