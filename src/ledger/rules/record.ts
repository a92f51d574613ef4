import type { CertifyErrorCode } from '../../errors.ts'
import type { CreateInput } from '../../operations.ts'
import type {
  InviteResult,
  LedgerChange,
  LedgerRecord,
  LedgerFollowUp,
  LedgerInvite,
  LedgerScope,
  LedgerState,
} from './model.ts'

/**
 * A record as a store keeps it. The rules read it, and return a changed copy. Times are Unix milliseconds; identifiers
 * and scopes are normalized for comparison. It can be stored as JSON.
 */
export interface StoredRecord {
  /** Assigned by the store, higher for a later record, and never reused. */
  readonly id: number
  readonly reference: string
  readonly scope: LedgerScope
  readonly emailKey: string
  /** The keys of its quizzes and its package. A create blocks another one if they share a key. */
  readonly subjects: readonly string[]
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly packageName?: string | undefined
  readonly title?: string | undefined
  readonly level?: string | undefined
  readonly state: LedgerState
  readonly input: CreateInput
  readonly code?: CertifyErrorCode | undefined
  /** The claim that is sending it, or was the last one to. */
  readonly owner: string
  /** Until when its owner may need to send and settle it. */
  readonly leaseUntil: number
  readonly sentAt: number
  readonly settledAt?: number | undefined
  /** When the last of its links expires, or would expire if it created one. */
  readonly expiresAt: number
  readonly campaign?: string | undefined
  readonly row?: number | undefined
  /** What it created, without results. */
  readonly invites: readonly LedgerInvite[]
  /** Links of its invites, while it is not known which one each belongs to. */
  readonly challengeUrls?: readonly string[] | undefined
  /** What events said about its invites and their follow-ups, one record for each invite. */
  readonly results: readonly ResultRecord[]
  /** Whether a person resolved an earlier claim of its reference as not created. */
  readonly isUnproven?: true | undefined
  /** What that claim had created after all. */
  readonly earlierInvites?: readonly LedgerInvite[] | undefined
  /** The references of creates that ended with its invite. */
  readonly reusedBy?: readonly string[] | undefined
  /** The last change that a person made. */
  readonly decision?: ChangeRecord | undefined
  /** What the reference had before this claim: put back if the circuit breaker turns it away, and kept only while it is sent. */
  readonly replaced?: StoredRecord | undefined
  /** The first change and the last ones, and how many are missing in between. */
  readonly history: readonly ChangeRecord[]
  readonly changesOmitted?: number | undefined
}

export type ChangeRecord = Omit<LedgerChange, 'at'> & { readonly at: number }

/** A record that has no identifier yet. */
export type NewRecord = Omit<StoredRecord, 'id'>

/** What events said about one invite. */
export interface ResultRecord {
  readonly inviteId: string
  readonly quizId?: string | undefined
  readonly result?: string | undefined
  /** When the result happened or, if the event does not say, when the event was received. */
  readonly resultAt?: number | undefined
  readonly validUntil?: string | undefined
  /** For a follow-up: the invite that it came from, and how. */
  readonly followUpOf?: string | undefined
  readonly kind?: string | undefined
  readonly claimedAt?: number | undefined
}

const LAST_CHANGES = 20

/** A record with one more change in its history, if there is one. */
export function withChange<Kept extends NewRecord>(record: Kept, change: ChangeRecord | undefined): Kept {
  if (change === undefined) return record
  const history = [...record.history, change]
  const isDecision = change.what === 'resolved' || change.what === 'undone'
  const next = { ...record, history, ...(isDecision && { decision: change }) }
  if (history.length <= 1 + LAST_CHANGES) return next
  return { ...next, history: history.toSpliced(1, 1), changesOmitted: (record.changesOmitted ?? 0) + 1 }
}

/** Whether nothing was created with a record, as far as is known: it blocks nothing, and answers for no other reference. */
export const hasNothing = ({ state }: Pick<LedgerRecord, 'state'>): boolean =>
  state === 'refused' || state === 'not-executed'

/** Whether a person said that nothing was created, about this claim or an earlier one of its reference. */
export function isUnproven(record: NewRecord): boolean {
  return record.isUnproven === true || (record.state === 'not-executed' && record.history.at(-1)?.what === 'resolved')
}

/** The invites that a record names. */
export function inviteIdsOf({ invites, earlierInvites = [], results }: NewRecord): ReadonlySet<string> {
  return new Set([...invites, ...earlierInvites, ...results].map(({ inviteId }) => inviteId))
}

/** A stored record as callers see it who know it by this reference. */
export function recordOf(record: StoredRecord, reference: string = record.reference): LedgerRecord {
  const { scope, packageName, title, level, earlierInvites, challengeUrls, code, campaign, row, decision } = record
  const { reusedBy } = record
  const followUps = followUpsOf(record)
  return {
    reference,
    ...(reference !== record.reference && { sameAs: record.reference }),
    ...(reusedBy !== undefined && { reusedBy }),
    baseUrl: scope.baseUrl,
    account: scope.account,
    world: scope.world,
    state: record.state,
    input: record.input,
    quizId: record.quizId,
    packageId: record.packageId,
    packageName,
    title,
    level,
    invites: record.invites.map((invite) => withResult(invite, record.results)),
    ...(challengeUrls !== undefined && { challengeUrls }),
    ...(followUps.length > 0 && { followUps }),
    ...(earlierInvites !== undefined && { earlierInvites }),
    ...(isUnproven(record) && { isUnproven: true }),
    code,
    sentAt: isoTime(record.sentAt),
    settledAt: record.settledAt === undefined ? undefined : isoTime(record.settledAt),
    campaign,
    row,
    ...(decision !== undefined && { decision: changeOf(decision) }),
    history: record.history.map(changeOf),
    changesOmitted: record.changesOmitted ?? 0,
  }
}

function changeOf(change: ChangeRecord): LedgerChange {
  return { ...change, at: isoTime(change.at) }
}

function withResult(invite: LedgerInvite, results: readonly ResultRecord[]): LedgerInvite {
  const said = results.find(({ inviteId }) => inviteId === invite.inviteId)
  return { ...invite, ...(said && resultOf(said)) }
}

/* The invites that events have named, and the create did not return. */
function followUpsOf({ invites, earlierInvites = [], results }: StoredRecord): LedgerFollowUp[] {
  return results
    .filter(({ inviteId }) => ![...invites, ...earlierInvites].some((invite) => invite.inviteId === inviteId))
    .map(({ inviteId, followUpOf, kind, claimedAt, quizId, ...result }) => ({
      inviteId,
      ...(followUpOf !== undefined && { followUpOf }),
      ...(kind !== undefined && { kind }),
      ...(claimedAt !== undefined && { claimedAt: isoTime(claimedAt) }),
      ...(quizId !== undefined && { quizId }),
      ...resultOf(result),
    }))
}

function resultOf({ result, resultAt, validUntil }: Omit<ResultRecord, 'inviteId'>): InviteResult {
  return {
    ...(result !== undefined && { result }),
    ...(resultAt !== undefined && { resultAt: isoTime(resultAt) }),
    ...(validUntil !== undefined && { validUntil }),
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
