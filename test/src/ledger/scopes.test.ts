import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { CertifyClient } from '../../../src/index.ts'
import { baseUrlKey } from '../../../src/ledger/rules/key.ts'
import { failureOf } from '../failing.ts'
import { all, candidate, clientOf, guardedSetting, PACKAGE, QUIZ } from './setting.ts'

test.each([
  ['the names of this machine', 'http://127.0.0.1:4010', 'http://localhost:4010'],
  ['its address in IPv6', 'http://[::1]:4010', 'http://localhost:4010'],
  ['a final dot of the host', 'https://certify.test./x', 'https://certify.test/x'],
  ['the case of the host and the scheme', 'HTTPS://Certify.Test/x', 'https://certify.test/x'],
  ['the port that the scheme has anyway', 'https://certify.test:443/x', 'https://certify.test/x'],
  ['doubled and final slashes', 'https://certify.test//x///y//', 'https://certify.test/x/y'],
  ['dot segments', 'https://certify.test/a/../x/%2e', 'https://certify.test/x'],
  ['what need not be escaped', 'https://certify.test/%7E%41%2d%5f%2E1', 'https://certify.test/~A-_.1'],
  ['the case of an escape', 'https://certify.test/a%2fb', 'https://certify.test/a%2Fb'],
  ['an address with a dot', 'http://127.0.0.1.:4010', 'http://localhost:4010'],
  ['an endpoint', 'https://certify.test//x//api/developer/graphql', 'https://certify.test/x'],
])('spellings of one service are normalized: %s', (_what, given, key) => {
  expect(baseUrlKey(given)).toBe(key)
})

test.each([
  ['http://certify.test', 'https://certify.test'],
  ['http://localhost:4010', 'http://127.0.0.1:4011'],
  ['https://certify.test', 'https://certify.test:8443'],
  ['https://certify.test/x', 'https://certify.test/X'],
  ['https://certify.test/a%2Fb', 'https://certify.test/a/b'],
  ['https://certify.test', 'https://www.certify.test'],
])('different services stay different: %s and %s', (one, other) => {
  expect(baseUrlKey(one)).not.toBe(baseUrlKey(other))
})

test('normalizing is idempotent', () => {
  const pieces = constantFrom(
    '/',
    '//',
    '.',
    '..',
    '%',
    '%2',
    '%25',
    '%2e',
    '%2F',
    '%7e',
    'A',
    '~',
    'é',
    ' ',
    '\\',
    ':',
    ';',
  )
  const hosts = constantFrom('certify.test', 'certify.test.', 'EXAMPLE.test:8443', '[::1]:80', '127.0.0.1.')
  assert(
    property(constantFrom('http', 'https'), hosts, array(pieces), (scheme, host, path) => {
      const key = baseUrlKey(`${scheme}://${host}/${path.join('')}`)
      expect(baseUrlKey(key)).toBe(key)
    }),
  )
  expect(baseUrlKey('nowhere')).toBe('nowhere')
})

test('the service receives what the caller wrote; only the ledger normalizes it', async () => {
  const { mock, ledger } = await guardedSetting()
  const sent: [url: string, body: string][] = []
  const guarded = new CertifyClient({
    baseUrl: `${mock.baseUrl}./%7Ex`,
    apiKey: mock.apiKey,
    ledger,
    account: ' acme ',
    fetch: (url, init) => {
      sent.push([url, init.body])
      return mock.fetch(`${mock.baseUrl}/api/developer/graphql`, init)
    },
  })
  await failureOf(guarded.invites.create({ quizId: ` ${QUIZ} `, candidate }))
  expect(sent).toEqual([[`${mock.baseUrl}./%7Ex/api/developer/graphql`, expect.stringContaining(`" ${QUIZ} "`)]])
  const input = { quizId: ` ${QUIZ} `, candidate }
  expect(await all(ledger.list())).toMatchObject([
    { baseUrl: `${mock.baseUrl}/~x`, account: 'acme', quizId: QUIZ, input },
  ])
})

test('another spelling of a quiz, package or account finds the recorded invite', async () => {
  const { guarded, mock, ledger } = await guardedSetting()
  const first = await guarded.invites.create({ quizId: QUIZ, candidate })
  expect(await guarded.invites.create({ quizId: `${QUIZ} `, candidate }, { ifInvited: 'reuse' })).toEqual(first)
  /* The quizzes of the package are known under its normalized id. */
  const error = await failureOf(guarded.packageInvites.create({ packageId: ` ${PACKAGE}`, candidate }))
  expect(error.code).toBe('ALREADY_INVITED')
  const again = clientOf(mock, { ledger, account: 'acme ' })
  expect((await failureOf(again.invites.create({ quizId: QUIZ, candidate }))).code).toBe('ALREADY_INVITED')
  expect(mock.invites).toHaveLength(1)
})
