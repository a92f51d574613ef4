import { describe, expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { planCampaign, runCampaign } from '../../src/campaign/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf } from './failing.ts'
import { all, clientOf, guardedSetting } from './ledger/setting.ts'

/* Only `fetch` can make an outcome unknown: whatever else of the caller runs, runs before anything counts as sent. */

type Given = (...given: unknown[]) => unknown

const FUNCTIONS: Record<string, (given: Given) => object> = {
  apiKey: (given) => ({ apiKey: given }),
  headers: (given) => ({ headers: given }),
  'adminSession.headers': (given) => ({ apiKey: undefined, adminSession: { headers: given } }),
  'callbacks.mint': (given) => ({ callbacks: { mint: given } }),
}

const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }
const cause = new Error('the vault is sealed')
const never = () => new Promise(() => {})
const notSent = { outcome: 'not-executed', phase: 'not-sent' }

async function setUp(option: string, given: Given, options: object = {}) {
  const clock = manualClock()
  const mock = createMockServer()
  const ledger = await openLedger(':memory:')
  const { baseUrl, apiKey, fetch } = mock
  const own = { ...FUNCTIONS[option]?.(given), ...options }
  const client = clientBy(clock, { baseUrl, apiKey, fetch, ledger, ...own })
  return { clock, mock, ledger, client }
}

describe.each(Object.keys(FUNCTIONS))('%s', (option) => {
  test.each<[string, Given]>([
    ['rejects', () => Promise.reject(cause)],
    [
      'throws',
      () => {
        throw cause
      },
    ],
  ])('a function that %s is CREDENTIALS_UNAVAILABLE and called again; nothing is sent', async (_how, fail) => {
    let calls = 0
    const { client, mock, ledger } = await setUp(option, () => {
      calls += 1
      return fail()
    })
    expect(await failureOf(client.invites.create(input, { reference: 'r1' }))).toMatchObject({
      ...notSent,
      code: 'CREDENTIALS_UNAVAILABLE',
      retryable: true,
      attempts: 3,
      message: `invites.create: your function failed (${option}).`,
      cause,
    })
    expect(calls).toBe(3)
    expect(mock.requestLog.list()).toEqual([])
    expect(await ledger.find('r1')).toMatchObject({ state: 'not-executed', code: 'CREDENTIALS_UNAVAILABLE' })
  })

  test('a function that takes too long is CREDENTIALS_UNAVAILABLE; what it still returns sends nothing', async () => {
    let finish = (_value: unknown) => {}
    const { client, clock, mock, ledger } = await setUp(option, () => {
      setImmediate(clock.timeOut)
      return new Promise((resolve) => (finish = resolve))
    })
    const error = await failureOf(client.invites.create(input, { reference: 'r1', retry: false }))
    expect(error).toMatchObject({ ...notSent, code: 'CREDENTIALS_UNAVAILABLE', retryable: true })
    expect(error.message).toBe(`invites.create: your function took too long (${option}).`)
    finish('too late')
    await new Promise((resolve) => setImmediate(resolve))
    expect(mock.requestLog.list()).toEqual([])
    expect(await ledger.find('r1')).toMatchObject({ state: 'not-executed' })
  })

  test.each<[string, Given]>([
    ['returns after it', () => 'x'],
    ['never returns', never],
    ['throws because of it', () => Promise.reject(cause)],
  ])('an abort during the function is ABORTED, and nothing is sent: it %s', async (_what, end) => {
    const controller = new AbortController()
    const { client, mock } = await setUp(option, () => {
      controller.abort()
      return end()
    })
    const error = await failureOf(client.invites.create(input, { signal: controller.signal }))
    expect(error).toMatchObject({ ...notSent, code: 'ABORTED' })
    expect(mock.requestLog.list()).toEqual([])
  })

  test('a call that was aborted before does not call the function', async () => {
    let calls = 0
    const { client } = await setUp(option, () => (calls += 1), { ledger: undefined })
    const aborted = client.invites.create(input, { signal: AbortSignal.abort() })
    expect(await failureOf(aborted)).toMatchObject({ code: 'ABORTED', outcome: 'not-executed' })
    expect(calls).toBe(0)
  })
})

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['an empty string', ''],
  ['an http URL', 'http://app.example/hook'],
  ['a URL with a line break', 'https://app.example/\nhook'],
  ['a URL object', new URL('https://app.example/hook')],
  ['a very long URL', `https://app.example/${'x'.repeat(9000)}`],
])('a minter that returns %s ends in CONFIG_INVALID, once: no callback is lost in silence', async (_what, value) => {
  let calls = 0
  const { client, mock, ledger } = await setUp('callbacks.mint', () => {
    calls += 1
    return value
  })
  const error = await failureOf(client.invites.create(input, { reference: 'r1' }))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', retryable: false })
  expect([calls, mock.requestLog.list()]).toEqual([1, []])
  expect(await ledger.find('r1')).toMatchObject({ state: 'not-executed', code: 'CONFIG_INVALID' })
})

test('a minter is asked with the reference for each attempt, as a method of its object', async () => {
  const mock = createMockServer()
  mock.faults.add({ fault: 429 })
  const callbacks = {
    base: 'https://app.example/',
    asked: 0,
    mint(reference: string) {
      this.asked += 1
      return Promise.resolve(`${this.base}${reference}/${this.asked}`)
    },
  }
  const client = clientBy(manualClock(), { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, callbacks })
  await client.packageInvites.create(
    { packageId: 'pkg_react_beginner', candidate: input.candidate },
    { reference: 'r1' },
  )
  expect(new Set(mock.invites.map(({ callbackUrl }) => callbackUrl))).toEqual(new Set(['https://app.example/r1/2']))
})

test('a campaign whose minter fails leaves nobody unknown, and invites everybody once it recovers', async () => {
  const { mock, ledger } = await guardedSetting()
  let calls = 0
  const mint = async () => {
    calls += 1
    if (calls <= 16) throw cause
    return 'https://app.example/hook'
  }
  const emails = Array.from({ length: 16 }, (_each, index) => `c${index}@example.com`)
  const rows = emails.map((email) => ({ input: { ...input, candidate: { email } } }))
  const plan = await planCampaign(rows, { client: clientOf(mock, { ledger, callbacks: { mint } }) })
  await all(runCampaign(plan, { concurrency: 16 }))
  expect(await ledger.count({ state: 'unknown' })).toBe(0)
  expect(mock.outbox.map(({ to }) => to).toSorted()).toEqual(emails.toSorted())
})
