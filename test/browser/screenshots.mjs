// Takes the pictures of docs/sandbox.md: every view of the sandbox, light and dark. Run it by npm run docs:screenshots.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

/* Types are checked without a build. */
const built = new URL('../../dist/mock/index.js', import.meta.url).href
const { createMockServer } = /** @type {typeof import('../../mock-server/index.ts')} */ (await import(built))

const folder = join(import.meta.dirname, '../../docs/screenshots')
for (const name of readdirSync(folder)) if (name.endsWith('.png')) rmSync(join(folder, name))

const mock = createMockServer({ now: '2030-03-04T09:30:00Z' })
const { url, endpoint } = await mock.listen({ port: 4010 })
const sample = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
await fetch(`${url}/__mock/sample-data`, sample)
await mock.clock.advance('3h')
await send(mock.apiKey, '{ developerCertificationPackageTracks { slug packages { id name } } }', {})
const create = `mutation Create($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId challengeUrl expiresAt emailSent }
}`
const candidate = { name: 'Radia Perlman', email: 'radia.perlman@example.com' }
await send(mock.apiKey, create, { input: { quizId: 'quiz_react_beginner_state', candidate } })
await send(mock.apiKeys.at(-1)?.key ?? '', create, { input: { quizId: 'quiz_react_beginner_state', candidate } })
mock.faults.add({ operation: 'developerCertificationPackageTracks', phase: 'after', fault: 'cut', times: 2 })
mock.faults.add({ event: 'any', fault: 'duplicate' })
await mock.settle()

const passed = mock.invites.find(({ status }) => status === 'PASSED')
const running = mock.invites.find(({ status }) => status === 'IN_PROGRESS')
if (!passed || !running) throw new Error('The sample data has no such invites.')
const views = {
  overview: '/',
  outbox: '/outbox',
  mail: `/outbox/${passed.inviteId}`,
  invites: '/invites',
  invite: `/invites/${passed.inviteId}`,
  callbacks: '/callbacks',
  requests: '/requests',
  faults: '/faults',
  catalogue: '/catalogue',
  console: '/console',
  connect: '/connect',
  candidate: new URL(running.challengeUrl).pathname,
}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 860 }, deviceScaleFactor: 2 })
  for (const [name, path] of Object.entries(views)) await take(page, path, `${name}-${colorScheme}`)
  await page.setViewportSize({ width: 390, height: 780 })
  await take(page, '/outbox', `narrow-${colorScheme}`)
  await page.close()
}
await browser.close()
await mock.close()

/** @param {import('playwright-core').Page} page @param {string} path @param {string} name */
async function take(page, path, name) {
  await page.goto(url + path)
  if (path === '/requests' || path === '/callbacks') await page.locator('.entries details > summary').first().click()
  if (path === '/console') {
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('HTTP 200').waitFor()
  }
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

/** @param {string} key @param {string} query @param {object} variables */
async function send(key, query, variables) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })
}
