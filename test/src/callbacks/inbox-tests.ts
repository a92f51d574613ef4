import { inspect } from 'node:util'
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  type CallbackHandlerOptions,
  callbackUrls,
  createCallbackHandler,
  type Inbox,
  type ReceivedEvent,
} from '../../../src/callbacks/index.ts'
import type { LedgerInbox } from '../../../src/ledger/index.ts'
import type { WholeLedger } from '../ledger/whole.ts'
import type { Clock } from '../../../src/clock.ts'
import { created, invite, recordCreate, single } from '../ledger/contract/samples.ts'
import { all } from '../ledger/setting.ts'
import { newGate, testClock } from './setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
const json = { 'content-type': 'application/json; charset=utf-8' }
const completed = (inviteId: string, result = 'PASSED', id?: string) => ({
  ...(id !== undefined && { id }),
  type: 'certification.completed',
  data: { inviteId, result },
})
const claimed = (originalInviteId: string, followUpInviteId: string) => ({
  type: 'certification.follow_up_claimed',
  data: { originalInviteId, followUpInviteId },
})

/** A handler with an inbox, and what it has handled. */
async function settingWith(newInbox: () => Promise<Inbox>, options: Partial<CallbackHandlerOptions> = {}) {
  const clock = testClock()
  const inbox = options.inbox ?? (await newInbox())
  const handled: ReceivedEvent[] = []
  const failures: unknown[] = []
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox,
    clock,
    onEvent: async (event) => void handled.push(event),
    onFailure: (error, event) => failures.push([error, event]),
    ...options,
  })
  const post = async (reference: string, body: unknown, headers: Record<string, string> = json) => {
    const url = await urls.mint(reference)
    const { status } = await handler(
      new Request(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    )
    return status
  }
  const states = async () => (await all(inbox.list())).map(({ state }) => state)
  return { clock, inbox, handler, handled, failures, post, states }
}

const send = async (
  handler: Awaited<ReturnType<typeof settingWith>>['handler'],
  url: string,
  init: RequestInit = {},
) => {
  const response = await handler(new Request(url, { method: 'POST', headers: json, body: '{}', ...init }))
  return [response.status, await response.text()]
}

