import { createServer } from 'node:http'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { listen } from '../listen.ts'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockListenOptions, MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CREATE, INES, QUIZ } from '../mock-server/calls.ts'

/** The browser under test. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS })
}

/**
 * Starts one browser per test file. The function that it returns opens a listening mock and a tab for one test; both
 * close with it.
 */
export function visits() {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  return async (
    options: MockServerOptions = {},
    context: BrowserContextOptions = {},
    where: MockListenOptions = {},
  ) => {
    const mock = createMockServer(options)
    const listener = await mock.listen(where)
    const tab = await browser.newContext(context)
    // Ends what hangs. A slow machine is no fault.
    tab.setDefaultTimeout(120_000)
    const page = await tab.newPage()
    onTestFinished(async () => {
      await tab.close()
      await mock.close()
    })
    return { mock, listener, url: listener.url, browser, tab, page }
  }
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A server of another origin: an application that receives callbacks, or a malicious page. */
export async function startServer(
  pageOf: () => string = () => '',
): Promise<{ url: string; received: { type: string; data: unknown }[]; close: () => Promise<void> }> {
  const received: { type: string; data: unknown }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (request.method === 'POST') received.push(JSON.parse(body) as { type: string; data: unknown })
      response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf())
    })
  })
  const { port, close } = await listen(server)
  return { url: `http://127.0.0.1:${port}`, received, close }
}

/** Creates an invite as a client does. */
export function create(mock: MockServer, input: object = {}): Promise<{ readonly status: number }> {
  return mock.fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES, ...input } } }),
  })
}

/** Waits until the page shows this text. */
export function shows(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor()
}
