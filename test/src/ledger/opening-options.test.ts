import { expect, test } from 'vitest'
import { unexpandedIn } from '../../../src/util/index.ts'
import { openLedger, type LedgerOptions } from '../../../src/ledger/index.ts'
import { openPostgresLedger, type PostgresLedgerOptions } from '../../../src/ledger/postgres.ts'
import { everythingShown, failureOf } from '../failing.ts'

const url = 'postgres://127.0.0.1:1/x'
const UNSET = 'must be the URL of a database: is its environment variable set?'
const FORM = 'url must be as in postgres://user@host:5432/database, with special characters as in %40'
const SCHEMA = 'schema must be 1 to 63 letters, digits, - and _, starting with a letter or _, and not with pg_'
const KNOWN = 'known fields: url, schema, connection, clock, unreachableTimeoutMs'

test.each<readonly [options: unknown, problem: string]>([
  [undefined, 'it must be an object'],
  [null, 'it must be an object'],
  ['postgres://canary@h/x', 'it must be an object'],
  [{}, `url is missing; it ${UNSET}`],
  [{ url: undefined }, `url is missing; it ${UNSET}`],
  [{ url: '' }, `url ${UNSET}`],
  [{ url: null }, `url ${UNSET}`],
  [{ url: new URL('postgres://canary@h/x') }, FORM],
  [{ url: 'canary' }, FORM],
  [{ url: 'host=db dbname=canary' }, FORM],
  [{ url: '//canary@host/x' }, FORM],
  [{ url: 'https://canary@host/x' }, FORM],
  [{ url: 'postgres://u:1/canary@host/x' }, FORM],
  [{ url: 'postgres://u:1#canary@host/x' }, FORM],
  [{ url: 'postgres://u:1?canary@host/x' }, FORM],
  [
    { url: `${url}?sslrootcert=/canary.pem` },
    'url cannot be used: it names a file that cannot be read, or a parameter that pg refuses',
  ],
  [{ url: `${url}?sslnegotiation=canary` }, 'url cannot be used: it names a file that cannot be read, or a parameter'],
  [{ url, connectionString: 'postgres://canary@h/x' }, `connectionString is unknown; ${KNOWN}`],
  [{ url, pool: {} }, `pool is unknown; ${KNOWN}`],
  [{ URL: 'postgres://canary@h/x' }, `url is missing; it ${UNSET}; URL is unknown; ${KNOWN}`],
  [{ url: `${url}?schema=pg_x` }, SCHEMA],
  [{ url, schema: 7 }, 'schema must be a string'],
  [{ url, connection: 'canary' }, 'connection must be an object'],
  [{ url, connection: [] }, 'connection must be an object'],
  [{ url, clock: {} }, 'clock must be a clock: { now, startTimer }'],
  [{ url, unreachableTimeoutMs: '10' }, 'unreachableTimeoutMs must be a number of milliseconds between 0 and'],
])('no ledger in Postgres is opened with %j', async (options, problem) => {
  await expectRefused(options, problem)
})

test.each(['1a', 'a"b', "a'b", 'pg_x', '', 'x'.repeat(64)])('no schema is named %j', async (schema) => {
  await expectRefused({ url, schema }, SCHEMA)
})

test.each(['connectionString', 'host', 'port', 'database', 'user', 'Client', 'pipeline', 'types'])(
  'the ledger’s own option of a connection must not be set: %s',
  async (key) => {
    const problem = `connection.${key} must not be set: it is in url, or the ledger sets it`
    await expectRefused({ url, connection: { max: 2, [key]: 'canary' } }, problem)
  },
)

async function expectRefused(options: unknown, problem: string): Promise<void> {
  const error = await failureOf(openPostgresLedger(options as PostgresLedgerOptions))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(error.message).toContain(`The options of the ledger on Postgres are not valid: ${problem}`)
  expect(everythingShown(error)).not.toContain('canary')
}

