import type { InviteEvent } from '../../../../src/callbacks/event.ts'
import type { ClaimRequest, Settlement } from '../../../../src/ledger/rules/model.ts'
import { created, invite, kindOf, recordCreate, request } from './samples.ts'
import type { Setting } from './setting.ts'

type More = Partial<Omit<Extract<InviteEvent, { type: 'certification.completed' }>, 'type'>> &
  Partial<Omit<Extract<InviteEvent, { type: 'certification.follow_up_claimed' }>, 'type'>>

let events = 0

/* Each event is received later than the ones created before it. */
function facts() {
  events += 1
  return {
    name: '',
    id: null,
    data: {},
    raw: new Uint8Array(),
    externalReference: null,
    occurredAt: null,
    key: `key-${events}`,
    reference: 'a',
    receivedAt: Date.parse('2030-01-01T00:00:00Z') + events,
  }
}

/** An event about the record `a`: an attempt at an invite has ended. */
export function completed(inviteId: string, result: string | null, more: More = {}): InviteEvent {
  const event = { type: 'certification.completed', quizId: 'quiz', validUntil: null, inviteId, result } as const
  return { ...event, ...facts(), ...more }
}

/** An event about the record `a`: a follow-up of an invite was claimed. */
export function claimed(originalInviteId: string, followUpInviteId: string, more: More = {}): InviteEvent {
  const event = { type: 'certification.follow_up_claimed', kind: 'retake', originalInviteId, followUpInviteId } as const
  return { ...event, ...facts(), ...more }
}

/** Records a record `a` with this end, and returns a way to claim its candidate again. */
export async function recordA(
  { ledger }: Setting,
  end: Settlement | undefined,
  more: Partial<ClaimRequest> = {},
): Promise<(more?: Partial<ClaimRequest>) => Promise<string>> {
  await recordCreate(ledger, 'a', end, more)
  return (again) => kindOf(ledger, again)
}

export const CREATED: Settlement = created(invite('A'))
export const UNKNOWN: Settlement = { state: 'unknown', code: 'CONNECTION_LOST' }

/** The claim of a package. */
export function ofPackage(quizIds: readonly string[] = ['q1', 'q2', 'q3']): Partial<ClaimRequest> {
  const { target, input } = request('a', { target: { email: 'ada@example.com', packageId: 'pkg', quizIds } })
  return { target, input }
}
