// Takes the pictures of the guides, in both schemes. Run it after a build: node test/browser/screenshots.mjs
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

/* Types are checked without a build. */
const built = (/** @type {string} */ name) => import(new URL(`../../dist/${name}`, import.meta.url).href)
const { createMockServer } = /** @type {typeof import('../../mock-server/index.ts')} */ (await built('mock/index.js'))
const { CertifyClient } = /** @type {typeof import('../../src/index.ts')} */ (await built('index.node.js'))
const { openLedger } = /** @type {typeof import('../../src/ledger/index.ts')} */ (await built('ledger/index.js'))
const { planCampaign, runCampaign } = /** @type {typeof import('../../src/campaign/index.ts')} */ (
  await built('campaign/index.js')
)
const QUIZZES = ['quiz_react_beginner_state', 'quiz_react_beginner_components', 'quiz_javascript_beginner']

const folder = join(import.meta.dirname, '../../docs/screenshots')
for (const name of readdirSync(folder)) rmSync(join(folder, name))

const mock = createMockServer({ now: '2030-03-04T09:30:00Z' })
const { url, endpoint } = await mock.listen({ port: 4010 })
const json = { 'content-type': 'application/json' }
const ACTS = /** @type {const} */ ([undefined, 'start', 'pass', 'fail', 'abandon', 'fail'])
const PEOPLE = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson', 'Alan Turing', 'Edsger Dijkstra', 'Mary Jackson']
for (const [index, name] of PEOPLE.entries()) {
  const email = `${name.replace(' ', '.').toLowerCase()}@example.com`
  const quizId = mock.quizzes[index]?.id
  const body = JSON.stringify({ quizId, candidate: { name, email }, callbackUrl: 'https://sandbox.callback/hook' })
  await fetch(`${url}/__mock/invites`, { method: 'POST', headers: json, body })
  const act = ACTS[index]
  if (act !== undefined) mock.open(mock.invites.at(-1)?.inviteId ?? '')[act]()
}
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
await takeStudio()
await browser.close()
await mock.close()

/* A ledger of two campaigns, of which some creates lost their responses. */
async function takeStudio() {
  const home = mkdtempSync(join(tmpdir(), 'certify-pictures-'))
  const path = join(home, 'invites.ledger')
  const ledger = await openLedger(path)
  /* With the clock of the ledger. */
  const today = createMockServer()
  const { baseUrl, apiKey } = today
  const client = new CertifyClient({ baseUrl, apiKey, fetch: today.fetch, ledger })
  const names = ['Ada Byron', 'Grace Hopper', 'Barbara Liskov', 'Radia Perlman', 'Frances Allen', 'Hedy Lamarr']
  const rows = Array.from({ length: 84 }, (_each, index) => {
    const name = names[index % names.length] ?? ''
    const isLost = index % 28 === 20
    const email = isLost
      ? `cut-after+${index}@candidate.test`
      : `${name.replace(' ', '.').toLowerCase()}.${index}@example.com`
    const about =
      index % 9 === 4 ? { packageId: 'pkg_react_beginner' } : { quizId: QUIZZES[index % QUIZZES.length] ?? '' }
    return { input: { ...about, candidate: { name, email } } }
  })
  for (const [campaign, part] of /** @type {const} */ ([
    ['autumn.csv', rows.slice(0, 30)],
    ['winter.csv', rows.slice(30)],
  ])) {
    const plan = await planCampaign(part, { client, campaign })
    const events = runCampaign(plan, { concurrency: 1 })[Symbol.asyncIterator]()
    while ((await events.next()).done !== true);
  }
  let at = 0
  for await (const { reference, state, invites } of ledger.list()) {
    at += 1
    const [invite] = invites
    if (state !== 'created' || invite === undefined || at % 3 === 0) continue
    const result = at % 4 === 1 ? 'FAILED' : 'PASSED'
    /** @type {unknown} */
    const event = {
      type: 'certification.completed',
      key: `cb_${at}`,
      receivedAt: Date.now(),
      reference,
      ...invite,
      result,
    }
    await ledger.inbox.learn(/** @type {import('../../src/callbacks/event.ts').InviteEvent} */ (event))
  }
  await ledger.close()
  const program = new URL('../../dist/bin/certify.cjs', import.meta.url).pathname
  const studio = spawn(process.execPath, [program, 'studio', '--ledger', 'invites.ledger', '--json'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [first] = await once(studio.stdout, 'data')
  const { url: address } = JSON.parse(String(first))
  const { origin } = new URL(address)
  const response = await fetch(address, { redirect: 'manual' })
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? []
  const open = (/** @type {string} */ view) => async (/** @type {import('playwright-core').Page} */ page) => {
    await page.context().addCookies([{ name, value, url: origin }])
    await page.goto(origin + view)
  }
  await take('studio', origin, 800, open('/'))
  await take('studio-decisions', origin, 700, open('/decisions'))
  studio.kill('SIGINT')
  rmSync(home, { recursive: true })
}

/**
 * One view in both schemes, at two pixels for each. Low views are narrower: they stand in a list.
 * @param {string} name @param {string} path @param {number} height
 * @param {(page: import('playwright-core').Page) => Promise<void>} [act]
 */
async function take(name, path, height, act) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const viewport = { width: height > 600 ? 1280 : 1000, height }
    const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 2 })
    await page.goto(new URL(path, url).href)
    await act?.(page)
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
    writeFileSync(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
    await page.close()
  }
}