/** The tests of a handler with one kind of inbox. `newInbox` opens an empty one. */
function describeInbox(name: string, newInbox: () => Promise<Inbox>): void {
  describe(`with an inbox ${name}`, () => {
    const setting = (options: Partial<CallbackHandlerOptions> = {}) => settingWith(newInbox, options)

    test('an event is handled once, however often it is delivered, and concurrently too', async () => {
      const { handler, handled, post } = await setting()
      const event = completed('inv_1', 'PASSED', 'evt_1')
      const answers = await Promise.all(Array.from({ length: 20 }, () => post('req-1', event)))
      await handler.drain()
      expect(await post('req-1', event)).toBe(200)
      await handler.drain()
      expect(new Set(answers)).toEqual(new Set([200]))
      expect(handled).toMatchObject([
        { type: 'certification.completed', inviteId: 'inv_1', reference: 'req-1', failures: 0 },
      ])
    })

    test('events without an identifier are the same if their bytes and their reference match', async () => {
      const { handler, handled, post } = await setting()
      for (const reference of ['req-1', 'req-2', 'req-1']) await post(reference, completed('inv_1'))
      await post('req-1', completed('inv_1', 'FAILED'))
      await handler.drain()
      expect(handled.map(({ reference }) => reference).toSorted()).toEqual(['req-1', 'req-1', 'req-2'])
    })

    test('different events with one identifier are each handled, and a redelivery of either is not', async () => {
      const { handler, handled, post } = await setting()
      const follow = (one: string, other: string) => ({ id: 'evt_1', ...claimed(one, other) })
      const events = [
        completed('inv_1', 'FAILED', 'evt_1'),
        completed('inv_2', 'FAILED', 'evt_1'),
        completed('inv_1', 'PASSED', 'evt_1'),
        follow('inv_1', 'inv_3'),
        follow('inv_1', 'inv_4'),
        follow('inv_2', 'inv_4'),
        { id: 'evt_1', type: 'invite.opened', data: { n: 1 } },
        { id: 'evt_1', type: 'invite.opened', data: { n: 2 } },
      ]
      for (const event of [...events, ...events]) expect(await post('req-1', event)).toBe(200)
      /* What a service may add to a redelivery. */
      expect(await post('req-1', { ...events[0], attempt: 2, sentAt: '2030-01-01T00:00:05Z' })).toBe(200)
      await handler.drain()
      expect(handled.map(({ data }) => data)).toEqual(events)
    })

    test.each([
      ['GET', { method: 'GET', body: null }, 200],
      ['HEAD', { method: 'HEAD', body: null }, 200],
      ['a POST without a body', { body: null }, 200],
      ['PUT', { method: 'PUT' }, 405],
    ] satisfies [string, RequestInit, number][])(
      'a probe gets the same response with any token, and only a refusal with a valid one is reported: %s',
      async (_what, init, status) => {
        const { failures, handler, states } = await setting()
        for (const url of [await urls.mint('req-1'), 'https://app.example/certify/x.y', 'https://app.example/']) {
          expect(await send(handler, url, init)).toEqual([status, ''])
        }
        expect([await states(), failures.length]).toEqual([[], status === 200 ? 0 : 1])
      },
    )

    const canary = JSON.stringify({ type: 'canary', data: { email: 'ada@canary.example' } })
    const encoded = (encoding: string, body: Uint8Array): RequestInit => ({
      headers: { 'content-type': 'text/plain', 'content-encoding': encoding },
      body: body as Uint8Array<ArrayBuffer>,
    })

    test.each<[string, RequestInit]>([
      ...[
        'text/plain; charset=UTF-8',
        'text/json',
        'application/octet-stream',
        'application/json, application/json',
      ].map((type): [string, RequestInit] => [
        `with the type ${type}`,
        { headers: { 'content-type': type }, body: canary },
      ]),
      ['without a type', { headers: {}, body: new TextEncoder().encode(canary) }],
      ['in gzip', encoded('gzip', gzipSync(canary))],
      ['in deflate without its header', encoded('Deflate', deflateRawSync(canary))],
      ['in br and gzip', encoded('br, gzip', gzipSync(brotliCompressSync(canary)))],
      ['decoded before, with the header left', encoded('gzip', new TextEncoder().encode(canary))],
    ])('an event is stored whatever its content type, and decoded: %s', async (_what, init) => {
      const { handler, handled, failures } = await setting()
      expect(await send(handler, await urls.mint('req-1'), init)).toEqual([200, ''])
      await handler.drain()
      expect(handled).toMatchObject([{ type: 'unknown', data: JSON.parse(canary), reference: 'req-1' }])
      expect(new TextDecoder().decode(handled[0]?.raw)).toBe(canary)
      expect(failures).toEqual([])
    })

    test.each<[string, RequestInit, number]>([
      ['no JSON', { body: '<html>canary' }, 400],
      ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `payload=${canary}` }, 400],
      ['invalid UTF-8', { body: Uint8Array.of(0x22, 0xff, 0x22) }, 400],
      ['a broken encoding', encoded('gzip', gzipSync(canary).subarray(0, 30)), 400],
      ['an unknown encoding', encoded('gzip, canary', gzipSync(canary)), 415],
      ['a body beyond the limit', { body: `"${'x'.repeat(300_000)}"` }, 413],
      ['a body beyond the limit once it is decoded', encoded('gzip', gzipSync(`"${'x'.repeat(300_000)}"`)), 413],
      ['a bomb in two encodings', encoded('br, gzip', gzipSync(brotliCompressSync(Buffer.alloc(30_000_000)))), 413],
    ])('anything but an event is refused and reported, but not to a wrong token: %s', async (_what, init, status) => {
      const reports: unknown[][] = []
      const onFailure = (...report: unknown[]) => void reports.push(report)
      const { handler, states } = await setting({ onFailure })
      expect(await send(handler, 'https://app.example/certify/cmVx.AAAA', init)).toEqual([404, ''])
      expect(reports).toEqual([])
      expect(await send(handler, await urls.mint('hire-1+2'), init)).toEqual([status, ''])
      expect(reports).toEqual([
        [expect.any(Error), undefined, expect.objectContaining({ reference: 'hire-1+2', status })],
      ])
      expect(inspect(reports[0]?.slice(0, 2))).not.toContain('canary')
      const sent = new Headers(init.headers ?? json)
      const body = typeof init.body === 'string' ? new TextEncoder().encode(init.body) : (init.body as Uint8Array)
      expect(reports[0]?.[2]).toMatchObject({
        contentType: sent.get('content-type'),
        contentEncoding: sent.get('content-encoding'),
        body: body.length > 262_144 ? undefined : new Uint8Array(body),
      })
      expect(await states()).toEqual([])
    })

    test('a body that stalls is cut off by the time limit, an endless one by its size; both, and a truncated one, are reported', async () => {
      const { clock, failures, handler, states } = await setting()
      const url = await urls.mint('req-1')
      let stalled: ReadableStreamDefaultController<Uint8Array> | undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          stalled = controller
        },
      })
      const slow = handler(new Request(url, { method: 'POST', headers: json, body, duplex: 'half' }))
      stalled?.enqueue(new TextEncoder().encode('{'))
      await expect.poll(() => clock.timers()).toBe(1)
      clock.advance(10_000)
      expect((await slow).status).toBe(408)
      const broken = new ReadableStream({ start: (controller) => controller.error(new Error('canary')) })
      expect(await send(handler, url, { body: broken, duplex: 'half' })).toEqual([400, ''])
      let pieces = 0
      const endless = () =>
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000).fill((pieces += 1))) })
      expect(await send(handler, url, { body: endless(), duplex: 'half' })).toEqual([413, ''])
      expect(await send(handler, `${url}x`, { body: endless(), duplex: 'half' })).toEqual([404, ''])
      expect(pieces).toBeLessThan(10)
      expect(await states()).toEqual([])
      expect(failures).toMatchObject([
        [{ message: expect.stringContaining('408') }, undefined],
        [{ message: expect.stringContaining('400') }, undefined],
        [{ message: expect.stringContaining('413') }, undefined],
      ])
    })

    test('500 means that the inbox failed: the service then delivers again', async () => {
      const broken: Inbox = { ...(await newInbox()), append: async () => Promise.reject(new Error('disk full')) }
      const { failures, post } = await setting({ inbox: broken })
      expect(await post('req-1', completed('inv_1'))).toBe(500)
      expect(failures).toEqual([[new Error('disk full'), undefined]])
    })

    test('events of one reference are handled in order, one at a time; other references do not wait', async () => {
      const order: string[] = []
      const gate = newGate()
      const { handler, post } = await setting({
        onEvent: async ({ reference, data }) => {
          const { n } = data as { n: number }
          order.push(`${reference} ${n} begins`)
          if (reference === 'req-1' && n === 1) await gate.opened
          order.push(`${reference} ${n} ends`)
        },
      })
      for (const n of [1, 2]) for (const reference of ['req-1', 'req-2']) await post(reference, { n })
      await expect.poll(() => order).toContain('req-2 2 ends')
      gate.open()
      await handler.drain()
      expect(order.filter((line) => line.startsWith('req-1'))).toEqual([
        'req-1 1 begins',
        'req-1 1 ends',
        'req-1 2 begins',
        'req-1 2 ends',
      ])
      expect(order.indexOf('req-2 2 ends')).toBeLessThan(order.indexOf('req-1 1 ends'))
    })

    test('a failing handler is retried with a growing backoff, before the later events of its reference', async () => {
      const seen: number[] = []
      const { clock, handler, failures, post, states } = await setting({
        onEvent: (event) => {
          seen.push((event.data as { n: number }).n)
          if (seen.length < 3) throw new Error('database away')
        },
      })
      for (const n of [1, 2]) await post('req-1', { n })
      await handler.drain()
      expect([seen, await states()]).toEqual([[1], ['waiting', 'waiting']])
      clock.advance(1_000)
      await handler.drain()
      expect(seen).toEqual([1, 1])
      clock.advance(5_000)
      await handler.drain()
      expect([seen, await states()]).toEqual([
        [1, 1, 1, 2],
        ['handled', 'handled'],
      ])
      expect(failures).toMatchObject([
        [new Error('database away'), { key: expect.any(String) }],
        [new Error('database away'), {}],
      ])
    })

    test('the key of an event fits on a command line: it is short, and never looks like a flag', async () => {
      const { handler, handled, post } = await setting()
      for (let n = 0; n < 20; n += 1) await post(`req-${n}`, { n })
      await handler.drain()
      expect(new Set(handled.map(({ key }) => key)).size).toBe(20)
      for (const { key } of handled) expect(key).toMatch(/^cb_[\w-]{24}$/)
    })

    test('an event that keeps failing becomes a dead letter, blocks nothing, and can be replayed', async () => {
      let isBroken = true
      const seen: number[] = []
      const { clock, handler, inbox, post, states } = await setting({
        onEvent: ({ data }) => {
          const { n } = data as { n: number }
          if (n === 1 && isBroken) throw new Error('always')
          seen.push(n)
        },
      })
      for (const n of [1, 2]) await post('req-1', { n })
      await handler.drain()
      for (const ms of [1_000, 5_000, 30_000, 300_000, 3_600_000]) {
        clock.advance(ms)
        await handler.drain()
      }
      expect([seen, await states()]).toEqual([[2], ['failed', 'handled']])
      isBroken = false
      const [failed] = await all(inbox.list({ state: 'failed' }))
      expect(await inbox.replay(failed?.key ?? '', clock.now())).toBe(true)
      expect(await inbox.replay('nothing', clock.now())).toBe(false)
      await handler.drain()
      expect([seen, await states()]).toEqual([
        [2, 1],
        ['handled', 'handled'],
      ])
    })

    test('after a restart stored events are handled, and an interrupted one is handled again', async () => {
      const inbox = await newInbox()
      const first = await setting({ inbox, onEvent: () => new Promise(() => {}) })
      await first.post('req-1', completed('inv_1'))
      await first.post('req-2', completed('inv_2'))
      const second = await setting({ inbox })
      second.clock.advance(300_001)
      await second.handler.drain()
      /* Events of two references have no order. */
      expect(second.handled.map(({ reference }) => reference).toSorted()).toEqual(['req-1', 'req-2'])
    })

    test('close waits for the running handler and starts no other', async () => {
      const gate = newGate()
      const seen: unknown[] = []
      const { handler, post } = await setting({
        concurrency: 1,
        onEvent: async ({ data }) => {
          seen.push(data)
          await gate.opened
        },
      })
      for (const n of [1, 2]) await post(`req-${n}`, { n })
      await expect.poll(() => seen).toHaveLength(1)
      const closed = handler.close()
      gate.open()
      await closed
      expect(seen).toEqual([{ n: 1 }])
    })

    test('neither tokens nor candidates appear in the report of a failure', async () => {
      const { handler, failures, post } = await setting({
        onEvent: () => {
          throw new Error('own words')
        },
      })
      await post('req-canary', { type: 'x', data: { email: 'ada@canary.example' } })
      await handler.drain()
      expect(failures).toHaveLength(1)
      expect(inspect(failures, { depth: 9 })).not.toContain('canary')
    })
  })
}

