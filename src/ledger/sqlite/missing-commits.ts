import { ledgerFlag, type LedgerError, ledgerUnusable } from '../rules/errors.ts'
import type { Database } from './driver.ts'

/** The state of a ledger's files. */
export interface Findings {
  /** Whether its header says that it was not closed: then a part of it may be only in its log. */
  readonly wasOpen: boolean
  /** Whether it had a log with content before it was opened. */
  readonly hadLog: boolean
  /** The number of its commits, with those in the log. */
  readonly commits: number
  /** The number of the last reported commit; `undefined` if it was not written down. */
  readonly reported: number | undefined
}

/**
 * Whether reported commits are missing. The number of the last one decides. If that is missing too, as beside a copy,
 * only a closed ledger is certainly whole without its log.
 */
export function isIncomplete({ wasOpen, hadLog, commits, reported }: Findings): boolean {
  return reported === undefined ? wasOpen && !hadLog : commits < reported
}

/** The error for missing commits, with what remains. */
export function incomplete(database: Database, { commits, reported }: Findings, path: string): LedgerError {
  const why =
    reported === undefined || commits >= reported
      ? `it was not closed, and its log, ${path}-wal, is missing`
      : `${path}-wal was removed or cut, or an older copy was put in its place: it lacks ${reported - commits} of ${reported} commits`
  return ledgerUnusable(
    `${path}: the record of the last sends is missing (${why}). ${describeRemaining(database)}`,
    `Restore ${path}-wal, or the newer file, before you send more. Only if it is lost for good, continue without it: ` +
      `\`certify ledger check --accept-loss ${ledgerFlag(path)}\`, or \`acceptLoss\` of openLedger. Candidates in ` +
      'the missing part may then be invited twice.',
  )
}

/**
 * The error for a ledger whose file is gone or empty.
 *
 * @param left what is still beside it
 */
export function removed(path: string, left: string): LedgerError {
  return ledgerUnusable(
    `${path}: a ledger was here, as ${left} shows, and its file was removed, emptied or replaced by an old one`,
    `Restore the file before you send more. Only if it is not needed any more, remove ${left} too: a new ledger knows ` +
      'none of the candidates, and they may then be invited twice.',
  )
}

function describeRemaining(database: Database): string {
  const found = database.prepare('SELECT count(*) AS sends, max(sent_at) AS newest FROM sends').get()
  const { sends, newest } = found as { readonly sends: number; readonly newest: number | null }
  if (newest === null) return 'It has no sends'
  const last = new Date(newest).toISOString()
  return sends === 1 ? `It has one send, of ${last}` : `It has ${sends} sends, the last of ${last}`
}
