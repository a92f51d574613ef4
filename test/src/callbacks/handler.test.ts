import { setImmediate as turn } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type CallbackHandlerOptions, callbackUrls, createCallbackHandler } from '../../../src/callbacks/index.ts'
import { thrownBy } from '../failing.ts'
import { all, freshLedger } from '../ledger/setting.ts'
import { describeLedgerInbox } from './inbox-tests.ts'
import { testClock } from './setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })

describeLedgerInbox('in a file', (clock) => freshLedger(clock))

test.each([
  [{ callbacks: undefined }, ['callbacks']],
  [{ inbox: undefined, onEvent: undefined }, ['inbox', 'onEvent']],
  [{ concurrency: 0, maxBytes: Number.NaN, leaseMs: -1 }, ['maxBytes', 'leaseMs', 'concurrency']],
])('options that cannot work are refused when the handler is created: %j', async (options, paths) => {
  const whole = {
    callbacks: urls,
    inbox: (await freshLedger()).inbox,
    onEvent: () => {},
    ...options,
  } as unknown as CallbackHandlerOptions
  const make = () => createCallbackHandler(whole)
  expect(thrownBy(make).issues.map(({ path }) => path)).toEqual(paths)
})

const EVENT = '{"type":"certification.completed","data":{"inviteId":"inv_canary"}}'
const headers = { 'content-type': 'application/json' }

test.each<[string, (request: Request) => unknown]>([
  ['it was read as JSON', (request) => request.json()],
  ['another reader has it', (request) => request.body?.getReader()],
  ['a reader read it and released it', readAndRelease],
  ['the runtime shows none any more', (request) => Object.defineProperty(request, 'body', { value: null })],
])('a Web request whose body cannot be read is reported, not acknowledged: %s', async (_what, spoil) => {
  const failures: unknown[] = []
  const { inbox } = await freshLedger()
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox,
    onEvent: () => {},
    onFailure: (error) => failures.push(error),
  })
  const url = await urls.mint('req-canary')
  const declared = { ...headers, 'content-length': `${EVENT.length}` }
  const request = new Request(url, { method: 'POST', headers: declared, body: EVENT })
  await spoil(request)
  expect((await handler(request)).status).toBe(500)
  expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining('before express.json()') })])
  expect(String(failures)).not.toContain('canary')
  expect(await all(inbox.list())).toEqual([])
})

const spaces = Buffer.concat([Buffer.from(EVENT), Buffer.alloc(5_000_000, ' ')])

test.each<[string, string, Uint8Array, number]>([
  ['gzip', 'gzip', gzipSync(EVENT), 200],
  ['deflate', 'deflate', deflateSync(EVENT), 200],
  ['deflate without its header', 'deflate', deflateRawSync(EVENT), 200],
  ['a broken body', 'gzip', gzipSync(EVENT).subarray(0, 40), 400],
  ['a bomb', 'deflate', deflateSync(spaces), 413],
  ['what its streams do not know', 'br', brotliCompressSync(EVENT), 415],
])('without node:zlib, as on Workers, the streams of the Web decode: %s', async (_what, encoding, body, status) => {
  const { inbox } = await freshLedger()
  const zlib = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  /* As on Workers: Node.js knows br from version 22 on. */
  const decoder = { DecompressionStream }
  vi.stubGlobal('DecompressionStream', function (format: 'gzip') {
    if (format === ('brotli' as string)) throw new TypeError('unknown')
    return new decoder.DecompressionStream(format)
  })
  onTestFinished(() => {
    zlib.mockRestore()
    vi.unstubAllGlobals()
  })
  const onFailure = vi.fn<() => void>()
  const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent: () => {}, onFailure })
  const sent = { method: 'POST', headers: { 'content-encoding': encoding }, body: new Uint8Array(body) }
  expect((await handler(new Request(await urls.mint('req-1'), sent))).status).toBe(status)
  expect([(await all(inbox.list())).length, onFailure.mock.calls.length]).toEqual(status === 200 ? [1, 0] : [0, 1])
})

test('without onFailure a failure is a process warning, which quotes no error of the application', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const onEvent = () => {
    throw new TypeError('the row of ada@canary.example')
  }
  const handler = createCallbackHandler({ callbacks: urls, inbox: (await freshLedger()).inbox, onEvent })
  const request = async () => new Request(await urls.mint('req-canary'), { method: 'POST', headers, body: EVENT })
  await handler(await request())
  await handler.drain()
  const read = await request()
  await read.text()
  await handler(read)
  await handler.close()
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/\(cb_.*\): TypeError/), { code: 'CERTIFY_CALLBACK_FAILURE' }],
    [expect.stringContaining('before express.json()'), { code: 'CERTIFY_CALLBACK_FAILURE' }],
  ])
  expect(JSON.stringify(warn.mock.calls)).not.toContain('canary')
})

async function readAndRelease({ body }: Request): Promise<void> {
  const reader = body?.getReader()
  while ((await reader?.read())?.done === false);
  reader?.releaseLock()
}

test('drain handles an event even if it was looked up before the previous one was settled', async () => {
  const { inbox } = await freshLedger()
  const settle: typeof inbox.settle = async (key, result) => {
    await turn()
    await inbox.settle(key, result)
  }
  const handled: unknown[] = []
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox: { ...inbox, settle },
    clock: testClock(),
    onEvent: (event) => handled.push(event.data),
  })
  for (const key of ['1', '2']) {
    const body = new TextEncoder().encode(key)
    await inbox.append({ key, reference: 'req-1', deliveryId: null, body, receivedAt: 0 })
  }
  await handler.drain()
  expect(handled).toEqual([1, 2])
})
