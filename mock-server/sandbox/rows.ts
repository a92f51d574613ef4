import type { MockCallback } from '../contract/callbacks.ts'
import type { MockExchange } from '../contract/request-log.ts'
import { statusOf } from '../world/attempts.ts'
import type { Invite, InviteStatus, Mail, MockInvite, MockMail } from '../world/model.ts'
import type { World } from '../world/world.ts'
import type { CallbackEvent } from './callback-event.ts'
import type { CallbackSender } from './callback-sender.ts'
import type { Callbacks } from './callbacks.ts'
import type { Changes } from './changes.ts'
import type { CreateInvites } from './invite-creation.ts'
import { inviteRow, mailRow } from './public-rows.ts'
import type { LoggedRequest, RequestLog, SentRequests } from './request-log.ts'

/** The rows of one kind, as the mock keeps them. A public row is made only where somebody sees it: that is what costs. */
export interface Rows<Kept, Row> {
  /** How many there are; lists nothing. */
  readonly size: number
  /** All of them, oldest first. */
  kept(): readonly Kept[]
  row(kept: Kept): Row
}

/** The first row that fits; makes no other. */
export function rowWhere<Kept, Row>(rows: Rows<Kept, Row>, fits: (kept: Kept) => boolean): Row | undefined {
  const found = rows.kept().find(fits)
  return found === undefined ? undefined : rows.row(found)
}

/** What the pages and the control API list. The arrays of the public interface make every row. */
export interface MockRows {
  readonly invites: Rows<Invite, MockInvite> & { readonly statusOf: (invite: Invite) => InviteStatus }
  readonly mails: Rows<Mail, MockMail>
  /** The addresses of the candidates who have a certification, or an attempt in progress. */
  readonly candidates: Rows<string, string>
  readonly callbacks: Rows<CallbackEvent, MockCallback>
  readonly requests: Rows<LoggedRequest, MockExchange>
  readonly ignored: Rows<LoggedRequest, MockExchange>
}

/** What the pages and the control API use of a mock besides its public interface. */
export interface Internals {
  readonly rows: MockRows
  readonly changes: Changes
  readonly requestLog: SentRequests
  readonly create: CreateInvites
  readonly sender: Pick<CallbackSender, 'targets' | 'setTargets' | 'blockedHost'>
}

export function mockRows(world: World, callbacks: Callbacks, requestLog: RequestLog): MockRows {
  return {
    invites: {
      get size() {
        return world.state.invites.size
      },
      kept: () => [...world.state.invites.values()],
      row: (invite) => inviteRow(world, invite),
      statusOf: (invite) => statusOf(world, invite),
    },
    mails: {
      get size() {
        return world.state.mails.length
      },
      kept: () => world.state.mails,
      row: mailRow,
    },
    candidates: {
      get size() {
        return activeCandidates(world).length
      },
      kept: () => activeCandidates(world),
      row: (email) => email,
    },
    callbacks,
    requests: requestLog,
    ignored: {
      get size() {
        return requestLog.keptIgnored().length
      },
      kept: () => requestLog.keptIgnored(),
      row: ({ row }) => row(),
    },
  }
}

function activeCandidates({ state }: World): string[] {
  const running = state.attempts().filter(({ endedAt }) => endedAt === null)
  const rows = [...running, ...state.certifications()]
  return [...new Map(rows.map(({ candidateKey, email = candidateKey }) => [candidateKey, email])).values()]
}
