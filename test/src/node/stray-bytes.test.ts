import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CertifyClient } from '../../../src/index.ts'
import { createFetch } from '../../../src/node/index.ts'
import { startSockets } from '../../bin/sockets.ts'
import { CREATED } from '../samples.ts'

const warnings: (Error & { readonly code?: string })[] = []
const onWarning = (warning: Error) => void warnings.push(warning)
beforeEach(() => {
  warnings.length = 0
  process.on('warning', onWarning)
})
afterEach(() => void process.off('warning', onWarning))

const RESPONSE = `HTTP/1.1 200 OK\r\ncontent-length: ${CREATED.length}\r\n\r\n${CREATED}`
const CHUNKED = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${CREATED.length.toString(16)}\r\n${CREATED}\r\n0\r\n\r\n`

/** What a server does: when it has a request, and when its client has the response. */
interface Service {
  readonly response: (socket: Socket) => void
  readonly afterwards?: (socket: Socket) => void
}

/* The warnings after three creates, one after another. */
async function warningsAt({ response, afterwards }: Service) {
  const sockets: Socket[] = []
  const closed: Promise<unknown>[] = []
  const port = await startSockets((socket) => {
    sockets.push(socket)
    closed.push(new Promise((resolve) => socket.on('close', resolve)))
    socket.on('data', () => response(socket))
  })
  const fetch = createFetch({ idleMs: 50 })
  const client = new CertifyClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', fetch, retry: false })
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) {
    await client.invites.create({ quizId: 'q', candidate: { email } })
    const last = sockets.at(-1)
    if (last !== undefined) afterwards?.(last)
    if (afterwards !== undefined) await closed.at(-1)
  }
  await Promise.all(closed)
  return warnings.map(({ code }) => code).filter((code) => code === 'CERTIFY_UNEXPECTED_BYTES')
}

const once = (socket: Socket) => void socket.write(RESPONSE)

test.each<[string, Service]>([
  ['two responses at once', { response: (socket) => socket.write(RESPONSE + RESPONSE) }],
  ['two responses at once, the first in chunks', { response: (socket) => socket.write(CHUNKED + RESPONSE) }],
  ['a byte too many', { response: (socket) => socket.write(`${RESPONSE}x`) }],
  ['a second response, while idle', { response: once, afterwards: (socket) => socket.write(RESPONSE) }],
  ['half of a second response', { response: once, afterwards: (socket) => socket.write(RESPONSE.slice(0, 30)) }],
  ['a byte, while idle', { response: once, afterwards: (socket) => socket.write('x') }],
])('bytes that no request waits for are reported once, and end the connection: %s', async (_what, service) => {
  expect(await warningsAt(service)).toEqual(['CERTIFY_UNEXPECTED_BYTES'])
  expect(String(warnings[0])).not.toContain('example.com')
})

const TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n'

test.each<[string, Service]>([
  ['keeps it', { response: once }],
  ['sends an empty line', { response: (socket) => socket.write(`${RESPONSE}\r\n`) }],
  [
    'announces that it ends it',
    { response: (socket) => socket.end(RESPONSE.replace('\r\n', '\r\nconnection: close\r\n')) },
  ],
  ['ends it', { response: once, afterwards: (socket) => socket.end() }],
  ['resets it', { response: once, afterwards: (socket) => void socket.resetAndDestroy() }],
  ['ends it with a 408', { response: once, afterwards: (socket) => socket.end(TIMEOUT) }],
])('a connection whose service responds once for each request is not reported: it %s', async (_what, service) => {
  expect(await warningsAt(service)).toEqual([])
})
