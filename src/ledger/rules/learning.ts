import type { InviteEvent } from '../../callbacks/invite-records.ts'
import { idKey } from './key.ts'

/** What the ledger knows of a send, from its response and from events. */
export interface KnownSend {
  readonly quizId: string | undefined
  readonly packageId: string | undefined
  /** Whether its invites are those of a response. */
  readonly isWhole: boolean
  /** What the send created, as far as it is known. */
  readonly invites: readonly { readonly inviteId: string; readonly quizId: string | undefined }[]
  /** What events have named, the first one first. */
  readonly named: readonly NamedInvite[]
}

/** An invite that an event has named. */
export interface NamedInvite {
  readonly inviteId: string
  /** The key of the only event that proves that it belongs to the send; not set if the ledger knows it otherwise. */
  readonly namedBy: string | undefined
  readonly quizId: string | undefined
  readonly followUpOf: string | undefined
}

/** When something happened, if that is known, and when it was received. Milliseconds since 1970. */
export interface EventTimes {
  readonly occurredAt: number | undefined
  readonly receivedAt: number
}

/** Whether an event contradicts what is known of its send. */
export function contradicts(send: KnownSend, event: InviteEvent): boolean {
  const { invites, named } = send
  const namedAs = (inviteId: string) => named.find((each) => each.inviteId === inviteId)
  if (event.type === 'certification.completed') {
    const known = quizOf(send, event.inviteId)
    return known !== undefined && event.quizId !== null && idKey(known) !== idKey(event.quizId)
  }
  const { originalInviteId: origin, followUpInviteId: followUp } = event
  const ancestors = new Set<string>()
  for (let id: string | undefined = origin; id !== undefined && !ancestors.has(id); id = namedAs(id)?.followUpOf) {
    ancestors.add(id)
  }
  const wasCreated = invites.some(({ inviteId }) => inviteId === followUp) && namedAs(followUp)?.namedBy === undefined
  return ancestors.has(followUp) || wasCreated || (namedAs(followUp)?.followUpOf ?? origin) !== origin
}

/** The quiz of an invite of the send, if it is known; else the one that the event says, or implies. */
export function quizIn(send: KnownSend, event: InviteEvent, inviteId: string): string | undefined {
  const known = quizOf(send, inviteId)
  if (known !== undefined) return known
  if (event.type === 'certification.completed' && event.quizId !== null) return event.quizId
  const about = event.type === 'certification.completed' ? event.inviteId : event.originalInviteId
  return send.invites.length === 0 && inviteId === about ? send.quizId : undefined
}

function quizOf({ quizId, packageId, invites, named }: KnownSend, inviteId: string): string | undefined {
  const [created, event] = [invites, named].map((list) => list.find((each) => each.inviteId === inviteId))
  return created?.quizId ?? event?.quizId ?? (created !== undefined && packageId === undefined ? quizId : undefined)
}

/**
 * The named invites that the send itself must have created: the first one for each quiz of which no invite is known. The
 * others are follow-ups.
 */
export function createdInvites(send: KnownSend): readonly NamedInvite[] {
  const { invites, named, quizId, packageId, isWhole } = send
  const created: NamedInvite[] = []
  const quizzes = new Set(invites.map(({ inviteId }) => quizKey(quizOf(send, inviteId))))
  for (const each of named) {
    if (each.followUpOf !== undefined || invites.some(({ inviteId }) => inviteId === each.inviteId)) continue
    const quiz = quizKey(each.quizId)
    const isFirst = invites.length + created.length === 0
    const isCreated =
      packageId === undefined
        ? isFirst && (quiz === undefined || quiz === quizKey(quizId))
        : !isWhole && (quiz === undefined ? isFirst : !quizzes.has(quiz))
    if (!isCreated) continue
    created.push(each)
    quizzes.add(quiz)
  }
  return created
}

function quizKey(quizId: string | undefined): string | undefined {
  return quizId === undefined ? undefined : idKey(quizId)
}

/** Whether a result counts instead of a recorded one: an older event never does, nor the same one again. */
export function isNewer(event: EventTimes, recorded: EventTimes): boolean {
  const [one, other] = [event.occurredAt, recorded.occurredAt]
  if (one !== undefined && other !== undefined && one !== other) return one > other
  return event.receivedAt > recorded.receivedAt
}

/** The result of an event in the words of the ledger. */
export function resultOf(result: string): string {
  const plain = result.trim().toLowerCase()
  return plain === 'passed' || plain === 'failed' ? plain : result
}
