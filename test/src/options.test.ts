import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient, type ClientOptions } from '../../src/index.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf, thrownBy } from './failing.ts'
import { json, startServer } from './http-server.ts'

const make = (options: unknown) => new CertifyClient(options as Extract<ClientOptions, { apiKey: unknown }>)
const baseUrl = 'https://certify.test'

test.each([
  [{ baseUrl: 'certify.test', apiKey: 'k' }, 'baseUrl must be an absolute http or https URL, without a user name'],
  [
    { baseUrl: 'ftp://certify.test', apiKey: 'k' },
    'baseUrl must be an absolute http or https URL, without a user name',
  ],
  [{ baseUrl: '', apiKey: 'k' }, 'baseUrl is not set'],
  [undefined, 'it must be an object'],
  [null, 'it must be an object'],
  [{ apiKey: 'k' }, 'baseUrl is missing; it must be a string'],
  [{ baseUrl: 'http://certify.test', apiKey: 'k' }, 'is http to another machine'],
  [{ baseUrl: 'http://127.evil.example', apiKey: 'k' }, 'is http to another machine'],
  [{ baseUrl: 'http://localhost.evil.example', apiKey: 'k' }, 'is http to another machine'],
  [
    { baseUrl: 'https://u:p@certify.test', apiKey: 'k' },
    'baseUrl must be an absolute http or https URL, without a user name',
  ],
  [
    { baseUrl: 'https://:p@certify.test', apiKey: 'k' },
    'baseUrl must be an absolute http or https URL, without a user name',
  ],
  [
    { baseUrl: 'https://certify.test#x', apiKey: 'k' },
    'baseUrl must be an absolute http or https URL, without a user name',
  ],
  [
    { baseUrl: 'https://certify.test?x=1', apiKey: 'k' },
    'baseUrl must be an absolute http or https URL, without a user name',
  ],
  [{ baseUrl: 'https://certify.test/api/developer/graphql', apiKey: 'k' }, 'must not end in /api/developer/graphql'],
  [{ baseUrl }, 'apiKey is not set'],
  [{ baseUrl, apiKey: undefined }, 'apiKey is not set'],
  [{ baseUrl, apiKey: 'k', adminSession: { headers: { a: 'b' } } }, 'apiKey is set beside adminSession'],
  [{ baseUrl, apiKey: '' }, 'apiKey is not set'],
  [{ baseUrl, apiKey: 7 }, 'apiKey must be a string or a function'],
  [{ baseUrl, adminSession: { headers: {} } }, 'adminSession.headers is empty'],
  [{ baseUrl, adminSession: { headers: { 'a b': 'c' } } }, 'adminSession.headers is not an object with headers that'],
  [{ baseUrl, apiKey: 'k', timeoutMs: -1 }, 'timeoutMs must be a number of milliseconds between 1 and 2147483647'],
  [{ baseUrl, apiKey: 'k', timeout: 5 }, 'timeout is unknown; known fields: baseUrl, apiKey'],
  [{ baseUrl, apikey: 'k' }, 'apikey is unknown; known fields: baseUrl, apiKey'],
  [{ baseUrl, apiKey: 'k', colour: 1 }, 'colour is unknown; known fields: baseUrl'],
  [{ baseUrl, apiKey: 'k', max_retries2: 1 }, 'max_retries2 is unknown'],
  [{ baseUrl, apiKey: 'k', 'x-tenant': 1 }, 'x-tenant is unknown'],
  [{ baseUrl, apiKey: 'k', ck_live_0a9f8e7d6c: 1 }, '(an option, name withheld) is unknown'],
  [{ baseUrl, apiKey: 'k', 'ada@example.com': 1 }, '(an option, name withheld) is unknown'],
  [{ baseUrl, apiKey: 'k', retry: true }, 'retry must be false or { maxAttempts }'],
  [{ baseUrl, apiKey: 'k', retry: { maxAttempts: 11 } }, 'retry must be false or { maxAttempts }'],
  [{ baseUrl, apiKey: 'k', retry: { attempts: 2 } }, 'retry must be false or { maxAttempts }'],
  [{ baseUrl, apiKey: 'k', appInfo: { name: 'a b' } }, 'appInfo.name must be a word without spaces'],
  [{ baseUrl, apiKey: 'k', appInfo: { version: '1' } }, 'appInfo.name is missing'],
  [{ baseUrl, apiKey: 'k', hooks: { onAttempt: 1 } }, 'hooks.onAttempt must be a function'],
  [
    { baseUrl, apiKey: 'k', hooks: { onFinish: () => {} } },
    'hooks.onFinish is unknown; known fields: onAttempt, onRetry, onSettled',
  ],
  [
    { baseUrl, adminSession: { headers: { a: 'b' }, cookie: 1 } },
    'adminSession.cookie is unknown; known fields: headers',
  ],
  [{ baseUrl, adminSession: { headers: { host: 'x' } } }, 'adminSession.headers must not set host'],
  /* With this header the fetch of Node.js throws: the create would count as sent. */
  [{ baseUrl, adminSession: { headers: { Expect: '100-continue' } } }, 'adminSession.headers must not set expect'],
  [{ baseUrl, apiKey: 'k', fetch: 'fetch' }, 'fetch must be a function'],
  [{ baseUrl, apiKey: 'k', headers: 'x: y' }, 'headers must be an object or a function'],
  [{ baseUrl, apiKey: 'k', headers: { 'a b': 'c' } }, 'headers is not an object with headers that can be sent'],
  [{ baseUrl, apiKey: 'k', headers: { a: 'b\nc' } }, 'headers is not an object with headers that can be sent'],
  [{ baseUrl, apiKey: 'k', headers: { a: 7 } }, 'headers is not an object with headers that can be sent'],
  [
    { baseUrl, apiKey: 'k', headers: new Headers({ a: 'b' }) },
    'headers is not an object with headers that can be sent',
  ],
  [{ baseUrl, apiKey: 'k', headers: [['a', 'b']] }, 'headers is not an object with headers that can be sent'],
  [{ baseUrl, adminSession: { headers: { a: 'b' } }, headers: { 'X-Api-Key': 'k' } }, 'headers must not set x-api-key'],
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