test.each<readonly [path: unknown, options: unknown, problem: string]>([
  [undefined, undefined, 'path must be the path of a file; if it comes from an environment variable, that is not set'],
  ['', undefined, 'path must be the path of a file; if it comes from an environment variable, that is not set'],
  [{ path: 'canary' }, undefined, "path must be a string, as in openLedger('invites.ledger')"],
  [' ', undefined, 'path must be the path of a file; if it comes from an environment variable, that is not set'],
  [new URL('file:///canary'), undefined, 'path must be the path of a file; it is a URL'],
  [7, undefined, "path must be a string, as in openLedger('invites.ledger')"],
  ['~/canary', undefined, 'path has a ~ at its beginning'],
  ['~ada/canary', undefined, 'path has a ~ at its beginning'],
  ['$HOME/canary', undefined, 'path has a $'],
  ['/home/${USER}/canary', undefined, 'path has a $'],
  ['/home/$USER/canary', undefined, 'path has a $'],
  ['$(pwd)/canary', undefined, 'path has a $'],
  ['%APPDATA%\\canary', undefined, 'path has a variable between two %'],
  ['/mnt/%USERNAME%/canary', undefined, 'path has a variable between two %'],
  ['"canary"', undefined, 'path has a quotation mark'],
  ["/data/canary'", undefined, 'path has a quotation mark'],
  ['“canary”', undefined, 'path has a quotation mark'],
  ['`pwd`/canary', undefined, 'path has a quotation mark'],
  ['canary ', undefined, 'path has white space at its beginning or end'],
  ['\u00A0/canary', undefined, 'path has white space at its beginning or end'],
  ['\u202A/canary', undefined, 'path has white space at its beginning or end'],
  ['canary\n', undefined, 'path has a control character'],
  ['./can\rary', undefined, 'path has a control character'],
  ...(process.platform === 'win32'
    ? []
    : ([
        ['C:\\Users\\canary', undefined, 'path has the drive of a Windows path'],
        ['c:canary', undefined, 'path has the drive of a Windows path'],
        ['data\\canary', undefined, 'path has a backslash'],
        ['\\\\server\\canary', undefined, 'path has a backslash'],
      ] as const)),
  [':memory:', null, 'it must be an object'],
  [':memory:', 'canary', 'it must be an object'],
  [':memory:', { acceptloss: true }, 'acceptloss is unknown; known fields: clock, busyTimeoutMs,'],
  [':memory:', { timeout: 'canary' }, 'timeout is unknown; known fields: clock, busyTimeoutMs,'],
  [':memory:', { acceptLoss: 'yes' }, 'acceptLoss must be true or false'],
  [':memory:', { busyTimeoutMs: -1 }, 'busyTimeoutMs must be a number of milliseconds between 0 and'],
  [':memory:', { clock: Date }, 'clock must be a clock: { now, startTimer }'],
])('a ledger in a file is not opened with %s and $1', async (path, options, problem) => {
  const error = await failureOf(openLedger(path as string, options as LedgerOptions))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(error.message).toContain(`The options of openLedger are not valid: ${problem}`)
  expect(everythingShown(error)).not.toContain('canary')
})

test.each([
  ['linux', './~/a', './$HOME/a', './ a "b" ', './C:\\a', './%A%', "a~b$c/it's 100% & (1)", '/srv/a%20b/ü.ledger'],
  ['win32', 'C:\\Users\\Ada Byron\\a', 'C:/a', '\\\\server\\c$\\a', '.\\%A%', 'PROGRA~1\\a'],
])('a path is taken as it is on %s if nothing is left to expand, or if it begins with ./', (platform, ...paths) => {
  expect(paths.map((path) => unexpandedIn(path, platform))).toEqual(paths.map(() => undefined))
})

test.each(['~\\a', '%APPDATA%\\a', '$env:APPDATA\\a', 'a\t', '"C:\\a"'])(
  'a path that nobody has expanded is refused on Windows, too: %s',
  (path) => expect(unexpandedIn(path, 'win32')).toBeDefined(),
)
