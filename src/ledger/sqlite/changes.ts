import type { InviteEvent, Learned } from '../../callbacks/invite-records.ts'
import type { Settlement } from '../rules/entry.ts'
import type { Finding, Recorded } from '../rules/ledger.ts'
import { invitesNamedBy, recordEvent } from '../rules/record-event.ts'
import { lapsed, type Resolution, resolved, settled } from '../rules/settling.ts'
import { isLeaseOver } from './owner.ts'
import { findSend, othersWith, recordOf, SELECT_SENDS, stateOf } from './rows.ts'
import type { Statements } from './statements.ts'
import { replaceSend } from './write-rows.ts'

/* Each is called inside a transaction, which may have other writes: so none throws for a reason of its own. */

/** Records how a send ended. */
export function recordSettlement(
  statements: Statements,
  reference: string,
  settlement: Settlement,
  now: number,
): Recorded {
  const send = findSend(statements, reference)
  if (send === undefined) return 'not-found'
  const inviteIds = settlement.state === 'created' ? settlement.invites.map(({ inviteId }) => inviteId) : []
  const { send: next, recorded } = settled(send, settlement, othersWith(statements, send, inviteIds), now)
  replaceSend(statements, send, next)
  return recorded
}

/** Records a finding about an unknown send. */
export function recordFinding(statements: Statements, reference: string, finding: Finding, now: number): Resolution {
  const send = findSend(statements, reference)
  const inviteIds = finding.created === undefined ? [] : [finding.created].flat()
  const resolution = resolved(send, finding, send === undefined ? [] : othersWith(statements, send, inviteIds), now)
  if (send !== undefined && 'send' in resolution) replaceSend(statements, send, resolution.send)
  return resolution
}

/** Records what an event says about an invite, unless it contradicts the ledger. */
export function learn(statements: Statements, event: InviteEvent, now: number): Learned {
  const send = findSend(statements, event.reference)
  const others = send === undefined ? [] : othersWith(statements, send, invitesNamedBy(event))
  const isOver = send !== undefined && isLeaseOver(send, now)
  const { send: next, learned } = recordEvent(send, event, others, isOver, now)
  if (send !== undefined && next !== undefined) replaceSend(statements, send, next)
  return learned
}

/** A send becomes unknown if its sender is gone or its lease is over. */
export function endLeases(statements: Statements, now: number): void {
  for (const row of statements.all(`${SELECT_SENDS} WHERE state = 'sending'`)) {
    if (!isLeaseOver(stateOf(row), now)) continue
    const send = recordOf(statements, row)
    replaceSend(statements, send, lapsed(send, now))
  }
}
