import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { create, startBrowser, startServer } from './visit.ts'

let browser: Browser
let mock: MockServer
let url: string
let foreign: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  browser = await startBrowser()
  mock = createMockServer()
  url = (await mock.listen()).url
  foreign = await startServer(() => '<!doctype html><title>a page of somebody else</title>')
})

beforeEach(async () => {
  mock.reset()
  await create(mock)
})

afterAll(async () => {
  await browser.close()
  await foreign.close()
  await mock.close()
})

/** What a page of another origin does, in JavaScript that its browser runs. `MOCK` and `LINK` stand for addresses. */
const attempts = [
  ['a form that resets', `post(MOCK + '/__mock/reset', 'text/plain', '{}')`],
  [
    'a fetch with JSON',
    `await fetch(MOCK + '/__mock/reset', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
  ],
  [
    'a frame',
    `await new Promise((done) => { const frame = document.createElement('iframe'); frame.onload = done; frame.src = LINK; document.body.append(frame) })`,
  ],
  [
    'a WebSocket',
    `await new Promise((done) => { const socket = new WebSocket(MOCK.replace('http', 'ws') + '/__mock/reset'); socket.onerror = socket.onclose = socket.onopen = done })`,
  ],
] as const

test.each(attempts)('a foreign page cannot change anything by %s', async (what, step) => {
  const before = { ...(mock.snapshot().world as object), clock: null }
  const page = await browser.newPage()
  await page.goto(foreign.url.replace('127.0.0.1', 'localhost'))
  /* The other steps wait for their own end. */
  const isForm = what === 'a form that resets'
  const response = isForm && page.waitForResponse((each) => each.url().startsWith(url))
  const link = mock.invites[0]?.challengeUrl.replace(mock.baseUrl, url)
  const post = `const post = (to, type, text) => { const form = document.createElement('form'); form.method = 'post'; form.action = to; form.enctype = type; const field = document.createElement('input'); field.name = text; form.append(field); document.body.append(form); form.submit() }`
  await page.evaluate(
    `(async () => { const MOCK = ${JSON.stringify(url)}, LINK = ${JSON.stringify(link)}; ${post}; ${step} })().catch(() => {})`,
  )
  await response
  await page.close()
  await mock.settle()
  expect({ ...(mock.snapshot().world as object), clock: null }).toEqual(before)
  expect(mock.invites).toMatchObject([{ status: 'PENDING' }])
})

test('a foreign page cannot read anything', async () => {
  const page = await browser.newPage()
  await page.goto(foreign.url.replace('127.0.0.1', 'localhost'))
  const read = `fetch(${JSON.stringify(`${url}/__mock/keys`)}).then((response) => response.text(), (error) => error.name)`
  expect(await page.evaluate(read)).toBe('TypeError')
  const embedded = `new Promise((done) => { const script = document.createElement('script'); script.onerror = () => done('refused'); script.onload = () => done('run'); script.src = ${JSON.stringify(`${url}/__mock/kit/assets/page.js`)}; document.body.append(script) })`
  expect(await page.evaluate(embedded)).toBe('refused')
  await page.close()
})
