import { describe, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { HOOK, openOne } from './calls.ts'

/* What the mock reports about each callback: what was sent, the response, and what it is waiting for. */

const NOW = '2030-03-01T09:30:00.000Z'
const KEPT = 'https://sandbox.callback/anything?tenant=7'

/** A mock whose one event was delivered to this handler. */
async function delivered(answer: () => Response, options: MockServerOptions = {}, callbackUrl = HOOK) {
  const mock = createMockServer({ now: NOW, callbacks: { deliver: answer }, ...options })
  ;(await openOne(mock, { callbackUrl })).pass()
  await mock.settle()
  return mock
}

async function pageOf(mock: MockServer): Promise<string> {
  const response = await mock.fetch(`${mock.baseUrl}/callbacks`, { headers: { accept: 'text/html' } })
  return response.text()
}

describe('an attempt', () => {
  test('keeps the headers that were sent and the body of the response', async () => {
    const mock = await delivered(() => new Response('no such tenant', { status: 404 }))
    const [callback] = mock.callbacks.list()
    expect(callback?.attempts).toEqual([
      {
        at: NOW,
        status: 404,
        error: null,
        requestHeaders: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'certify-mock',
          connection: 'close',
          'x-certify-event-id': callback?.id,
          'x-certify-attempt': '1',
        },
        response: 'no such tenant',
      },
    ])
    expect(await pageOf(mock)).toMatch(
      /<dt>x-certify-attempt<\/dt><dd>1<\/dd>[\s\S]*<pre [^>]*aria-label="Response">no such tenant<\/pre>/,
    )
  })

  test('keeps at most the first 4,096 characters of the response', async () => {
    const mock = await delivered(() => new Response('é'.repeat(10_000)))
    expect(mock.callbacks.list()[0]?.attempts[0]?.response).toBe('é'.repeat(4096))
  })

  test('without a response has none, but keeps the headers that were sent', async () => {
    const mock = await delivered(() => {
      throw new Error('no such route')
    })
    expect(mock.callbacks.list()[0]?.attempts).toMatchObject([
      { error: 'no such route', response: null, requestHeaders: { 'x-certify-attempt': '1' } },
    ])
  })

  test('whose response body the handler has already read is acknowledged, without that body', async () => {
    const read = new Response('gone')
    await read.text()
    const mock = await delivered(() => read)
    expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200, response: null }] }])
  })
})

describe('redeliver', () => {
  const redeliver = async (mock: MockServer, id: string) => {
    const response = await mock.fetch(`${mock.baseUrl}/__mock/callbacks/${id}/redeliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    return [response.status, await response.json()]
  }

  test('returns the updated callback, which is waiting for an attempt', async () => {
    const mock = await delivered(() => new Response())
    const [row] = mock.callbacks.list()
    expect(await redeliver(mock, row?.id ?? '')).toEqual([200, { ...row, status: 'waiting', nextAttemptAt: NOW }])
    await mock.settle()
    expect(mock.callbacks.list()[0]?.attempts).toHaveLength(2)
  })
})

describe('the receiver at https://sandbox.callback', () => {
  const ways: [string, MockServerOptions][] = [
    ['alone', {}],
    ['beside a handler', { callbacks: { deliver: () => new Response('', { status: 500 }) } }],
    ['where its host is mapped', { callbacks: { hosts: { 'https://sandbox.callback': 'http://127.0.0.1:1' } } }],
  ]

  test.each(ways)('keeps every event inside the mock and answers 200, %s', async (_way, options) => {
    const mock = createMockServer({ now: NOW, ...options })
    ;(await openOne(mock, { callbackUrl: KEPT })).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([
      {
        status: 'delivered',
        attempts: [{ status: 200, error: null, response: '', requestHeaders: { 'x-certify-attempt': '1' } }],
      },
    ])
    expect(await pageOf(mock)).toContain('&quot;result&quot;:&quot;PASSED&quot;')
  })

  test('is subject to faults like any other', async () => {
    const mock = createMockServer({ now: NOW })
    mock.faults.add({ event: 'any', fault: 'refuse' })
    ;(await openOne(mock, { callbackUrl: KEPT })).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([{ status: 'waiting' }])
    await mock.clock.advance('1s')
    expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered' }])
  })
})
