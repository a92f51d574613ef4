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

export function clockOperations(mock: MockServer): Operation[] {
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
      { body: moment, example: { frozen: true }, result: clockState },
      async ({ body: { frozen, now } }) => {
        if (frozen) await mock.clock.freeze(now)
        else if (now === undefined) mock.clock.follow()
        else refuse(400, 'BAD_REQUEST', NOW_NEEDS_FROZEN)
        return clockOf(mock)
      },
    ),
    operation(
      'POST /clock/advance',
      'Moves the clock forward',
      {
        description: 'Responds once everything that is due by the new time has happened.',
        body: duration,
        example: { by: '1h' },
        result: clockState,
      },
      async ({ body: { by } }) => {
        await mock.clock.advance(by)
        return clockOf(mock)
      },
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
