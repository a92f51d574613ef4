import { expect, test } from 'vitest'
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
