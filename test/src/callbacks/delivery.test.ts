import { createServer, request as httpRequest } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { Server } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { listenInTest } from '../../listen.ts'
import { callbackUrls, createCallbackHandler, type ReceivedEvent } from '../../../src/callbacks/index.ts'
import type { NodeListener } from '../../../src/callbacks/node-listener.ts'
import { all, freshLedger } from '../ledger/setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
/* Everything here goes over HTTP, on a machine that may be busy. */

const EVENT = '{"id":"evt_1","type":"certification.completed","data":{"inviteId":"inv_canary","result":"PASSED"}}'

/** A server in which something else runs before the handler, and what the handler has handled and reported. */
async function mounted(newServer: (listener: NodeListener) => Server, read: (request: Readable) => Promise<unknown>) {
  const failures: unknown[] = []
  const handled: ReceivedEvent[] = []
  const { inbox } = await freshLedger()
  const onEvent = async (event: ReceivedEvent) => void handled.push(event)
  const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent, onFailure: (error) => failures.push(error) })
  const server = newServer((request, response) => {
    void read(request as unknown as Readable).then(() => handler.listener(request, response))
  })
  onTestFinished(() => handler.close())
  return { handler, inbox, handled, failures, port: await listenInTest(server) }
}

test.each<[string, boolean, (request: Readable) => Promise<unknown>]>([
  ['express.json() and express.raw() read it', false, readByEvents],
  ['the default parser of Fastify reads it as text', false, (request) => readByEvents(request.setEncoding('utf8'))],
  ['a middleware reads it to its end', false, (request) => buffer(request)],
  ['a middleware reads its beginning', false, readBeginning],
  ['a middleware reads one without a declared length', true, readByEvents],
  ['a middleware reads one without a length, but not to its end', true, readOnce],
])('an event whose body was read is reported, not acknowledged: %s', async (_what, isChunked, read) => {
  const { port, inbox, failures } = await mounted(createServer, read)
  const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${EVENT.length}` }
  const status = await post(port, length, EVENT)
  expect([status, failures]).toEqual([500, [expect.objectContaining({ message: MOUNT_FIRST })]])
  expect(String(failures)).not.toContain('canary')
  expect(await all(inbox.list())).toEqual([])
})

test('an empty body without a declared length is none: nothing is stored, and nothing is reported', async () => {
  const { port, inbox, failures } = await mounted(createServer, async () => {})
  expect(await post(port, { 'transfer-encoding': 'chunked' })).toBe(200)
  expect([failures, await all(inbox.list())]).toEqual([[], []])
})

async function post(port: number, headers: Readonly<Record<string, string>>, body?: string): Promise<unknown> {
  const { pathname } = new URL(await urls.mint('req-canary'))
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method: 'POST', path: pathname, headers }
    httpRequest(options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end(body)
  })
}

test.each([
  ['is stored', async () => {}, 200, ['inv_canary']],
  ['is not acknowledged if something else has read its body', readByEvents, 500, []],
])(
  'over HTTP/2, where a length need not be declared, an event %s',
  async (_what, read: (request: Readable) => Promise<unknown>, status, stored) => {
    const { port, handler, handled } = await mounted(createHttp2Server, read)
    const session = connect(`http://127.0.0.1:${port}`)
    onTestFinished(() => session.close())
    const { pathname } = new URL(await urls.mint('req-1'))
    const stream = session.request({ ':method': 'POST', ':path': pathname, 'content-type': 'application/json' })
    const answered = new Promise((resolve, reject) => {
      stream.on('response', (headers) => resolve(headers[':status'])).on('error', reject)
    })
    stream.end(EVENT)
    expect(await answered).toBe(status)
    await text(stream)
    await handler.drain()
    expect(handled.map((event) => 'inviteId' in event && event.inviteId)).toEqual(stored)
  },
)

const MOUNT_FIRST = expect.stringContaining('before express.json()')

function readByEvents(request: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    request
      .on('data', () => {})
      .on('end', resolve)
      .on('error', reject)
  })
}

function readOnce(request: Readable): Promise<unknown> {
  return new Promise((resolve) => request.on('data', resolve))
}

async function readBeginning(request: Readable): Promise<void> {
  while (request.read(5) === null) await new Promise((resolve) => request.once('readable', resolve))
}
