// Takes the pictures of README.md and docs/sandbox.md, in both schemes. Run it after a build: node test/browser/screenshots.mjs
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

/* Types are checked without a build. */
const built = new URL('../../dist/mock/index.js', import.meta.url).href
const { createMockServer } = /** @type {typeof import('../../mock-server/index.ts')} */ (await import(built))

const folder = join(import.meta.dirname, '../../docs/screenshots')
for (const name of readdirSync(folder)) rmSync(join(folder, name))

const mock = createMockServer({ now: '2030-03-04T09:30:00Z' })
const { url, endpoint } = await mock.listen({ port: 4010 })
const json = { 'content-type': 'application/json' }
await fetch(`${url}/__mock/sample-data`, { method: 'POST', headers: json, body: '{}' })
await mock.clock.advance('3h')
const query = `mutation Create($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId challengeUrl expiresAt emailSent }
}`
const candidate = { name: 'Radia Perlman', email: 'radia.perlman@example.com' }
const input = { quizId: 'quiz_react_beginner_state', candidate, callbackUrl: 'https://sandbox.callback/hook' }
const headers = { ...json, 'x-api-key': mock.apiKey }
await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query, variables: { input } }) })
const { inviteId = '', challengeUrl = '' } = mock.invites.at(-1) ?? {}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
await take('overview', '/', 800)
await take('mail', `/outbox/${inviteId}`, 560)
mock.open(inviteId).start()
await take('candidate', new URL(challengeUrl).pathname, 380)
mock.open(inviteId).pass()
await mock.settle()
await take('callbacks', '/callbacks', 560, async (page) => {
  await page.locator('.entries summary').first().click()
})
await take('console', '/console', 720, async (page) => {
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.getByText('HTTP 200').waitFor()
})
await browser.close()
await mock.close()

/**
 * One view in both schemes, at two pixels for each. Low views are narrower: they stand in a list.
 * @param {string} name @param {string} path @param {number} height
 * @param {(page: import('playwright-core').Page) => Promise<void>} [act]
 */
async function take(name, path, height, act) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const viewport = { width: height > 600 ? 1280 : 1000, height }
    const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 2 })
    await page.goto(url + path)
    await act?.(page)
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
    writeFileSync(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
    await page.close()
  }
}
