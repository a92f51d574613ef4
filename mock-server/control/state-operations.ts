import * as z from 'zod/mini'
import { MAX_STATE_BYTES } from '../contract/limits.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { clockState, health, snapshot } from '../contract/rows.ts'
import { durationSchema } from '../contract/validation.ts'
import type { Internals } from '../sandbox/rows.ts'
import { refuse } from './control-errors.ts'
import { eventStream } from './event-stream.ts'
import { type Operation, operation } from './operation.ts'

/** The world as a whole: its counts, its changes and its state. */
export function stateOperations(mock: MockServer, internals: Internals): Operation[] {
  const healthNow = () => healthOf(mock, internals)
  return [
    operation(
      'GET /health',
      'The time of the world, and how many rows of each kind it has',
      { result: health },
      healthNow,
    ),
    operation(
      'GET /events',
      'A stream of server-sent events that name the parts of the mock that changed',
      {
        description:
          'At most five events a second, such as `data: {"parts":["world","clock"]}`. After a lost connection, read all parts again.',
      },
      ({ signal }) => eventStream(internals.changes, signal),
    ),
    operation(
      'POST /reset',
      'Resets the world to its beginning',
      { description: 'It also removes faults, callbacks and the request log. Sessions stay open.', result: health },
      () => {
        mock.reset()
        return healthNow()
      },
    ),
    operation(
      'POST /settle',
      'Waits until nothing is due and no delivery is in progress',
      { description: 'What is due later, such as a retry, needs the clock: `/clock/advance`.', result: health },
      async () => {
        await mock.settle()
        return healthNow()
      },
    ),
    operation('GET /state', 'The whole state, to return to later', { result: snapshot }, () => mock.snapshot()),
    operation(
      'PUT /state',
      'Returns to a state',
      {
        description: 'The body is what `GET /state` returned. Keys, faults and the request log stay as they are.',
        body: snapshot,
        isCheckedByMock: true,
        maxBodyBytes: MAX_STATE_BYTES,
        result: health,
      },
      ({ body }) => {
        mock.restore(body)
        return healthNow()
      },
    ),
  ]
}

/** Moves the clock, and says what fell due on the way. */
async function moved(mock: MockServer, { rows: { invites, callbacks } }: Internals, move: () => Promise<void>) {
  const tally = () => [
    invites.kept().filter((each) => invites.statusOf(each) === 'EXPIRED').length,
    callbacks.kept().filter(({ status }) => status === 'delivered').length,
    callbacks.kept().filter(({ status }) => status === 'given-up').length,
  ]
  const before = tally()
  await move()
  const happened = tally().flatMap((now, index) => {
    const number = now - (before[index] ?? 0)
    const [one, many] = HAPPENINGS[index] ?? []
    return number > 0 ? [`${number} ${number === 1 ? one : many}`] : []
  })
  return { ...clockOf(mock), happened: happened.join(', ') || 'nothing fell due' }
}

const HAPPENINGS = [
  ['link expired', 'links expired'],
  ['callback was delivered', 'callbacks were delivered'],
  ['callback was given up', 'callbacks were given up'],
] as const

export function clockOperations(mock: MockServer, internals: Internals): Operation[] {
  const result = z.extend(clockState, { happened: z.string().check(z.describe('What fell due, in words.')) })
  const moment = z.object({
    frozen: z.boolean(),
    now: z.optional(z.string()),
  })
  const duration = z.object({ by: durationSchema() })
  return [
    operation('GET /clock', 'The clock', { result: clockState }, () => clockOf(mock)),
    operation(
      'PUT /clock',
      'Freezes the clock, now or at a later time, or lets it follow real time',
      { body: moment, example: { frozen: true }, result },
      ({ body: { frozen, now } }) =>
        moved(mock, internals, async () => {
          if (frozen) await mock.clock.freeze(now)
          else if (now === undefined) mock.clock.follow()
          else refuse(400, 'BAD_REQUEST', NOW_NEEDS_FROZEN)
        }),
    ),
    operation(
      'POST /clock/advance',
      'Moves the clock forward',
      {
        description: 'Responds once everything that is due by the new time has happened.',
        body: duration,
        example: { by: '1h' },
        result,
      },
      ({ body: { by } }) => moved(mock, internals, () => mock.clock.advance(by)),
    ),
  ]
}

const NOW_NEEDS_FROZEN = 'now goes with "frozen": true; a clock that follows real time is moved by /clock/advance.'

function healthOf(mock: MockServer, { rows }: Internals) {
  const { faults, requestLog, sessions } = mock
  return {
    status: 'ok',
    ...clockOf(mock),
    invites: rows.invites.size,
    mails: rows.mails.size,
    callbacks: rows.callbacks.size,
    faults: faults.list().length,
    requests: rows.requests.size,
    requestsDropped: requestLog.dropped,
    sessions: sessions.length,
  }
}

function clockOf({ clock }: MockServer) {
  return { now: clock.now().toISOString(), frozen: clock.frozen }
}
