import type { PostgresInspection } from '../../src/ledger/postgres/index.ts'
import { postgresOptions } from '../config/ledger-url.ts'
import { type CheckResult, fail, pass, warn } from './check-result.ts'

/* As for the clock of the service: later, open invites seem to have expired. */
const MOST_SKEW_MS = 5 * 60_000

/** Checks the database of a ledger: that it can be reached, its version and tables, and its clock. It creates nothing. */
export async function* checkDatabase(databaseUrl: string, shown: string): AsyncGenerator<CheckResult> {
  const { inspectPostgresLedger } = await import('../../src/ledger/postgres/index.ts')
  const found = await inspectPostgresLedger(postgresOptions(databaseUrl))
  const { serverVersion, error } = found
  if (serverVersion === undefined) {
    yield fail('ledger', error?.message ?? shown, error?.hint ?? 'Check the database.', 2)
    return
  }
  yield pass('ledger driver', `pg, PostgreSQL ${serverVersion}`)
  yield error === undefined
    ? pass('ledger', shown)
    : fail('ledger', error.message, error.hint ?? 'Check its tables.', 2)
  yield clockResult(found)
}

function clockResult({ clockAheadMs = 0, roundTripMs = 0 }: PostgresInspection): CheckResult {
  const seconds = Math.round(Math.abs(clockAheadMs) / 100) / 10
  const text = `${seconds} s ${clockAheadMs < 0 ? 'behind' : 'ahead of'} this machine; a statement takes ${roundTripMs.toFixed(1)} ms`
  return Math.abs(clockAheadMs) <= MOST_SKEW_MS
    ? pass('ledger clock', text)
    : warn(
        'ledger clock',
        text,
        'Set the clock of the database or of this machine: leases and expiries use that of the database.',
      )
}
