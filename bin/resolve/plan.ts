import { emailKey, type Ledger, type LedgerEntry } from '../../src/ledger/index.ts'
import type { ScopeFilter } from '../ledger/list-invites.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'
import type { GivenFinding } from './findings.ts'

/** What will become, or became, of a finding. `undecided`: it says nothing. `duplicate`: it is recorded, or given twice. */
export type FindingStatus = 'planned' | 'undecided' | 'duplicate' | 'invalid' | 'resolved' | 'failed'

export interface PlannedFinding {
  readonly given: GivenFinding
  readonly status: FindingStatus
  /** The record of the create, if there is one. */
  readonly entry: LedgerEntry | undefined
  /** Why it is not planned, or failed. */
  readonly message?: string | undefined
}

/**
 * Finds the create of each finding, and decides which findings can be recorded. Changes nothing.
 *
 * @param scope in which addresses are looked up; references are looked up in the whole ledger
 */
export async function planFindings(
  ledger: Ledger,
  given: readonly GivenFinding[],
  scope: ScopeFilter,
): Promise<readonly PlannedFinding[]> {
  const found: PlannedFinding[] = []
  /* What is asked in the same moment is faster, and must not be too much for the memory. */
  for (let at = 0; at < given.length; at += TOGETHER) {
    found.push(...(await Promise.all(given.slice(at, at + TOGETHER).map((each) => planOne(ledger, each, scope)))))
  }
  return withoutContradictions(found)
}

export const TOGETHER = 500

async function planOne(ledger: Ledger, given: GivenFinding, scope: ScopeFilter): Promise<PlannedFinding> {
  const { entry, message = 'the ledger has no such reference' } = await find(ledger, given, scope)
  if (given.faults.length > 0) return { given, status: 'invalid', entry, message: given.faults.join('; ') }
  if (entry === undefined) return { given, status: 'invalid', entry, message }
  if (given.finding === undefined) return { given, status: 'undecided', entry }
  const fault = faultOf(entry, given)
  /* A file that is given again, after a run that was interrupted, is no mistake. */
  if (fault === undefined && isRecorded(entry, given)) {
    return { given, status: 'duplicate', entry, message: 'is recorded already' }
  }
  const isCorrection = isSaidNotCreated(entry) && invitesOf(given).length > 0
  if (fault === undefined && (entry.state === 'unknown' || isCorrection)) return { given, status: 'planned', entry }
  return { given, status: 'invalid', entry, message: fault ?? `that create is not unknown, but ${entry.state}` }
}

async function find(
  ledger: Ledger,
  given: GivenFinding,
  scope: ScopeFilter,
): Promise<{ readonly entry?: LedgerEntry | undefined; readonly message?: string }> {
  const { entry, reference, email, quizId, packageId } = given
  if (entry !== undefined) return { entry }
  if (reference !== undefined) return { entry: await ledger.find(reference) }
  const sends: LedgerEntry[] = []
  for await (const send of ledger.list({ ...scope, email })) {
    const isMeant = (quizId ?? send.quizId) === send.quizId && (packageId ?? send.packageId) === send.packageId
    if (isMeant) sends.push(send)
  }
  /* One that is still being sent may be meant too. */
  const [open, ...others] = sends.filter(({ state }) => state === 'unknown' || state === 'sending')
  if (others.length > 0) {
    const key = (quizId ?? packageId) === undefined ? 'quiz_id or package_id' : 'the reference'
    return { message: `that address has ${others.length + 1} unknown creates: it needs ${key}` }
  }
  const done = open ?? sends.find((send) => isRecorded(send, given))
  return done === undefined ? { message: 'the ledger has no unknown create for that address' } : { entry: done }
}

/* In a file whose columns were sorted one by one, nothing fits together any more. */
function faultOf({ input, quizId, packageId }: LedgerEntry, given: GivenFinding): string | undefined {
  if (given.email !== undefined && emailKey(given.email) !== emailKey(input.candidate.email)) {
    return 'that reference is of another address'
  }
  if ((given.quizId ?? quizId) !== quizId || (given.packageId ?? packageId) !== packageId) {
    return 'that reference is of another quiz or package'
  }
  const isSeveral = packageId === undefined && invitesOf(given).length > 1
  return isSeveral ? 'that create was for a single invite, and it has several ids' : undefined
}

function isRecorded(entry: LedgerEntry, given: GivenFinding): boolean {
  const ids = new Set(entry.invites.map(({ inviteId }) => inviteId))
  const found = invitesOf(given)
  if (given.finding === undefined) return false
  return found.length > 0 ? entry.state === 'created' && found.every((id) => ids.has(id)) : isSaidNotCreated(entry)
}

