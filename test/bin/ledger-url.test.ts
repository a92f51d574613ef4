import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listenInTest } from '../listen.ts'
import { readLedgerUrl } from '../../bin/config/ledger-place.ts'
import { isUrl } from '../../src/util/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { checkPath } from '../../src/ledger/ledger-file.ts'
import { failureOf } from '../src/failing.ts'
import { createRunner } from './run.ts'

const PASSWORD = 'canary-3f9a'

test.each([
  `postgres://certify:${PASSWORD}@db.internal/hiring`,
  `postgresql://certify:${PASSWORD}@db.internal:5433/hiring?schema=invites`,
  `postgres:///hiring?host=/run/postgresql&password=${PASSWORD}`,
  `postgres://certify@db.internal/hiring?sslpassword=${PASSWORD}`,
  `POSTGRES://:${PASSWORD}@db.internal/hiring`,
])('a password in --ledger or in a profile is refused and never shown: $0', async (url) => {
  const { certify, home, mock } = createRunner()
  const create = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']
  mkdirSync(join(home.folder, 'config'), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ profiles: { team: { ledger: url, baseUrl: mock.baseUrl } } }))
  for (const argv of [
    [...create, '--ledger', url],
    ['bulk', 'people.csv', '--yes', '--ledger', url],
    ['invites', 'list', '--ledger', url],
    [...create, '--profile', 'team'],
    ['doctor', '--profile', 'team', '--debug', '--json'],
  ]) {
    const { code, stdout, stderr } = await certify(argv)
    expect({ argv, code }).toEqual({ argv, code: 2 })
    expect(stdout + stderr).not.toContain(PASSWORD)
    for (const way of ['PGPASSWORD', '.pgpass', 'CERTIFY_LEDGER']) expect(stderr).toContain(way)
  }
  expect(mock.invites).toEqual([])
})

test('CERTIFY_LEDGER may contain a password, which is never shown', async () => {
  const { certify } = createRunner()
  const place = `127.0.0.1:${await refusingPostgres()}/hiring`
  const env = { CERTIFY_LEDGER: `postgres://certify:${PASSWORD}@${place}?sslmode=disable` }
  const { stdout, stderr } = await certify(['doctor', '--json'], { env })
  expect(stdout).toContain(`postgres://${place}?schema=certify`)
  expect(stdout + stderr).not.toMatch(/canary|certify:c|sslmode/)
})

/* A server that answers every client with an ErrorResponse: wrong password. */
function refusingPostgres(): Promise<number> {
  const fields = Buffer.from('SFATAL\0C28P01\0Mrefused\0\0')
  const length = Buffer.alloc(4)
  length.writeInt32BE(length.length + fields.length)
  return listenInTest(createServer((socket) => socket.end(Buffer.concat([Buffer.from('E'), length, fields]))))
}

test('an invalid ledger URL is refused and not quoted, because it may contain a password', async () => {
  const { certify } = createRunner()
  for (const url of [
    `postgres://certify:${PASSWORD}/x@db/hiring`,
    `postgres://certify:a@b/${PASSWORD}@db/hiring`,
    `postgres://certify:12#${PASSWORD}@db/hiring`,
    `postgres://certify:12?${PASSWORD}@db/hiring`,
    `postgres:/certify:${PASSWORD}@db/hiring`,
    `mysql://certify:${PASSWORD}@db/hiring`,
    `https://certify:${PASSWORD}@db/hiring`,
    `  file:///${PASSWORD}/invites.ledger`,
    `sqlite:${PASSWORD}`,
  ]) {
    for (const [argv, env] of [
      [['invites', 'list', '--ledger', url], {}],
      [['invites', 'list'], { CERTIFY_LEDGER: url }],
      [['ledger', 'copy', '--from', url, '--to', 'postgres://db.internal/hiring'], {}],
    ] as const) {
      const { code, stdout, stderr } = await certify(argv, { env })
      expect({ url, code, stdout }).toEqual({ url, code: 2, stdout: '' })
      expect(stderr).not.toContain(PASSWORD)
    }
  }
})

test.each([
  `postgres://me:${PASSWORD}@db.internal/hiring`,
  `  POSTGRESQL://me:${PASSWORD}@db.internal/hiring`,
  `postgres:${PASSWORD}`,
  `mysql:${PASSWORD}`,
  `sqlite:///${PASSWORD}.ledger`,
  `jdbc:postgresql://db.internal/hiring?password=${PASSWORD}`,
  `file:///${PASSWORD}/invites.ledger`,
  `File:${PASSWORD}.ledger`,
  new URL(`file:///${PASSWORD}/invites.ledger`),
])('a URL is not the path of a ledger, and is not quoted: %s', async (url) => {
  const error = await failureOf(openLedger(url as string))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: 'path' }] })
  const { message, hint } = error
  expect(`${message} ${hint}`).toMatch(
    /it is a URL.* openPostgresLedger from certify-sdk\/ledger\/postgres.* fileURLToPath/,
  )
  expect(isUrl(String(url))).toBe(true)
  expect(`${message} ${hint}`).not.toContain(PASSWORD)
  expect(existsSync(String(url).split('/')[0] ?? '')).toBe(false)
})

test.each([
  './a:b',
  'a/file:b',
  '/tmp/postgres:x',
  './C:\\invites.ledger',
  './c:/x',
  ':memory:',
  'a_1:b',
  'a b:c',
  '1:2',
])('the SDK and the CLI take %s for a path', (path) => {
  expect(() => checkPath(path)).not.toThrow()
  expect(isUrl(path)).toBe(false)
})

test('the ledger gets its URL whole, and a person sees only what identifies it', () => {
  const url = 'postgres://u:p%40w@db:5433/hiring?schema=invites&sslmode=verify-full'
  expect(readLedgerUrl(url, 'CERTIFY_LEDGER')).toEqual({ url, shown: 'postgres://db:5433/hiring?schema=invites' })
  expect(readLedgerUrl('postgres:///hiring?host=/run/postgresql', 'profile team')).toEqual({
    url: 'postgres:///hiring?host=/run/postgresql',
    shown: 'postgres:///hiring?host=/run/postgresql&schema=certify',
  })
})
