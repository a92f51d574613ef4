import type * as z from 'zod/mini'
import type { inviteInput } from '../contract/rows.ts'
import type {
  InviteStatus,
  MockAttempt,
  MockCallback,
  MockCertification,
  MockExchange,
  MockInvite,
  MockMail,
  MockTrack,
} from '../generated/contract.ts'
import { statusOf } from '../world/attempts.ts'
import { isoTime } from '../world/clock.ts'
import type { Attempt, Invite, Mail } from '../world/model.ts'
import type { World } from '../world/world.ts'
import type { CallbackEvent } from './callback-event.ts'
import type { CallbackSender } from './callback-sender.ts'
import type { Callbacks } from './callbacks.ts'
import type { Changes } from './changes.ts'
import type { LogEntry, RequestLog } from './request-log.ts'

/** The rows of one kind, as the mock keeps them. Public rows are expensive: one is made only when somebody sees it. */
export interface ListSource<Entity, Row> {
  /** All of them, oldest first. */
  readonly all: () => readonly Entity[]
  readonly row: (entity: Entity) => Row
  /** The texts that a search looks at. */
  readonly words: (entity: Entity) => readonly (string | null)[]
  /** What a list can be filtered by. */
  readonly labels?: (entity: Entity) => readonly string[]
}

/** The first row that fits; makes no other. */
export function rowWhere<Entity, Row>(
  rows: ListSource<Entity, Row>,
  fits: (entity: Entity) => boolean,
): Row | undefined {
  const found = rows.all().find(fits)
  return found === undefined ? undefined : rows.row(found)
}

/** What the pages and the control API list. The arrays of the public interface make every row. */
export interface MockRows {
  readonly invites: ListSource<Invite, MockInvite> & {
    readonly get: (inviteId: string) => Invite | undefined
    readonly statusOf: (invite: Invite) => InviteStatus
  }
  readonly mails: ListSource<Mail, MockMail>
  /** The addresses of the candidates who have a certification, or an attempt in progress. */
  readonly candidates: ListSource<string, string>
  readonly attempts: () => readonly Attempt[]
  readonly callbacks: ListSource<CallbackEvent, MockCallback>
  readonly requests: ListSource<LogEntry, MockExchange>
}

/** Creates one invite, or those of a package. Throws a `Refusal` if the service refuses. */
export type CreateInvites = (input: z.output<typeof inviteInput>, linkBase: string) => MockInvite[]

/** What the pages and the control API use of a mock beyond its public interface. */
export interface Internals {
  readonly rows: MockRows
  readonly changes: Changes
  readonly create: CreateInvites
  readonly sender: Pick<CallbackSender, 'targets' | 'setTargets' | 'blockedHost'>
}

export function mockRows(world: World, callbacks: Callbacks, requestLog: RequestLog): MockRows {
  return {
    invites: {
      all: () => [...world.state.invites.values()],
      row: (invite) => inviteRow(world, invite),
      words: ({ candidate: { email, name }, inviteId, quizId, skillName, externalReference }) => {
        return [email, name, inviteId, quizId, skillName, externalReference]
      },
      labels: (invite) => [statusOf(world, invite)],
      get: (inviteId) => world.state.invites.get(inviteId),
      statusOf: (invite) => statusOf(world, invite),
    },
    mails: { all: () => world.state.mails, row: mailRow, words: ({ to }) => [to] },
    candidates: { all: () => activeCandidates(world), row: (email) => email, words: (email) => [email] },
    attempts: () => world.state.attempts(),
    callbacks: {
      all: () => callbacks.all(),
      row: (event) => callbacks.row(event),
      words: ({ id, type, url, inviteId, status, body }) => [id, type, url, inviteId, status, body],
      labels: ({ status }) => [status],
    },
    requests: {
      all: () => requestLog.all(),
      row: ({ row }) => row(),
      words: ({ row }) => {
        const { method, target, operations, key, body, response, status, createdInviteIds, reference } = row()
        return [method, target, ...operations, key, body, response, String(status), ...createdInviteIds, reference]
      },
      labels: ({ labels }) => labels(),
    },
  }
}

function activeCandidates({ state }: World): string[] {
  const running = state.attempts().filter(({ endedAt }) => endedAt === null)
  const rows = [...running, ...state.certifications()]
  return [...new Map(rows.map(({ candidateKey, email }) => [candidateKey, email])).values()]
}

/* The rows as others see them. */

export function inviteRow(world: World, invite: Invite): MockInvite {
  const { token: _token, candidateKey: _candidateKey, candidate, followUpOf, ...row } = invite
  return {
    ...row,
    status: statusOf(world, invite),
    candidate: { ...candidate },
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    followUpOf: followUpOf && { ...followUpOf },
  }
}

export function mailRow(mail: Mail): MockMail {
  return { ...mail, sentAt: isoTime(mail.sentAt) }
}

/** The tracks of a world. Each package says whether it can be delivered now. */
export function trackRows(world: World): MockTrack[] {
  return world.tracks.map((track) => ({
    ...track,
    packages: track.packages.map((pack) => ({ ...pack, deliverable: world.isDeliverable(pack) })),
  }))
}

export function attemptRows(world: World, email: string): MockAttempt[] {
  return world.state.attempts(world.keyOf(email)).map(attemptRow)
}

function attemptRow({ candidateKey: _candidateKey, email: _email, startedAt, endedAt, ...row }: Attempt): MockAttempt {
  return { ...row, startedAt: isoTime(startedAt), endedAt: endedAt === null ? null : isoTime(endedAt) }
}

export function certificationRows(world: World, email: string): MockCertification[] {
  const now = world.clock.now()
  return world.state.certifications(world.keyOf(email)).map(({ quizId, passedAt, validUntil }) => ({
    quizId,
    passedAt: isoTime(passedAt),
    validUntil: validUntil === null ? null : isoTime(validUntil),
    valid: validUntil === null || now < validUntil,
  }))
}
