import { Pool, type PoolConfig } from 'pg'
import { inject, onTestFinished } from 'vitest'
import type { ClaimRequest } from '../../src/ledger/rules/model.ts'
import { openPostgresLedger, type PostgresLedgerOptions } from '../../src/ledger/postgres.ts'
import { request as requestOf, single } from '../src/ledger/contract/samples.ts'
import { type WholeLedger, whole } from '../src/ledger/whole.ts'
import { createDatabase } from './server.mjs'

/** The URL of a new, empty database of the shared server. */
export function freshDatabase(): Promise<string> {
  return createDatabase(inject('postgres').url)
}

/** A ledger that closes with the test. */
export async function freshLedger(options: Partial<PostgresLedgerOptions> = {}): Promise<WholeLedger> {
  const ledger = whole(await openPostgresLedger({ ...options, url: options.url ?? (await freshDatabase()) }))
  onTestFinished(() => ledger.close())
  return ledger
}

/** A pool that closes with the test. */
export function poolOf(url: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, ...options })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}

export const request = (reference: string, email = 'ada@example.com', more: Partial<ClaimRequest> = {}): ClaimRequest =>
  requestOf(reference, { target: single(email), ...more })

export const created = (...inviteIds: readonly string[]) => ({
  state: 'created' as const,
  invites: inviteIds.map((inviteId) => ({ inviteId, expiresAt: '2099-01-15T00:00:00.000Z', quizId: 'quiz' })),
})
