import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import type { MockListenOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'

/** The browser that all these tests are about. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS })
}

/** For a file of tests: one browser. What it returns gives a test a mock that listens, and a tab; both end with the test. */
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

/** A server of somebody else: an application that takes callbacks, or a page that means no good. */
export async function startStranger(
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
