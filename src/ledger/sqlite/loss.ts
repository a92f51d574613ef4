import { type LedgerError, ledgerUnusable } from '../rules/errors.ts'
import type { Database } from './driver.ts'

/** What was found where a ledger is. */
export interface Findings {
  /** Whether its header says that it was not closed: then a part of it may be in its log alone. */
  readonly wasOpen: boolean
  /** Whether there was a log with something in it before it was opened. */
  readonly hadLog: boolean
  /** How many commits are in it, the log included. */
  readonly commits: number
  /** The number of the last one that was reported; `undefined` where nobody wrote it down. */
  readonly reported: number | undefined
}

/**
 * Whether commits that were reported are missing. The number of the last one decides. Where that is missing too, as beside a
 * copy, only a ledger that was closed is known to be whole without its log.
 */
export function isIncomplete({ wasOpen, hadLog, commits, reported }: Findings): boolean {
  return reported === undefined ? wasOpen && !hadLog : commits < reported
}

/** Why a ledger is refused of which commits are missing, with what is there. */
export function incomplete(database: Database, { commits, reported }: Findings, path: string): LedgerError {
  const why =
    reported === undefined || commits >= reported
      ? `it was not closed, and its log, ${path}-wal, is not there`
      : `${path}-wal was removed or cut, or an older copy was put in its place: it lacks ${reported - commits} of ${reported} commits`
  return ledgerUnusable(
    `${path}: the record of the last sends is missing (${why}). ${describeRemaining(database)}`,
    `Put ${path}-wal, or the newer file, back: before that nobody may be invited by it. Only where it is lost for good: ` +
      '`certify ledger check --accept-loss` of this file, or `acceptLoss` of openLedger, goes on with what is there. Who is in ' +
      'the missing part may then be invited twice.',
  )
}

function describeRemaining(database: Database): string {
  const found = database.prepare('SELECT count(*) AS sends, max(sent_at) AS newest FROM sends').get()
  const { sends, newest } = found as { readonly sends: number; readonly newest: number | null }
  if (newest === null) return 'No send is there'
  const last = new Date(newest).toISOString()
  return sends === 1 ? `One send is there, of ${last}` : `${sends} sends are there, the last of ${last}`
}
