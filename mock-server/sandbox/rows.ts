import type { MockCallback, MockExchange } from '../generated/contract.ts'
import { statusOf } from '../world/attempts.ts'
import type { Invite, InviteStatus, Mail, MockInvite, MockMail } from '../world/model.ts'
import type { World } from '../world/world.ts'
import type { Callbacks } from './callbacks/callbacks.ts'
import type { CallbackEvent } from './callbacks/event.ts'
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