/* Whether a person has said that nothing was created: a create that ended so has a code. */
function isSaidNotCreated({ state, code }: LedgerEntry): boolean {
  return state === 'not-executed' && code === undefined
}

/* Of two findings that are the same, the first one counts. Of two that differ, nobody knows which is right. */
function withoutContradictions(planned: readonly PlannedFinding[]): readonly PlannedFinding[] {
  const sameCreate = new Map<string, PlannedFinding[]>()
  const sameInvite = new Map<string, PlannedFinding[]>()
  for (const each of planned) {
    if (each.entry === undefined || each.status === 'undecided') continue
    add(sameCreate, each.entry.reference, each)
    if (each.status === 'planned') for (const id of invitesOf(each.given)) add(sameInvite, id, each)
  }
  return planned.map((each) => {
    if (each.status !== 'planned' || each.entry === undefined) return each
    const invalid = (message: string): PlannedFinding => ({ ...each, status: 'invalid', message })
    const same = sameCreate.get(each.entry.reference) ?? []
    const other = same.find(({ given, status }) => status === 'invalid' || textOf(given) !== textOf(each.given))
    if (other !== undefined) return invalid(`${other.given.place} says something else about the same create`)
    const shared = invitesOf(each.given).flatMap((id) => sameInvite.get(id) ?? [])
    const taken = shared.find(({ entry }) => entry !== undefined && isForAnother(each.entry, entry))
    if (taken !== undefined) return invalid(`${taken.given.place} has the same invite_id for another create`)
    const [first] = same
    if (first === undefined || first === each) return each
    return { ...each, status: 'duplicate', message: `repeats ${first.given.place}` }
  })
}

function add(map: Map<string, PlannedFinding[]>, key: string, each: PlannedFinding): void {
  map.set(key, [...(map.get(key) ?? []), each])
}

/* As the ledger decides it: an invite belongs to one candidate and quiz. */
function isForAnother(one: LedgerEntry | undefined, other: LedgerEntry): boolean {
  if (one === undefined) return false
  if (emailKey(one.input.candidate.email) !== emailKey(other.input.candidate.email)) return true
  return one.quizId !== undefined && other.quizId !== undefined && one.quizId !== other.quizId
}

/** The ids of the invites that were created. */
export function invitesOf({ finding }: GivenFinding): readonly string[] {
  return [finding?.created ?? []].flat()
}

function textOf(given: GivenFinding): string {
  return JSON.stringify(invitesOf(given).toSorted())
}

/** A finding in the output and the report. */
export type ReportedFinding = ReturnType<typeof toReportedFinding>

/** For --fields. */
export const REPORTED_FIELDS = [
  ...(['reference', 'state', 'inviteIds', 'row', 'status', 'created', 'email', 'quizId', 'packageId'] as const),
  ...(['sentAt', 'campaign', 'code', 'message'] as const),
] satisfies readonly (keyof ReportedFinding)[]

/**
 * What is reported of a finding. `created` and `inviteIds` are what the ledger has recorded, never what was only planned: a
 * report can be read back, and a verdict that nobody confirmed would then be recorded.
 */
export function toReportedFinding({ given, status, message, entry }: PlannedFinding) {
  return {
    row: given.row,
    status,
    reference: entry?.reference ?? given.reference ?? null,
    state: entry?.state ?? null,
    created: recordedVerdict(entry),
    inviteIds: (entry?.invites ?? []).map(({ inviteId }) => inviteId),
    email: entry?.input.candidate.email ?? given.email ?? null,
    quizId: entry?.quizId ?? given.quizId ?? null,
    packageId: entry?.packageId ?? given.packageId ?? null,
    sentAt: entry?.sentAt ?? null,
    campaign: entry?.campaign ?? null,
    code: entry?.code ?? null,
    message: message ?? null,
  }
}

function recordedVerdict(entry: LedgerEntry | undefined): boolean | null {
  if (entry?.state === 'created') return true
  return entry !== undefined && isSaidNotCreated(entry) ? false : null
}

/** The names are those that a file of findings may have: a report can be such a file. */
export const findingColumns: readonly Column<ReportedFinding>[] = [
  ...fieldColumns<ReportedFinding>({ row: 'row', status: 'status', reference: 'reference', state: 'state' }),
  { title: 'created', value: ({ created }) => (created === null ? null : created ? 'yes' : 'no') },
  { title: 'invite_ids', value: ({ inviteIds }) => inviteIds.join(' ') },
  ...fieldColumns<ReportedFinding>({ email: 'email', quiz_id: 'quizId', package_id: 'packageId', sent_at: 'sentAt' }),
  ...fieldColumns<ReportedFinding>({ campaign: 'campaign', code: 'code', message: 'message' }),
]
