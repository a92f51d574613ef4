import { MOST_SKEW_MS } from '../rules/clock.ts'
import type { Statements } from './statements.ts'

/** The latest time that the ledger has seen, if the clock is too far behind it. Otherwise `undefined`. */
export function timeAhead(statements: Statements, now: number): number | undefined {
  const latest = statements.one('SELECT latest FROM ledger')?.['latest'] as number
  return now < latest - MOST_SKEW_MS ? latest : undefined
}

/** Records a time if it is later than every other. Call it inside a transaction. */
export function advanceTo(statements: Statements, now: number): void {
  statements.run('UPDATE ledger SET latest = ? WHERE latest < ?', now, now)
}

/** Records a time, even if the ledger has seen a later one. Call it inside a transaction. */
export function acceptTime(statements: Statements, now: number): void {
  statements.run('UPDATE ledger SET latest = ?', now)
}
