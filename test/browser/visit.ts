import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'

/** The browser that all these tests are about. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS })
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
