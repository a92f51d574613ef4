import { join } from 'node:path'
import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CertifyClient } from '../../../src/index.ts'
import { type ClaimRequest, type Ledger, type LedgerScope, withLedger } from '../../../src/ledger/index.ts'
import { baseUrlKey } from '../../../src/ledger/rules/key.ts'
import { loadDriver } from '../../../src/ledger/sqlite/driver.ts'
import { MIGRATIONS, migrate } from '../../../src/ledger/sqlite/schema.ts'
import { failureOf } from '../failing.ts'
import {
  all,
  candidate,
  DRIVERS,
  freshLedger,
  guardedSetting,
  ownFolder,
  PACKAGE,
  QUIZ,
  standingClock,
} from './setting.ts'

const scope: LedgerScope = { baseUrl: 'https://certify.test/~acme/a%2Fb', account: 'acme', world: '' }
const claimOf = (reference: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  scope,
  target: { email: candidate.email, quizIds: ['quiz'] },
  reference,
  input: { quizId: 'quiz', candidate },
  leaseMs: 60_000,
  ...more,
})

test.each([
  ['a final dot of the host', 'https://certify.test./x', 'https://certify.test/x'],
  ['the case of the host and the scheme', 'HTTPS://Certify.Test/x', 'https://certify.test/x'],
  ['the port that the scheme has anyway', 'https://certify.test:443/x', 'https://certify.test/x'],
  ['doubled and final slashes', 'https://certify.test//x///y//', 'https://certify.test/x/y'],
  ['dot segments', 'https://certify.test/a/../x/%2e', 'https://certify.test/x'],
  ['what need not be escaped', 'https://certify.test/%7E%41%2d%5f%2E1', 'https://certify.test/~A-_.1'],
  ['the case of an escape', 'https://certify.test/a%2fb', 'https://certify.test/a%2Fb'],
  ['an address with a dot', 'http://127.0.0.1.:4010', 'http://127.0.0.1:4010'],
  ['an endpoint', 'https://certify.test//x//api/developer/graphql', 'https://certify.test/x'],
])('one service has one spelling: %s', (_what, given, key) => {
  expect(baseUrlKey(given)).toBe(key)
})

test.each([
  ['http://certify.test', 'https://certify.test'],
  ['http://localhost:4010', 'http://127.0.0.1:4010'],
  ['https://certify.test', 'https://certify.test:8443'],
  ['https://certify.test/x', 'https://certify.test/X'],
  ['https://certify.test/a%2Fb', 'https://certify.test/a/b'],
  ['https://certify.test', 'https://www.certify.test'],
])('other services have other spellings: %s and %s', (one, other) => {
  expect(baseUrlKey(one)).not.toBe(baseUrlKey(other))
})

