import type { LedgerFilter, LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'

/** What has become of a create: exactly one of these, in the order of every bar and every list of links. */
export const STATUSES = [
  'passed',
  'failed',
  'open',
  'expired',
  'unknown',
  'refused',
  'not-executed',
  'sending',
] as const
export type Status = (typeof STATUSES)[number]

/** The records with a status. A candidate who passed a retake has passed: see {@link isShown}. */
export const FILTERS: Readonly<Record<string, LedgerFilter>> = {
  passed: { state: 'created', result: 'passed' },
  failed: { state: 'created', hasResult: true },
  open: { state: 'created', hasResult: false, expired: false },
  expired: { state: 'created', hasResult: false, expired: true },
  unknown: { state: 'unknown' },
  refused: { state: 'refused' },
  'not-executed': { state: 'not-executed' },
  sending: { state: 'sending' },
  expiring: { hasResult: false },
}

/** Whether a record that its filter finds has the status. */
export function isShown(status: string, record: LedgerRecord): boolean {
  return status !== 'failed' || !resultsOf(record).some(isPassed)
}

/** How many records of these groups have a status, or expire soon; without a status, all. */
export function sumOf(groups: readonly LedgerGroup[], status: string): number {
  return groups.reduce((sum, group) => sum + countIn(group, status), 0)
}

function countIn({ state, results, records, expired, expiring }: LedgerGroup, status: string): number {
  if (status === '') return records
  if (state !== 'created') return status === state ? records : 0
  const counts: Readonly<Record<string, number>> =
    results.length === 0
      ? { open: records - expired, expired, expiring }
      : { [results.some(isPassed) ? 'passed' : 'failed']: records }
  return counts[status] ?? 0
}

/** The state of a record in one word; its result is beside it. */
export function stateOf(record: LedgerRecord, now: number): string {
  if (record.state !== 'created') return record.state
  if (resultOf(record) !== undefined) return 'finished'
  const expiresAt = expiryOf(record)
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : 'open'
}

/** The latest result of its invites and follow-ups. */
export function resultOf(record: LedgerRecord): string | undefined {
  return resultsOf(record).at(-1)
}

function resultsOf({ invites, followUps = [] }: LedgerRecord): readonly string[] {
  return [...invites, ...followUps].flatMap(({ result }) => result ?? [])
}

const isPassed = (result: string) => /^passed$/i.test(result)

/** The last day on which one of its links can be opened. */
export function expiryOf({ invites }: LedgerRecord): string | undefined {
  const times = invites.map(({ expiresAt }) => expiresAt)
  return times.toSorted().at(-1)
}
