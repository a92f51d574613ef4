import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { INES, invite } from './calls.ts'
import { createReceiver } from './receiver.ts'

/* What the mock tells about each callback: what was sent, what came back, and what it waits for. */

const NOW = '2030-03-01T09:30:00.000Z'
const HOOK = 'https://app.example/hook'
const KEPT = 'https://sandbox.callback/anything?tenant=7'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const step of cleanUp.splice(0)) step()
})

async function openOne(mock: MockServer, callbackUrl: string = HOOK) {
  return mock.open((await invite(mock, { callbackUrl })).challengeUrl)
}

/** A mock whose one event was delivered to this handler. */
async function delivered(answer: () => Response, options: MockServerOptions = {}, url?: string) {
  const mock = createMockServer({ now: NOW, callbacks: { deliver: answer }, ...options })
  ;(await openOne(mock, url)).pass()
  await mock.settle()
  return mock
}

async function pageOf(mock: MockServer): Promise<string> {
  const response = await mock.fetch(`${mock.baseUrl}/callbacks`, { headers: { accept: 'text/html' } })
  return response.text()
}

describe('an attempt', () => {
  test('keeps the headers that were sent and the body of the answer', async () => {
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
        answer: 'no such tenant',
      },
    ])
    expect(await pageOf(mock)).toMatch(/x-certify-attempt: 1[\s\S]*no such tenant/)
  })

  test('shows the signature that was sent, and no password', async () => {
    const secret = `whsec_${btoa('a secret of sixteen bytes')}`
    const mock = await delivered(
      () => new Response(),
      { behaviour: { callbackSigning: { standardWebhooks: secret } } },
      'https://user:opensesame@app.example/hook',
    )
    const requestHeaders = mock.callbacks.list()[0]?.attempts[0]?.requestHeaders ?? {}
    expect(requestHeaders).toMatchObject({
      'webhook-signature': expect.stringMatching(/^v1,/),
      authorization: '(hidden)',
    })
    const page = await pageOf(mock)
    expect(page).toContain(requestHeaders['webhook-signature'] ?? '?')
    expect(page).not.toContain(btoa('user:opensesame'))
    expect(page).not.toContain(secret.slice('whsec_'.length))
  })

  test('keeps at most the first 4,096 characters of the answer', async () => {
    const mock = await delivered(() => new Response('é'.repeat(10_000)))
    expect(mock.callbacks.list()[0]?.attempts[0]?.answer).toBe('é'.repeat(4096))
  })

  test('that nobody answered has no answer, and says which headers were sent', async () => {
    const mock = await delivered(() => {
      throw new Error('no such route')
    })
    expect(mock.callbacks.list()[0]?.attempts).toMatchObject([
      { error: 'no such route', answer: null, requestHeaders: { 'x-certify-attempt': '1' } },
    ])
  })

  test('is acknowledged by a status whose body never ends', { timeout: 20_000 }, async () => {
    const server = createServer((_request, response) => response.writeHead(200).write('begun'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanUp.push(
      () => server.close(),
      () => server.closeAllConnections(),
    )
    const { port } = server.address() as AddressInfo
    const mock = createMockServer({
      now: NOW,
      callbacks: { hosts: { 'https://app.example': `http://127.0.0.1:${port}` } },
    })
    ;(await openOne(mock)).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200, answer: 'begun' }] }])
  })

  test('whose answer the handler has read already has no answer here, and is acknowledged', async () => {
    const read = new Response('gone')
    await read.text()
    const mock = await delivered(() => read)
    expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200, answer: null }] }])
  })
})

test('a snapshot of an earlier version, without headers and answers, is read as before', async () => {
  const { deliver } = createReceiver(500)
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  ;(await openOne(mock)).pass()
  await mock.settle()
  const old = JSON.parse(JSON.stringify(mock.snapshot())) as {
    callbacks: { log: { attempts: Record<string, unknown>[] }[] }
  }
  for (const attempt of old.callbacks.log.flatMap(({ attempts }) => attempts)) {
    delete attempt['requestHeaders']
    delete attempt['answer']
  }
  const other = createMockServer()
  other.restore(old as never)
  expect(other.callbacks.list()).toMatchObject([{ attempts: [{ status: 500, requestHeaders: {}, answer: null }] }])
  expect(await pageOf(other)).toContain('HTTP 500')
})

