import type { LedgerFilter, LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'

/** What has become of a create: exactly one of these, in the order of every bar and every list of links. */
export const STATUSES = [
  ...(['passed', 'failed', 'open', 'expired', 'unknown', 'refused'] as const),
  ...(['not-executed', 'sending'] as const),
] as const
export type Status = (typeof STATUSES)[number]

/** The records with a status. Somebody who passed a retake has passed: see {@link isShown}. */
export const FILTERS: Readonly<Record<string, LedgerFilter>> = {
  passed: { state: 'created', result: 'passed' },
  failed: { state: 'created', hasResult: true },
  open: { state: 'created', hasResult: false, expired: false },
  expired: { state: 'created', hasResult: false, expired: true },
  unknown: { state: 'unknown' },
  refused: { state: 'refused' },
  'not-executed': { state: 'not-executed' },
  sending: { state: 'sending' },
  created: { state: 'created' },
  'with-result': { hasResult: true },
  expiring: { hasResult: false },
}

/** Whether a record that its filter finds has the status. */
export function isShown(status: string, record: LedgerRecord): boolean {
  return status !== 'failed' || !resultsOf(record).some(isPassed)
}

/** How many records of a group have each status. */
export function statusesIn({ state, results, records, expired }: LedgerGroup): readonly (readonly [Status, number])[] {
  if (state !== 'created') return [[state, records]]
  if (results.length > 0) return [[results.some(isPassed) ? 'passed' : 'failed', records]]
  return [
    ['open', records - expired],
    ['expired', expired],
  ]
}

/** How many records of these groups an address with this status shows. */
export function sumOf(groups: readonly LedgerGroup[], status: string): number {
  return groups.reduce((sum, group) => sum + countIn(group, status), 0)
}

function countIn(group: LedgerGroup, status: string): number {
  const { state, results, records, expiring } = group
  if (status === '') return records
  if (status === 'created') return state === 'created' ? records : 0
  if (status === 'with-result') return results.length > 0 ? records : 0
  if (status === 'expiring') return state === 'created' && results.length === 0 ? expiring : 0
  return statusesIn(group).reduce((sum, [each, number]) => sum + (each === status ? number : 0), 0)
}

/** What records are grouped by: the parameter of an address, and its values. */
export const GROUPINGS: readonly (readonly [
  name: string,
  title: string,
  of: (group: LedgerGroup) => readonly string[],
])[] = [
  ['campaign', 'Campaigns', ({ campaign }) => (campaign === undefined ? [] : [campaign])],
  ['package', 'Packages', ({ packageId }) => (packageId === undefined ? [] : [packageId])],
  ['quiz', 'Quizzes, alone and in packages', ({ quizIds }) => quizIds],
]

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
  return invites
    .map(({ expiresAt }) => expiresAt)
    .toSorted()
    .at(-1)
}
