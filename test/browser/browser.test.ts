import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../mock-server/contract.ts'
import { differences } from './differences.ts'
import { startSite } from './site.ts'
import { startBrowser } from './visit.ts'

let site: Awaited<ReturnType<typeof startSite>>
let browser: Browser
let page: Page

beforeAll(async () => {
  site = await startSite()
  browser = await startBrowser()
  page = await browser.newPage()
  const broken = page.waitForEvent('pageerror').then((error) => Promise.reject(error))
  broken.catch(() => {})
  await page.goto(site.url)
  await Promise.race([page.waitForFunction('globalThis.see !== undefined'), broken])
})

afterAll(async () => {
  await browser.close()
  await site.close()
})

describe.each(['msw/browser', 'mock.fetch'])('in a browser, %s', (way) => {
  test.each(contract)('$title', async ({ title, expected }) => {
    expect(await see(way, title)).toEqual(expected)
  })
})

describe('browser differences, through MSW', () => {
  test.each(differences)('$title', async ({ title, expected }) => {
    expect(await see('msw/browser', title)).toEqual(expected)
  })
})

function see(way: string, title: string): Promise<unknown> {
  return page.evaluate(`see(${JSON.stringify(way)}, ${JSON.stringify(title)})`)
}
