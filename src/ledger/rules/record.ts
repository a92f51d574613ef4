import type { CertifyErrorCode } from '../../index.ts'
import type {
  InviteResult,
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
  readonly state: LedgerState
  readonly input: SendInput
  readonly code?: CertifyErrorCode | undefined
  /** Who is sending it. */
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
  /** What events said about its invites and their follow-ups, one record for each invite. */
  readonly results: readonly ResultRecord[]
}

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

/** The entry of a record, as callers see it. */
export function entryOf(send: SendRecord): LedgerEntry {
  const { scope, packageName, code, campaign, row } = send
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
    invites: send.invites.map((invite) => withResult(invite, send.results)),
    ...(followUps.length > 0 && { followUps }),
    code,
    sentAt: isoTime(send.sentAt),
    settledAt: send.settledAt === undefined ? undefined : isoTime(send.settledAt),
    campaign,
    row,
  }
}

function withResult(invite: LedgerInvite, results: readonly ResultRecord[]): LedgerInvite {
  const said = results.find(({ inviteId }) => inviteId === invite.inviteId)
  return { ...invite, ...(said && resultOf(said)) }
}

/* The invites that events have named but the send did not create. */
function followUpsOf({ invites, results }: SendRecord): LedgerFollowUp[] {
  return results
    .filter(({ inviteId }) => !invites.some((invite) => invite.inviteId === inviteId))
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
