import type { CallbackEvent, InboxRow } from '../../src/callbacks/index.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

export type EventRow = ReturnType<typeof eventRow>

export const EVENT_STATES = ['waiting', 'handled', 'failed'] as const satisfies readonly EventRow['state'][]

/** The row of a stored event. */
export async function eventRowOf({ body, deliveryId, ...stored }: InboxRow): Promise<EventRow> {
  const { parseEvent } = await import('../../src/callbacks/index.ts')
  return eventRow(await parseEvent({ headers: { 'webhook-id': deliveryId ?? undefined }, body }), stored)
}

type Stored = Pick<InboxRow, 'key' | 'state' | 'receivedAt' | 'reference' | 'failures' | 'error'>

/** The part of an event that is shown. The body, which may contain candidate data, stays in the inbox. */
export function eventRow(event: CallbackEvent, { key, state, receivedAt, reference, failures, error }: Stored) {
  const isClaim = event.type === 'certification.follow_up_claimed'
  const isResult = event.type === 'certification.completed'
  return {
    key,
    state,
    receivedAt: new Date(receivedAt).toISOString(),
    event: event.name,
    /* For a claim, the invite that it follows. */
    inviteId: isClaim ? event.originalInviteId : isResult ? event.inviteId : null,
    result: isResult ? event.result : null,
    kind: isClaim ? event.kind : null,
    followUpInviteId: isClaim ? event.followUpInviteId : null,
    reference,
    failures,
    error,
  }
}

const result: Column<EventRow> = {
  title: 'RESULT',
  note: 'result (for a claim: retake or level-up)',
  value: (row) => row.result ?? row.kind,
}

export const eventColumns: readonly Column<EventRow>[] = [
  ...fieldColumns<EventRow>({ KEY: 'key', STATE: 'state', RECEIVED: 'receivedAt', EVENT: 'event' }),
  ...fieldColumns<EventRow>({ 'INVITE ID': 'inviteId' }),
  result,
  ...fieldColumns<EventRow>({ 'FOLLOW-UP': 'followUpInviteId', REFERENCE: 'reference', FAILURES: 'failures' }),
  ...fieldColumns<EventRow>({ ERROR: 'error' }),
]

/** For a terminal. */
export const eventTable: readonly Column<EventRow>[] = [
  { title: 'KEY', value: ({ key }) => key },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  result,
  { title: 'EVENT', value: ({ event }) => event.replace(/^certification\./, ''), fit: 'end', narrowest: 17 },
  { title: 'RECEIVED (UTC)', value: ({ receivedAt }) => minuteOf(receivedAt), fit: 'drop' },
  { title: 'FAILURES', value: ({ failures }) => failures || '', fit: 'drop' },
  { title: 'ERROR', value: ({ error }) => error, fit: 'drop' },
  { title: 'REFERENCE', value: ({ reference }) => reference, fit: 'drop' },
]

/** One event as it is received. */
export const lineColumns: readonly Column<EventRow>[] = [
  ...fieldColumns<EventRow>({ RECEIVED: 'receivedAt', EVENT: 'event', 'INVITE ID': 'inviteId' }),
  result,
  ...fieldColumns<EventRow>({ REFERENCE: 'reference', KEY: 'key' }),
]
