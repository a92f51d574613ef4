import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { listenInTest } from '../../listen.ts'
import { openPostgresLedger } from '../../../src/ledger/postgres.ts'
import { failureOf } from '../../../src/ledger/postgres-errors.ts'

/* What the ledger does after each is in test/postgres/lost-connection.test.ts. */
test.each([
  ['08006', 'lost', 'the connection broke'],
  ['08P01', 'lost', 'PgBouncer lost its server'],
  ['57P01', 'lost', 'the server is shut down'],
  ['53300', 'lost', 'there are too many connections'],
  ['25006', 'lost', 'a standby does not write before the failover is done'],
  ['25P03', 'lost', 'the program was stopped during a transaction'],
  ['ECONNREFUSED', 'lost', 'nothing listens'],
  ['EPIPE', 'lost', 'the connection was closed while a statement was written'],
  [undefined, 'lost', 'the client says nothing'],
  ['40001', 'conflict', 'a serializable transaction met another one'],
  ['40P01', 'conflict', 'two statements waited for each other'],
  ['55P03', 'conflict', 'a lock was not to be had in time'],
  ['23505', 'conflict', 'another transaction added the same reference'],
  ['42501', 'refused', 'a privilege is missing'],
  ['28P01', 'refused', 'the password is wrong'],
] as const)('SQLSTATE %s means %s: %s', (code, kind, _why) => {
  expect(failureOf(Object.assign(new Error('with values'), { code }))).toEqual({ kind, code })
})

/* A message of the server: its type, its length and its body. */
const message = (type: string, body: string) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}
const AUTHENTICATED = message('R', '\0\0\0\0')
const READY = message('Z', 'I')
const FATAL = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0')

/* pg emits `error` for each. Without a listener it would end the program. */
test.each([
  ['before the server has said anything', []],
  ['during the start', [AUTHENTICATED, FATAL]],
  ['with the start', [AUTHENTICATED, READY]],
  ['with the start, and says so', [AUTHENTICATED, READY, FATAL]],
  ['with the start, and says so twice', [AUTHENTICATED, READY, FATAL, FATAL]],
])('a session that ends %s counts as a lost connection', async (_when, messages) => {
  const server = createServer((client) => {
    client.on('error', () => {}).once('data', () => client.end(Buffer.concat(messages)))
  })
  const url = `postgres://ada@127.0.0.1:${await listenInTest(server)}/hiring`
  await expect(openPostgresLedger({ url, unreachableTimeoutMs: 0 })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('the database cannot be reached'),
  })
})
