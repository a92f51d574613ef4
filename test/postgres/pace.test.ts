import { expect, inject, test } from 'vitest'
import type { LedgerScope } from '../../src/ledger/index.ts'
import { PostgresConnection } from '../../src/ledger/postgres/connection.ts'
import { openPostgresLedger } from '../../src/ledger/postgres/index.ts'
import { PostgresPace } from '../../src/ledger/postgres/pace.ts'
import { migrate } from '../../src/ledger/postgres/schema.ts'
import { testPace } from '../src/ledger/pace-rules.ts'
import { standingClock } from '../src/ledger/setting.ts'
import { createDatabase } from './server.mjs'

const { url: server } = inject('postgres')
const url = await createDatabase(server)
let scopes = 0

testPace(async () => {
  const clock = standingClock()
  const connection = await PostgresConnection.open({ url, clock })
  await migrate(connection)
  scopes += 1
  const scope: LedgerScope = { baseUrl: 'https://certify.test', account: `account-${scopes}`, world: '' }
  return { forRun: () => new PostgresPace(connection, scope), advance: clock.advance }
})

test('turns of many processes at once are all apart by the rate', async () => {
  /* The time stands still: so the waits show the turns, whenever an answer is read. */
  const connections = await Promise.all(
    Array.from({ length: 4 }, () => PostgresConnection.open({ url, clock: standingClock() })),
  )
  await migrate(connections[0] as PostgresConnection)
  const scope = { baseUrl: 'https://certify.test', account: 'apart', world: '' }
  const runs = connections.map((connection) => new PostgresPace(connection, scope))
  const waits = await Promise.all(Array.from({ length: 80 }, async (_, index) => runs[index % 4]?.takeTurn(200)))
  await Promise.all(connections.map((connection) => connection.close()))
  expect(waits.toSorted((one = 0, other = 0) => one - other)).toEqual(Array.from({ length: 80 }, (_, turn) => turn * 5))
})

test('turns are by the clock of the database', async () => {
  const scope = { baseUrl: 'https://certify.test', account: 'many', world: '' }
  const ledgers = await Promise.all(Array.from({ length: 4 }, () => openPostgresLedger({ url })))
  const runs = ledgers.map((ledger) => ledger.shared?.(scope))
  const began = performance.now()
  const turns = await Promise.all(
    Array.from({ length: 80 }, async (_, index) => {
      const waitMs = (await runs[index % 4]?.takeTurn(200)) ?? Number.NaN
      return performance.now() - began + waitMs
    }),
  )
  await Promise.all(ledgers.map((ledger) => ledger.close()))
  /* 79 intervals of 5 ms. When an answer is read varies. */
  expect(Math.max(...turns)).toBeGreaterThan(79 * 5 - 20)
})

test('scopes have a pace of their own', async () => {
  const ledger = await openPostgresLedger({ url })
  const scope = { baseUrl: 'https://certify.test', account: 'one', world: '' }
  const [one, other] = [ledger.shared?.(scope), ledger.shared?.({ ...scope, account: 'other' })]
  await one?.pauseFor(60_000)
  expect((await other?.read())?.pausedMs).toBe(0)
  await ledger.close()
})
