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
 * A send as a store keeps it. The rules read it, and return a changed copy. Times are milliseconds since 1970, and
 * identifiers and scopes are in the spelling of keys. It can be stored as JSON.
 */
export interface SendRecord {
  /** Given by the store, higher for a later send, and never used again. */
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
  /** Until then its owner may need to send and settle it. */
  readonly leaseUntil: number
  readonly sentAt: number
  readonly settledAt?: number | undefined
  /** When the last of its links expires, or could expire if it created one. */
  readonly expiresAt: number
  readonly campaign?: string | undefined
  readonly row?: number | undefined
  /** Those that it created, without results. `expiresAt` of an assumed expiry is that of the send. */
  readonly invites: readonly LedgerInvite[]
  /** What events have named. */
  readonly named: readonly NamedRecord[]
}

/** A send that has no identifier yet. */
export type NewSend = Omit<SendRecord, 'id'>

/** An invite that an event has named, and what events said about it. */
export interface NamedRecord {
  readonly inviteId: string
  /** The key of the only event that proves that it belongs to the send; not set if the ledger knows it otherwise. */
  readonly namedBy?: string | undefined
  readonly namedAt: number
  readonly quizId?: string | undefined
  readonly followUpOf?: string | undefined
  readonly kind?: string | undefined
  readonly claimedAt?: number | undefined
  readonly result?: string | undefined
  /** When the result happened, if the event said it. */
  readonly occurredAt?: number | undefined
  /** When the event of the result was received. Set if `result` is. */
  readonly receivedAt?: number | undefined
  readonly validUntil?: string | undefined
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
    invites: invitesOf(send),
    ...(followUps.length > 0 && { followUps }),
    code,
    sentAt: isoTime(send.sentAt),
    settledAt: send.settledAt === undefined ? undefined : isoTime(send.settledAt),
    campaign,
    row,
  }
}

/** The invites of an entry, with their results. */
export function invitesOf({
  invites,
  named,
  expiresAt,
}: Pick<SendRecord, 'invites' | 'named' | 'expiresAt'>): readonly LedgerInvite[] {
  return invites.map((invite) => {
    const event = named.find(({ inviteId }) => inviteId === invite.inviteId)
    const quizId = invite.quizId ?? event?.quizId
    return {
      ...invite,
      ...(invite.expiryAssumed === true && { expiresAt: isoTime(expiresAt) }),
      ...(quizId !== undefined && { quizId }),
      ...(event && resultOf(event)),
    }
  })
}

/* What events have named, and the send did not create. */
function followUpsOf({ invites, named }: SendRecord): LedgerFollowUp[] {
  const created = new Set(invites.map(({ inviteId }) => inviteId))
  return named
    .filter(({ inviteId }) => !created.has(inviteId))
    .toSorted((one, other) => claimTime(one) - claimTime(other) || (one.inviteId < other.inviteId ? -1 : 1))
    .map((each) => ({
      inviteId: each.inviteId,
      ...(each.followUpOf !== undefined && { followUpOf: each.followUpOf }),
      ...(each.kind !== undefined && { kind: each.kind }),
      ...(each.claimedAt !== undefined && { claimedAt: isoTime(each.claimedAt) }),
      ...(each.quizId !== undefined && { quizId: each.quizId }),
      ...resultOf(each),
    }))
}

function claimTime({ claimedAt, namedAt }: NamedRecord): number {
  return claimedAt ?? namedAt
}

function resultOf({ result, occurredAt, receivedAt, validUntil, namedBy }: NamedRecord): InviteResult {
  const at = occurredAt ?? receivedAt
  return {
    ...(result !== undefined && { result, resultAt: at === undefined ? undefined : isoTime(at) }),
    ...(validUntil !== undefined && { validUntil }),
    verified: namedBy === undefined ? 'token+ledger' : 'token',
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
