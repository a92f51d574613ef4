import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { startBrowser } from '../browser/visit.ts'
import { openSearch } from './open-search.ts'

const site = inject('site')
const built = join(import.meta.dirname, '../../site/dist')
/* One of each kind: the theme is the same for all. */
const PAGES = [
  '/',
  '/overview.html',
  '/playground.html?story=lost',
  '/getting-started.html',
  '/errors.html',
  '/cli.html',
  '/cli/certify-bulk.html',
  '/control-api/world.html',
  '/api/',
  '/api/certify-sdk.html',
  '/project/changelog.html',
]

const LOOKS = [
  ['light', 1280],
  ['dark', 360],
] as const

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
  return () => browser.close()
})

test.each(PAGES)('%s needs no other host, fits a phone, and has no serious axe faults, light or dark', async (path) => {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  onTestFinished(() => page.close())
  const asked: string[] = []
  const wrong: string[] = []
  page.on('request', (request) => void asked.push(request.url()))
  page.on('pageerror', (error) => void wrong.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && wrong.push(message.text())))
  for (const [colorScheme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await page.goto(site + path, { waitUntil: 'networkidle' })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(colorScheme === 'dark')
    await page.addScriptTag({ content: axe.source })
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[]
    }
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  }
  expect(asked.length).toBeGreaterThan(3)
  expect(asked.filter((url) => !url.startsWith(`${site}/`) && !url.startsWith('data:'))).toEqual([])
  expect(wrong).toEqual([])
})

test('no page is wider than a phone', async () => {
  const paths = readdirSync(built, { recursive: true, encoding: 'utf8' })
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  onTestFinished(() => page.close())
  const wide: string[] = []
  for (const path of paths.filter((each) => each.endsWith('.html'))) {
    await page.goto(`${site}/${path}`)
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== 360) wide.push(path)
  }
  expect(wide).toEqual([])
})

/* An SVG file asks for the scheme of the page that shows it. */
test('every image is shown, and pictures follow the switch of the theme, whatever the system prefers', async () => {
  const withImages = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.html') && readFileSync(join(built, path), 'utf8').includes('<img '),
  )
  expect(withImages.length).toBeGreaterThan(1)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme })
    onTestFinished(() => page.close())
    const images = async () => {
      const shown: string[] = await page.evaluate(
        `Array.from(document.images, (image) => image.naturalWidth > 0 && (image.currentSrc.endsWith('.svg')
          ? getComputedStyle(image).colorScheme
          : /-(light|dark)\\./.exec(image.currentSrc)?.[1]))`,
      )
      return [...new Set(shown)]
    }
    for (const path of withImages) {
      await page.goto(`${site}/${path}`, { waitUntil: 'networkidle' })
      await expect.poll(images).toEqual([colorScheme])
      await page.locator('.VPNavBarAppearance button').click()
      await expect.poll(images).toEqual([colorScheme === 'dark' ? 'light' : 'dark'])
      await page.locator('.VPNavBarAppearance button').click()
    }
  }
})

test('the page of errors is an index, and a link to a code opens its section', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  onTestFinished(() => page.close())
  await page.goto(`${site}/errors.html#timed_out`)
  await expect.poll(() => page.locator('#timed_out + details[open]').isVisible()).toBe(true)
  expect(await page.locator('details.code[open]').count()).toBe(1)
  await page.locator('table a[href="#clock_skew"]').first().click()
  await expect.poll(() => page.locator('#clock_skew + details[open]').isVisible()).toBe(true)
})

test('without script, the landing page shows how to install with each package manager', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  onTestFinished(() => page.close())
  await page.goto(site)
  for (const [label, command] of [
    ['pnpm', 'pnpm add certify-sdk'],
    ['bun', 'bun add certify-sdk'],
    ['npm', 'npm install certify-sdk'],
  ] as const) {
    await page.locator('.tabs label', { hasText: new RegExp(`^${label}$`) }).click()
    expect(await page.locator('.blocks > div:visible').innerText()).toContain(command)
  }
})

test('no code is wider than its box on a wide screen', async () => {
  const paths = readdirSync(built, { recursive: true, encoding: 'utf8' })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  onTestFinished(() => page.close())
  const wide: string[] = []
  for (const path of paths.filter((each) => /^((api|cli|control-api)\/.*|[\w-]+)\.html$/.test(each))) {
    await page.goto(`${site}/${path}`)
    const isWide =
      "Array.from(document.querySelectorAll('.vp-doc pre')).some((box) => box.scrollWidth > box.clientWidth + 1)"
    if (await page.evaluate(isWide)) wide.push(path)
  }
  expect(wide).toEqual([])
})

test('the API names the client first, and nothing that is not exported', () => {
  const read = (path: string) => readFileSync(join(built, path), 'utf8')
  const [first] = read('api/certify-sdk.html').match(/<h3 [^>]*id="[^"]+"/) ?? []
  expect(first).toContain('id="certifyclient"')
  expect(read('api/certify-sdk.html')).not.toContain('ErrorWithHidden')
  expect(read('api/index.html').match(/href="\/?api\/certify-sdk[^"]*"|href="\.?\/?certify-sdk[^"]*"/)?.[0]).toContain(
    'certify-sdk.html',
  )
})

test('each command and each group of the control API has a page, and the indexes have a sentence for each', () => {
  const read = (path: string) => readFileSync(join(built, path), 'utf8')
  for (const [folder, path] of [
    ['cli', 'docs/cli.md'],
    ['control-api', 'docs/control-api.md'],
  ] as const) {
    const names = readdirSync(join(built, folder)).filter((name) => name.endsWith('.html'))
    const headings = readFileSync(join(built, '../..', path), 'utf8').match(/^## (?!Common options)/gm)
    expect(names.length).toBe(headings?.length)
    for (const name of names) expect(read(`${folder}.html`)).toMatch(new RegExp(`/${name}">[^<]+</a>: \\w`))
  }
  const all = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'))
  expect(all.filter((path) => /<th[^>]*><\/th>/.test(read(path)))).toEqual([])
})

test('the search finds pages in a browser without requests to other hosts', async () => {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const asked: string[] = []
  page.on('request', (request) => void asked.push(request.url()))
  await page.goto(site)
  await (await openSearch(page)).fill('ledger')
  await page.locator('.VPLocalSearchBox a.result').first().waitFor()
  expect(asked.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).toEqual([])
})