test('the spelling of a key is that of itself', () => {
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

describe.each(DRIVERS)('a ledger over %s', (driver) => {
  /* A ledger as schema 2 left it, where every spelling was a service of its own. */
  function oldLedger(): { path: string; open: () => Promise<Ledger> } {
    const path = join(ownFolder(), 'old.ledger')
    const database = loadDriver(driver).open(path)
    migrate(database, path, MIGRATIONS.slice(0, 2))
    database.exec(`
      INSERT INTO scopes (id, base_url, account, world) VALUES
        (1, 'https://certify.test./%7eacme/a%2fb', 'acme', ''), (2, '${scope.baseUrl}', 'acme', ''),
        (3, 'https://certify.test/~acme//a%2Fb', ' acme', ''), (4, '${scope.baseUrl}', 'other', ''),
        (5, '${scope.baseUrl}', 'acme', 'world'), (6, 'nowhere', 'acme', '')`)
    const send = database.prepare(`
      INSERT INTO sends (id, reference, scope, email_key, quiz_id, package_id, state, input, lease_until, sent_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, 'created', '{}', 0, 0, 8e15)`)
    const key = database.prepare('INSERT INTO keys (scope, email_key, subject, send) VALUES (?, ?, ?, ?)')
    const invite = database.prepare('INSERT INTO invites (send, number, invite_id, expires_at) VALUES (?, 0, ?, ?)')
    for (const id of [1, 2, 3, 4, 5, 6]) {
      send.run(id, `s${id}`, id, `${id}@example.com`, id === 3 ? null : ' quiz ', id === 3 ? 'pkg:1\n' : null)
      invite.run(id, `inv_${id}`, '2030-01-15T00:00:00Z')
      for (const subject of id === 3 ? ['package:pkg:1\n', 'quiz: quiz', 'quiz:quiz'] : ['quiz: quiz '])
        key.run(id, `${id}@example.com`, subject, id)
    }
    database.close()
    return { path, open: () => freshLedger(standingClock(), { path, driver }) }
  }

  test('what an earlier version recorded in another spelling still stands against a send, and scopes that are one are joined', async () => {
    const old = oldLedger()
    const ledger = await old.open()
    for (const id of [1, 2, 3]) {
      const target = { email: `${id}@example.com`, quizIds: ['quiz'] }
      const entries = [{ ...scope, reference: `s${id}`, invites: [{ inviteId: `inv_${id}` }] }]
      expect(await ledger.claim(claimOf(`again ${id}`, { target }))).toMatchObject({ kind: 'invited', entries })
    }
    const pack = { email: '3@example.com', packageId: 'pkg:1', quizIds: [] }
    expect(await ledger.lookUp(scope, [pack], 'kinds')).toEqual([{ kind: 'invited', entries: [] }])
    expect((await all(ledger.list({ packageId: 'pkg:1' }))).map(({ reference }) => reference)).toEqual(['s3'])
    expect((await all(ledger.list(scope))).map(({ reference }) => reference)).toEqual(['s3', 's2', 's1'])
    expect((await all(ledger.list({ quizId: 'quiz' }))).map(({ reference }) => reference)).toHaveLength(6)
    expect(await ledger.check()).toMatchObject({ problems: [], entries: { created: 6 } })
    expect(await ledger.purge({ email: '3@example.com' })).toEqual({ removed: 1, kept: 0 })
  })

  test('scopes that were apart for a reason stay apart when an old ledger is opened', async () => {
    const ledger = await oldLedger().open()
    for (const id of [4, 5, 6]) {
      const target = { email: `${id}@example.com`, quizIds: ['quiz'] }
      expect(await ledger.lookUp(scope, [target])).toEqual([undefined])
    }
    expect(
      await ledger.lookUp({ ...scope, baseUrl: 'nowhere' }, [{ email: '6@example.com', quizIds: ['quiz'] }]),
    ).toMatchObject([{ kind: 'invited' }])
  })
})

test('the service gets what the caller wrote; only the record compares it in one spelling', async () => {
  const { mock, ledger } = await guardedSetting()
  const sent: [url: string, body: string][] = []
  const client = new CertifyClient({
    baseUrl: `${mock.baseUrl}./%7Ex`,
    apiKey: mock.apiKey,
    fetch: (url, init) => {
      sent.push([url, init.body])
      return mock.fetch(`${mock.baseUrl}/api/developer/graphql`, init)
    },
  })
  const guarded = withLedger(client, ledger, { account: ' acme ' })
  await failureOf(guarded.invites.create({ quizId: ` ${QUIZ} `, candidate }))
  expect(sent).toEqual([[`${mock.baseUrl}./%7Ex/api/developer/graphql`, expect.stringContaining(`" ${QUIZ} "`)]])
  const input = { quizId: ` ${QUIZ} `, candidate }
  expect(await all(ledger.list())).toMatchObject([
    { baseUrl: `${mock.baseUrl}/~x`, account: 'acme', quizId: QUIZ, input },
  ])
})

test('an invite that is asked for again in another spelling of its quiz or package is the recorded one', async () => {
  const { guarded, mock, ledger, client } = await guardedSetting()
  const first = await guarded.invites.create({ quizId: QUIZ, candidate })
  expect(await guarded.invites.create({ quizId: `${QUIZ} `, candidate }, { ifInvited: 'reuse' })).toEqual(first)
  /* The quizzes of the package are known under its own spelling. */
  const error = await failureOf(guarded.packageInvites.create({ packageId: ` ${PACKAGE}`, candidate }))
  expect(error.code).toBe('ALREADY_INVITED')
  const again = withLedger(client, ledger, { account: 'acme ', world: mock.worldId })
  expect((await failureOf(again.invites.create({ quizId: QUIZ, candidate }))).code).toBe('ALREADY_INVITED')
  expect(mock.invites).toHaveLength(1)
})