/** The tests of the inbox of a ledger in one kind of database. `open` opens a ledger in an empty one. */
export function describeLedgerInbox(name: string, open: (clock?: Clock) => Promise<WholeLedger>): void {
  describeInbox(name, async () => (await open()).inbox)

  const event = (key: string, reference: string, receivedAt: number) => {
    return { key, reference, deliveryId: null, body: Uint8Array.of(0, 255, 10, 13), receivedAt }
  }
  const keysIn = async (inbox: LedgerInbox) => (await all(inbox.list())).map(({ key }) => key)

  describe(`the inbox of a ledger ${name}`, () => {
    test('finds an event by its key, whatever its state, with the bytes that were received', async () => {
      const { inbox } = await open()
      await inbox.append(event('a', 'req-1', 1000))
      await inbox.settle('a', { state: 'handled' })
      expect(await inbox.find('a')).toEqual({
        ...event('a', 'req-1', 1000),
        state: 'handled',
        failures: 0,
        error: null,
      })
      expect(await inbox.find('b')).toBeUndefined()
    })

    test('keeps the first 200 characters of the last error of `onEvent`, until it succeeds', async () => {
      const { inbox } = await open()
      const thrown: unknown[] = [new Error(`a\0${'b'.repeat(197)}\ud83d\ude00c`), 'a text', { toString: () => 1 }]
      const { clock, handler, post } = await settingWith(async () => inbox, {
        onEvent: () => {
          if (thrown.length > 0) throw thrown.shift()
        },
      })
      await post('req-1', completed('inv_1'))
      const errors: unknown[] = []
      for (const waitMs of [1000, 5000, 30_000, 0]) {
        await handler.drain()
        errors.push((await all(inbox.list())).map(({ error, failures }) => [failures, error]))
        clock.advance(waitMs)
      }
      const texts = [`a\0${'b'.repeat(197)}\ud83d`, 'a text', expect.any(String), null]
      expect(errors).toEqual(texts.map((text, index) => [[Math.min(index + 1, 3), text]]))
    })

    test('stores 1,000 events of one callback URL; more are refused with 413 and reported, and known ones are not', async () => {
      const { inbox } = await open()
      await Promise.all(Array.from({ length: 999 }, (_each, count) => inbox.append(event(`k${count}`, 'req-1', 1000))))
      const refused: unknown[] = []
      const messages: string[] = []
      const { post, handled, handler } = await settingWith(async () => inbox, {
        onFailure: (error, _event, delivery) => {
          messages.push(String(error))
          refused.push(delivery)
        },
      })
      const answers = await Promise.all(['a', 'b', 'c'].map((id) => post('req-1', completed('inv_1', 'PASSED', id))))
      expect(answers.filter((status) => status === 200)).toHaveLength(1)
      expect(refused).toMatchObject(
        ['', ''].map(() => ({ reference: 'req-1', status: 413, body: expect.any(Uint8Array) })),
      )
      expect(messages[0]).toContain('1,000 events')
      expect(messages[0]).not.toContain('inv_1')
      expect(await inbox.append(event('k7', 'req-1', 1000))).toBe('known')
      expect(await post('req-2', completed('inv_2'))).toBe(200)
      await expect.poll(() => handled.filter(({ reference }) => reference === 'req-2')).toHaveLength(1)
      /* Handling 1,000 events takes a while. */
      await handler.close()
    })

    test('stores at most 4 MB of one callback URL', async () => {
      const { inbox } = await open()
      const big = (key: string, bytes: number) => ({ ...event(key, 'req-1', 1000), body: new Uint8Array(bytes) })
      for (let count = 0; count < 16; count += 1) expect(await inbox.append(big(`k${count}`, 249_000))).toBe('stored')
      expect(await inbox.append(big('over', 16_001))).toBe('full')
      expect(await inbox.append(big('last', 16_000))).toBe('stored')
      expect(await inbox.append(big('more', 1))).toBe('full')
    })

    test('forgets the events of a purged candidate', async () => {
      const opened = await open()
      for (const reference of ['ada', 'grace']) {
        const target = single(`${reference}@example.com`)
        await recordCreate(opened, reference, created(invite(`inv-${reference}`)), { target })
        await opened.inbox.append(event(`of-${reference}`, reference, 1000))
      }
      await opened.purge({ email: 'Ada@Example.com' })
      expect(await keysIn(opened.inbox)).toEqual(['of-grace'])
    })

    test('lists and counts the newest events, by state, account and any part of what their record shows', async () => {
      const opened = await open()
      const { inbox } = opened
      for (const account of ['acme', 'globex']) {
        const scope = { baseUrl: 'https://certify.test', account, world: '' }
        await recordCreate(opened, account, undefined, { scope, target: single(`Zoë@${account}.example`) })
      }
      for (const [key, reference] of [
        ['a', 'acme'],
        ['b', 'globex'],
        ['c', 'acme'],
        ['d', 'of no record'],
      ] as const)
        await inbox.append(event(key, reference, 1000))
      await inbox.settle('a', { state: 'failed' })
      const keys = async (filter: Partial<Parameters<LedgerInbox['newest']>[0]>) =>
        (await inbox.newest({ limit: 9, ...filter })).map(({ key }) => key).join('')
      expect([await keys({}), await keys({ limit: 2 }), await keys({ limit: 2, before: 'c' })]).toEqual([
        'dcba',
        'dc',
        'ba',
      ])
      expect([await keys({ state: 'failed' }), await keys({ state: 'waiting', account: 'acme' })]).toEqual(['a', 'c'])
      for (const [search, found] of [
        ['zoe', 'cba'],
        ['acme.ex', 'ca'],
        ['byron', 'cba'],
        ['nobody', ''],
      ] as const)
        expect([search, await keys({ search })]).toEqual([search, found])
      expect(await keys({ search: 'zoe', account: 'globex' })).toBe('b')
      expect(await inbox.count()).toEqual({ waiting: 3, handled: 0, failed: 1 })
      expect(await inbox.count({ account: 'acme', search: 'zoe' })).toEqual({ waiting: 1, handled: 0, failed: 1 })
    })

    test('keeps handled events for 40 days, and others until they are handled', async () => {
      const clock = testClock()
      const { inbox } = await open(clock)
      for (const key of ['handled', 'waiting']) await inbox.append(event(key, key, clock.now()))
      await inbox.settle('handled', { state: 'handled' })
      clock.advance(40 * 24 * 3_600_000)
      await inbox.append(event('later', 'req-3', clock.now()))
      expect(await keysIn(inbox)).toEqual(['handled', 'waiting', 'later'])
      clock.advance(3_600_000)
      await inbox.append(event('last', 'req-4', clock.now()))
      expect(await keysIn(inbox)).toEqual(['waiting', 'later', 'last'])
    })
  })
}
