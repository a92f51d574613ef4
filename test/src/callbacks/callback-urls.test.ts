import { expect, onTestFinished, test } from 'vitest'
import { callbackUrls, createCallbackHandler, type ReceivedEvent } from '../../../src/callbacks/index.ts'
import { openLedger } from '../../../src/ledger/index.ts'
import { failureOf, thrownBy } from '../failing.ts'

const secret = 'a secret of thirty-two characters'
const other = 'another secret, also long enough!'
const baseUrl = 'https://app.example/certify'
const urls = callbackUrls({ baseUrl, secrets: [secret] })

test.each(['7f2b0c9e-4d31', 'a/b?c#d', 'Zoë 漢字 🎓', '\uFEFFx', 'x'.repeat(256), '漢'.repeat(256)])(
  'a minted URL is below baseUrl and verifies to its reference: $0',
  async (reference) => {
    const url = await urls.mint(reference)
    expect(url).toMatch(/^https:\/\/app\.example\/certify\/[\w-]+\.[\w-]{43}$/)
    const { pathname } = new URL(url)
    for (const form of [url, pathname, `${pathname}/`, `${url}?x=1#y`, pathname.replace('/certify', '')]) {
      expect(await urls.read(form)).toEqual({ reference })
    }
  },
)

test('testRequest makes the request of an event, which a handler takes for a delivery', async () => {
  const ledger = await openLedger(':memory:')
  onTestFinished(() => ledger.close())
  const seen: ReceivedEvent[] = []
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox: ledger.inbox,
    onEvent: (event) => void seen.push(event),
  })
  const event = { type: 'certification.completed', inviteId: 'inv_1', result: 'PASSED' } as const
  const answer = await handler(await urls.testRequest('hire-4711', event))
  await handler(await urls.testRequest('hire-4711', { type: 'certification.follow_up_claimed', id: 'evt_2' }))
  await handler.drain()
  expect(answer.status).toBe(200)
  expect(seen).toMatchObject([
    { ...event, reference: 'hire-4711', occurredAt: expect.stringMatching(/Z$/) },
    { type: 'unknown', name: 'certification.follow_up_claimed', id: 'evt_2' },
  ])
  await expect(urls.testRequest('', event)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('a token that was altered in any character, truncated or made up is refused', async () => {
  const url = await urls.mint('req-7')
  const token = url.slice(baseUrl.length + 1)
  for (const [index, letter] of token.split('').entries()) {
    const changed = `${token.slice(0, index)}${letter === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`
    expect(await urls.read(`${baseUrl}/${changed}`)).toBeUndefined()
  }
  const [text = ''] = token.split('.')
  for (const made of [
    '',
    '/',
    baseUrl,
    text,
    `${text}.`,
    token.slice(0, -1),
    `${token}A`,
    `.${'A'.repeat(43)}`,
    'x'.repeat(99_999),
  ]) {
    expect(await urls.read(made)).toBeUndefined()
  }
})

test('two secrets verify at once: the first signs, and tokens of a removed one are refused', async () => {
  const both = callbackUrls({ baseUrl, secrets: [other, secret] })
  const [old, fresh] = [await urls.mint('req-7'), await both.mint('req-7')]
  expect(await both.read(old)).toEqual({ reference: 'req-7' })
  expect(await urls.read(fresh)).toBeUndefined()
  expect(await callbackUrls({ baseUrl, secrets: [other] }).read(old)).toBeUndefined()
})

test.each([
  ['baseUrl', 'http', { baseUrl: 'http://app.example' }],
  ['baseUrl', 'with a query', { baseUrl: 'https://app.example/?x=1' }],
  ['baseUrl', 'without a scheme', { baseUrl: 'app' }],
  ['secrets', 'an empty list', { secrets: [] }],
  ['secrets', 'with a short one', { secrets: [secret, 'short-canary'] }],
  ['secrets', 'as one text', { secrets: secret as unknown as string[] }],
])('invalid options are refused without quoting their values: %s, %s', (path, _what, options) => {
  const error = thrownBy(() => callbackUrls({ baseUrl, secrets: [secret], ...options }))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', issues: [{ path }] })
  expect(String(error)).not.toContain('canary')
})

test.each(['', 'x'.repeat(257), '\uD800', 7 as unknown as string])(
  'a reference that could not be read back is refused: $0',
  async (reference) => {
    expect(await failureOf(urls.mint(reference))).toMatchObject({
      code: 'CONFIG_INVALID',
      issues: [{ path: 'reference' }],
    })
  },
)
