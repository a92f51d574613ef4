import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient, type ClientOptions } from '../../src/index.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf, thrownBy } from './failing.ts'
import { json, startServer } from './http-server.ts'

const make = (options: unknown) => new CertifyClient(options as Extract<ClientOptions, { apiKey: unknown }>)
const baseUrl = 'https://certify.test'

/** Each of these options, beside a valid key, is refused with the words. */
const refused = (words: string, ...wrong: readonly object[]) =>
  wrong.map((options) => [{ baseUrl, apiKey: 'k', ...options }, words] as const)
const URL_RULE = 'baseUrl must be an absolute http or https URL, without a user name'
const HEADERS_RULE = 'headers is not an object with headers that can be sent'
const session = { headers: { a: 'b' } }

test.each<readonly [options: unknown, words: string]>([
  ...[
    'certify.test',
    'ftp://certify.test',
    'https://u:p@certify.test',
    'https://:p@certify.test',
    'https://certify.test#x',
    'https://certify.test?x=1',
  ].flatMap((url) => refused(URL_RULE, { baseUrl: url })),
  ...['http://certify.test', 'http://127.evil.example', 'http://localhost.evil.example'].flatMap((url) =>
    refused('is http to another machine', { baseUrl: url }),
  ),
  ...refused('must not end in /api/developer/graphql', { baseUrl: 'https://certify.test/api/developer/graphql' }),
  ...refused('baseUrl is not set', { baseUrl: '' }),
  [undefined, 'it must be an object'],
  [null, 'it must be an object'],
  [{ apiKey: 'k' }, 'baseUrl is missing; it must be a string'],
  [{ baseUrl }, 'apiKey is not set'],
  ...refused('apiKey is not set', { apiKey: undefined }, { apiKey: '' }),
  ...refused('apiKey is set beside adminSession', { adminSession: session }),
  ...refused('apiKey must be a string or a function', { apiKey: 7 }),
  [{ baseUrl, adminSession: { headers: {} } }, 'adminSession.headers is empty'],
  [{ baseUrl, adminSession: { headers: { 'a b': 'c' } } }, 'adminSession.headers is not an object with headers that'],
  [{ baseUrl, adminSession: { ...session, cookie: 1 } }, 'adminSession.cookie is unknown; known fields: headers'],
  [{ baseUrl, adminSession: { headers: { host: 'x' } } }, 'adminSession.headers must not set host'],
  /* With this header the fetch of Node.js throws: the create would count as sent. */
  [{ baseUrl, adminSession: { headers: { Expect: '100-continue' } } }, 'adminSession.headers must not set expect'],
  [{ baseUrl, adminSession: session, headers: { 'X-Api-Key': 'k' } }, 'headers must not set x-api-key'],
  ...refused('timeoutMs must be a number of milliseconds between 1 and 2147483647', { timeoutMs: -1 }),
  ...refused('timeout is unknown; known fields: baseUrl, apiKey', { timeout: 5 }),
  [{ baseUrl, apikey: 'k' }, 'apikey is unknown; known fields: baseUrl, apiKey'],
  ...refused('colour is unknown; known fields: baseUrl', { colour: 1 }),
  ...refused('max_retries2 is unknown', { max_retries2: 1 }),
  ...refused('x-tenant is unknown', { 'x-tenant': 1 }),
  ...refused('(name withheld) is unknown', { ck_live_0a9f8e7d6c: 1 }, { 'ada@example.com': 1 }),
  ...refused(
    'retry must be false or { maxAttempts }',
    ...[true, { maxAttempts: 11 }, { attempts: 2 }].map((retry) => ({ retry })),
  ),
  ...refused('appInfo.name must be a word without spaces', { appInfo: { name: 'a b' } }),
  ...refused('appInfo.name is missing', { appInfo: { version: '1' } }),
  ...refused('hooks.onAttempt must be a function', { hooks: { onAttempt: 1 } }),
  ...refused('hooks.onFinish is unknown; known fields: onAttempt, onRetry, onSettled', {
    hooks: { onFinish: () => {} },
  }),
  ...refused('fetch must be a function', { fetch: 'fetch' }),
  ...refused('headers must be an object or a function', { headers: 'x: y' }, { headers: [['a', 'b']] }),
  ...refused(
    HEADERS_RULE,
    ...[{ 'a b': 'c' }, { a: 'b\nc' }, { a: 7 }, new Headers({ a: 'b' })].map((headers) => ({ headers })),
  ),
])('no client from %o', (options, words) => {
  const error = thrownBy(() => make(options))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(error.message).toContain(words)
})

test.each(['http://localhost:4010', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://certify.localhost', baseUrl])(
  'plain http is allowed to loopback hosts only: %s',
  (url) => {
    expect(() => make({ baseUrl: url, apiKey: 'k' })).not.toThrow()
  },
)

test('plain http to another host needs allowInsecureHttp', () => {
  expect(() => make({ baseUrl: 'http://intranet', apiKey: 'k', allowInsecureHttp: true })).not.toThrow()
})

test.each(['canary-key\n', 'canary-key\r\nx: y', 'canary-kéy', 'canary key', 'canary-key\0'])(
  'a key that cannot be sent in a header is refused without being printed: %j',
  async (apiKey) => {
    const server = await startServer(json({}))
    const errors = [
      thrownBy(() => make({ baseUrl: server.url, apiKey })),
      await failureOf(make({ baseUrl: server.url, apiKey: () => apiKey }).tracks.list()),
    ]
    for (const error of errors) {
      expect(error.code).toBe('CONFIG_INVALID')
      expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain('canary')
    }
    expect(server.received).toEqual([])
  },
)

test('an apiKey function that recovers costs a create only the backoff', async () => {
  const mock = createMockServer()
  const keys = [() => Promise.reject(new Error('vault is sealed')), () => mock.apiKey]
  const apiKey = () => keys.shift()?.() ?? ''
  const client = clientBy(manualClock(), { baseUrl: mock.baseUrl, fetch: mock.fetch, apiKey })
  await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } })
  expect(mock.invites).toHaveLength(1)
})

test.each([
  ['baseUrl', { baseUrl: 'certify.test', apiKey: 'k' }, /^must be an absolute http or https URL/],
  ['baseUrl', { baseUrl: 'http://certify.test', apiKey: 'k' }, /^is http to another machine/],
  ['apiKey', { baseUrl, apiKey: 'a\nb' }, /^is not one line of visible ASCII characters$/],
])('an invalid %s is reported as an issue, not only in the message', (path, options, rule) => {
  const issues = [{ path, rule: expect.stringMatching(rule) }]
  expect(thrownBy(() => make(options))).toMatchObject({ code: 'CONFIG_INVALID', issues })
})
