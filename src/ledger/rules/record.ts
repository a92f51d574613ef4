import type { CertifyErrorCode } from '../../errors.ts'
import type {
  InviteResult,
  LedgerChange,
  LedgerEntry,
  LedgerFollowUp,
  LedgerInvite,
  LedgerScope,
  LedgerState,
  SendInput,
} from './entry.ts'

/**
 * A send as a store keeps it. The rules read it, and return a changed copy. Times are Unix milliseconds; identifiers
 * and scopes are normalized for comparison. It can be stored as JSON.
 */
export interface SendRecord {
  /** Assigned by the store, higher for a later send, and never reused. */
  readonly id: number
  readonly reference: string
  readonly scope: LedgerScope
  readonly emailKey: string
  /** The keys of its quizzes and its package. A send blocks another one if they share a key. */
  readonly subjects: readonly string[]
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly packageName?: string | undefined
  readonly title?: string | undefined
  readonly level?: string | undefined
  readonly state: LedgerState
  readonly input: SendInput
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
  /** Links of its invites, while nobody knows which one each belongs to. */
  readonly challengeUrls?: readonly string[] | undefined
  /** What events said about its invites and their follow-ups, one record for each invite. */
  readonly results: readonly ResultRecord[]
  /** Whether a person resolved an earlier claim of its reference as not created. */
  readonly isUnproven?: true | undefined
  /** What that claim had created after all. */
  readonly earlierInvites?: readonly LedgerInvite[] | undefined
  /** The first change and the last ones, and how many are missing in between. */
  readonly history: readonly ChangeRecord[]
  readonly changesOmitted?: number | undefined
}

export type ChangeRecord = Omit<LedgerChange, 'at'> & { readonly at: number }

/** A send that has no identifier yet. */
export type NewSend = Omit<SendRecord, 'id'>

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
export function withChange<Send extends NewSend>(send: Send, change: ChangeRecord | undefined): Send {
  if (change === undefined) return send
  const history = [...send.history, change]
  if (history.length <= 1 + LAST_CHANGES) return { ...send, history }
  return { ...send, history: history.toSpliced(1, 1), changesOmitted: (send.changesOmitted ?? 0) + 1 }
}

/** Whether a person said that nothing was created, about this claim or an earlier one of its reference. */
export function isUnproven(send: NewSend): boolean {
  return send.isUnproven === true || (send.state === 'not-executed' && send.history.at(-1)?.what === 'resolved')
}

/** The invites that a record names. */
export function inviteIdsOf({ invites, earlierInvites = [], results }: NewSend): ReadonlySet<string> {
  return new Set([...invites, ...earlierInvites, ...results].map(({ inviteId }) => inviteId))
}

/** The entry of a record, as callers see it. */
export function entryOf(send: SendRecord): LedgerEntry {
  const { scope, packageName, title, level, earlierInvites, challengeUrls, code, campaign, row } = send
  const followUps = followUpsOf(send)
  return {
    reference: send.reference,
    baseUrl: scope.baseUrl,
    account: scope.account,
    world: scope.world,
    state: send.state,
    input: send.input,
    quizId: send.quizId,
    packageId: send.packageId,
    packageName,
    title,
    level,
    invites: send.invites.map((invite) => withResult(invite, send.results)),
    ...(challengeUrls !== undefined && { challengeUrls }),
    ...(followUps.length > 0 && { followUps }),
    ...(earlierInvites !== undefined && { earlierInvites }),
    ...(isUnproven(send) && { isUnproven: true }),
    code,
    sentAt: isoTime(send.sentAt),
    settledAt: send.settledAt === undefined ? undefined : isoTime(send.settledAt),
    campaign,
    row,
    history: send.history.map((change) => ({ ...change, at: isoTime(change.at) })),
    changesOmitted: send.changesOmitted ?? 0,
  }
}

function withResult(invite: LedgerInvite, results: readonly ResultRecord[]): LedgerInvite {
  const said = results.find(({ inviteId }) => inviteId === invite.inviteId)
  return { ...invite, ...(said && resultOf(said)) }
}

/* The invites that events have named but the send did not create. */
function followUpsOf({ invites, earlierInvites = [], results }: SendRecord): LedgerFollowUp[] {
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