describe('a callback that waits says why', () => {
  const words = async (mock: MockServer) => {
    const entries = (await pageOf(mock)).match(/<p class="why[^>]*>[\s\S]*?<\/p>/g) ?? []
    return entries.map((entry) => entry.replaceAll(/<[^>]*>/g, ''))
  }

  test('for its next attempt, at a time', async () => {
    const mock = await delivered(() => new Response('', { status: 503 }))
    expect(await words(mock)).toEqual(['The last answer was HTTP 503. The next attempt is at 2030-03-01 09:30:01 UTC.'])
  })

  test('behind an event that was given up', async () => {
    const mock = createMockServer({
      now: NOW,
      callbacks: { deliver: () => new Response('', { status: 500 }) },
      behaviour: { callbackRetries: [] },
    })
    const challenge = await openOne(mock)
    challenge.fail()
    challenge.claim('retake')
    await mock.settle()
    const [first, second] = mock.callbacks.list()
    expect([first?.waitsBehind, second?.waitsBehind]).toEqual([null, first?.id])
    expect(await words(mock)).toEqual([
      `It waits behind certification.completed (${first?.id}), which was given up: redeliver that one.`,
      'Given up after 1 attempt. The last answer was HTTP 500. Later events of this candidate wait until it is redelivered.',
    ])
  })

  test('behind an event that waits itself, and for the end of a pause', async () => {
    const mock = createMockServer({ now: NOW, callbacks: { deliver: () => new Response() } })
    mock.callbacks.pause()
    const challenge = await openOne(mock)
    challenge.fail()
    challenge.claim('retake')
    await mock.settle()
    const [first] = mock.callbacks.list()
    expect(await words(mock)).toEqual([
      `It waits behind certification.completed (${first?.id}). Callbacks are paused.`,
      'Callbacks are paused: it is sent when you resume them.',
    ])
  })

  test('for the next event, where a fault has put it behind that', async () => {
    const mock = createMockServer({ now: NOW, callbacks: { deliver: () => new Response() } })
    mock.faults.add({ event: 'any', fault: 'reorder' })
    ;(await openOne(mock)).fail()
    await mock.settle()
    expect(await words(mock)).toEqual(['A fault keeps it until the next event for this candidate and URL.'])
  })

  test('and one that was blocked or dropped says that too', async () => {
    const mock = createMockServer({ now: NOW })
    ;(await openOne(mock)).pass()
    await mock.settle()
    expect((await words(mock))[0]).toMatch(/^Blocked: app\.example was not contacted/)
    mock.faults.add({ event: 'any', fault: 'drop' })
    mock.callbacks.redeliver(mock.callbacks.list()[0]?.id ?? '')
    await mock.settle()
    expect(await words(mock)).toEqual(['A fault lost it. For the mock it is delivered.'])
  })
})

test('each callback names its candidate, links to its invite, and shows the last status', async () => {
  const mock = await delivered(() => new Response('', { status: 202 }))
  const [row] = mock.callbacks.list()
  const page = await pageOf(mock)
  expect(page).toContain(INES.email)
  expect(page).toContain(`href="/invites/${row?.inviteId}"`)
  expect(page).toMatch(/class="badge passed">HTTP 202</)
})

describe('redeliver', () => {
  const redeliver = async (mock: MockServer, id: string) => {
    const response = await mock.fetch(`${mock.baseUrl}/__mock/callbacks/${id}/redeliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    return [response.status, await response.json()]
  }

  test('answers with the callback as it is then: it waits for an attempt now', async () => {
    const mock = await delivered(() => new Response())
    const [row] = mock.callbacks.list()
    expect(await redeliver(mock, row?.id ?? '')).toEqual([200, { ...row, status: 'waiting', nextAttemptAt: NOW }])
    await mock.settle()
    expect(mock.callbacks.list()[0]?.attempts).toHaveLength(2)
  })

  test('answers that it is paused: no attempt is planned', async () => {
    const mock = await delivered(() => new Response())
    mock.callbacks.pause()
    expect(await redeliver(mock, mock.callbacks.list()[0]?.id ?? '')).toMatchObject([
      200,
      { status: 'waiting', nextAttemptAt: null },
    ])
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
    ;(await openOne(mock, KEPT)).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([
      {
        status: 'delivered',
        attempts: [{ status: 200, error: null, answer: '', requestHeaders: { 'x-certify-attempt': '1' } }],
      },
    ])
    expect(await pageOf(mock)).toContain('&quot;result&quot;:&quot;PASSED&quot;')
  })

  test('is hit by faults as any other', async () => {
    const mock = createMockServer({ now: NOW })
    mock.faults.add({ event: 'any', fault: 'refuse' })
    ;(await openOne(mock, KEPT)).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([{ status: 'waiting' }])
    await mock.clock.advance('1s')
    expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered' }])
  })

  test('is no other host that looks like it', async () => {
    const mock = createMockServer({ now: NOW })
    ;(await openOne(mock, 'https://sandbox.callback.example/hook')).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([{ status: 'blocked' }])
  })
})
