import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLedgerPlace } from '../../bin/config/ledger.ts'
import { postgresOptions } from '../../bin/config/ledger-url.ts'
import { createRunner, ioOf, type World } from './run.ts'

const PASSWORD = 'canary-3f9a'

/* What the driver gets for the place of a ledger. */
function connection(variable: string, world: World = {}) {
  const { io } = ioOf([], { ...world, env: { CERTIFY_LEDGER: variable, ...world.env } })
  const { databaseUrl = '', path } = readLedgerPlace(io, {}, {})
  return { ...postgresOptions(databaseUrl), shown: path.value }
}

test.each([
  `postgres://certify:${PASSWORD}@db.internal/hiring`,
  `postgresql://certify:${PASSWORD}@db.internal:5433/hiring?schema=invites`,
  `postgres:///hiring?host=/run/postgresql&password=${PASSWORD}`,
  `postgres://certify@db.internal/hiring?sslpassword=${PASSWORD}`,
  `POSTGRES://:${PASSWORD}@db.internal/hiring`,
])('a password in --ledger or in a profile is refused before anything is sent, and is shown nowhere', async (url) => {
  const { certify, home, mock } = createRunner()
  const create = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']
  mkdirSync(join(home.folder, 'config'), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ profiles: { team: { ledger: url, baseUrl: mock.baseUrl } } }))
  for (const argv of [
    [...create, '--ledger', url],
    ['bulk', 'people.csv', '--yes', '--ledger', url],
    ['ledger', 'path', '--ledger', url],
    [...create, '--profile', 'team'],
    ['config', 'list', '--profile', 'team', '--debug', '--json'],
  ]) {
    const { code, stdout, stderr } = await certify(argv)
    expect({ argv, code }).toEqual({ argv, code: 2 })
    expect(stdout + stderr).not.toContain(PASSWORD)
    for (const way of ['PGPASSWORD', 'PGPASSFILE', 'service file', 'CERTIFY_LEDGER']) expect(stderr).toContain(way)
  }
  expect(mock.invites).toEqual([])
})

test('the variable may have the password: it is shown nowhere', async () => {
  const { certify } = createRunner()
  const env = { CERTIFY_LEDGER: `postgres://certify:${PASSWORD}@127.0.0.1:1/hiring?sslmode=disable` }
  for (const argv of [
    ['ledger', 'path', '--json'],
    ['config', 'list', '--json'],
    ['doctor', '--json'],
  ]) {
    const { stdout, stderr } = await certify(argv, { env })
    expect(stdout).toContain('postgres://127.0.0.1:1/hiring?schema=certify')
    expect(stdout + stderr).not.toMatch(/canary|certify:c|sslmode/)
  }
})

test('a URL that cannot be read is refused without being repeated: it may have a password', async () => {
  const { certify } = createRunner()
  for (const url of [
    `postgres://certify:${PASSWORD}/x@db/hiring`,
    `postgres://certify:a@b/${PASSWORD}@db/hiring`,
    `postgres://certify:12#${PASSWORD}@db/hiring`,
    `postgres://certify:12?${PASSWORD}@db/hiring`,
    `mysql://certify:${PASSWORD}@db/hiring`,
    `https://certify:${PASSWORD}@db/hiring`,
  ]) {
    for (const [argv, env] of [
      [['invites', 'list', '--ledger', url], {}],
      [['invites', 'list'], { CERTIFY_LEDGER: url }],
    ] as const) {
      const { code, stdout, stderr } = await certify(argv, { env })
      expect({ url, code, stdout }).toEqual({ url, code: 2, stdout: '' })
      expect(stderr).not.toContain(PASSWORD)
    }
  }
})

test('a profile may name a database, without a password', async () => {
  const { certify, home } = createRunner()
  mkdirSync(join(home.folder, 'config'), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ profiles: { team: { ledger: 'postgres://certify@db/hiring' } } }))
  const { stdout } = await certify(['ledger', 'path', '--profile', 'team', '--json'])
  expect(JSON.parse(stdout)).toEqual({
    path: 'postgres://db/hiring?schema=certify',
    origin: 'profile team',
    exists: null,
  })
})

test('the schema of the URL is that of the ledger, and everything else is for the driver', () => {
  expect(connection(`postgres://u:p%40w@db:5433/hiring?schema=invites&sslmode=verify-full`)).toEqual({
    url: 'postgres://u:p%40w@db:5433/hiring?sslmode=verify-full',
    schema: 'invites',
    shown: 'postgres://db:5433/hiring?schema=invites',
  })
  expect(connection('postgres:///hiring?host=/run/postgresql')).toEqual({
    url: 'postgres:///hiring?host=%2Frun%2Fpostgresql',
    shown: 'postgres:///hiring?host=/run/postgresql&schema=certify',
  })
})

const SERVICES = `# databases
[other]
host=elsewhere
[hiring]
host = db.internal
port=5433
dbname=hiring
user=certify
password=${PASSWORD} with:special/@characters
sslmode=verify-full
`

test('a service file has the rest of a URL, with the password; what the URL says itself overrides it', () => {
  const world = { env: { PGSERVICEFILE: '/etc/services.conf' }, files: { '/etc/services.conf': SERVICES } }
  const password = encodeURIComponent(`${PASSWORD} with:special/@characters`)
  expect(connection('postgres:///?service=hiring', world)).toEqual({
    url: `postgres://certify:${password}@db.internal:5433/hiring?sslmode=verify-full`,
    shown: 'postgres:///?service=hiring&schema=certify',
  })
  expect(connection('postgres://replica/other?service=hiring&schema=s', world)).toEqual({
    url: `postgres://certify:${password}@replica:5433/other?sslmode=verify-full`,
    schema: 's',
    shown: 'postgres://replica/other?service=hiring&schema=s',
  })
  const own = {
    env: { HOME: '/home/ada' },
    files: { '/home/ada/.pg_service.conf': '[a]\nhost=/run/postgresql\ndbname=b' },
  }
  expect(connection('postgres:///?service=a', own).url).toBe('postgres://localhost/b?host=%2Frun%2Fpostgresql')
})

test('a service that is missing is refused: nothing is sent to another database', () => {
  const world = { env: { PGSERVICEFILE: '/etc/services.conf' }, files: { '/etc/services.conf': SERVICES } }
  expect(() => connection('postgres:///?service=hirnig', world)).toThrow(/not in \/etc\/services\.conf/)
  expect(() => connection('postgres:///?service=hiring', { env: { PGSERVICEFILE: '/gone' } })).toThrow(/\(ENOENT\)/)
})
