import * as z from 'zod/mini'
import { behaviour, someBehaviour } from '../contract/behaviour.ts'
import { MAX_STATE_BYTES } from '../contract/limits.ts'
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import { addresses, clockState, health, quiz, snapshot, trackRow } from '../contract/rows.ts'
import { durationSchema } from '../contract/validation.ts'
import { world, worldJsonSchema } from '../contract/world.ts'
import type { Internals } from '../sandbox/rows.ts'
import { orNotFound, refuse } from './control-errors.ts'
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
        errors: ['TOO_MANY_STREAMS'],
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
    invites.all().filter((each) => invites.statusOf(each) === 'EXPIRED').length,
    callbacks.all().filter(({ status }) => status === 'delivered').length,
    callbacks.all().filter(({ status }) => status === 'given-up').length,
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
          else refuse('BAD_REQUEST', NOW_NEEDS_FROZEN)
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
    invites: rows.invites.all().length,
    mails: rows.mails.all().length,
    callbacks: rows.callbacks.all().length,
    faults: faults.list().length,
    requests: rows.requests.all().length,
    requestsDropped: requestLog.dropped,
    sessions: sessions.length,
  }
}

function clockOf({ clock }: MockServer) {
  return { now: clock.now().toISOString(), frozen: clock.frozen }
}

/** The data that the world begins with, and its behaviour switches. */
export function worldOperations(mock: MockServer): Operation[] {
  const identity = z.object({ worldId: z.string() })
  return [
    operation(
      'GET /world',
      'The identifier of the world',
      {
        description:
          'It changes with each start, reset and restore, and with each world that is put. It can be read under any host name and without a token.',
        result: identity,
      },
      () => ({ worldId: mock.worldId }),
    ),
    operation(
      'PUT /world',
      'Replaces the world with another one, from its beginning',
      {
        description:
          'What the body leaves out comes from the default world (the one without `--world`), not from the file of `--world`. The old invites, e-mails, callbacks, faults and requests are gone. If something is wrong, the old world stays, and `error.problems` lists everything.',
        body: world,
        isCheckedByMock: true,
        maxBodyBytes: MAX_STATE_BYTES,
        example: WORLD,
        result: identity,
      },
      ({ body }) => {
        mock.load(body)
        return { worldId: mock.worldId }
      },
    ),
    operation(
      'GET /world.schema.json',
      'The JSON Schema of a world, for editors',
      { result: z.looseObject({}) },
      worldJsonSchema,
    ),
    operation(
      'GET /behaviour',
      'The behaviour switches',
      {
        description: 'They say what the mock does where the specification is silent.',
        result: behaviour,
      },
      () => mock.behaviour,
    ),
    operation(
      'PATCH /behaviour',
      'Sets some behaviour switches, until a reset',
      {
        description: 'A change applies from now on. Returns the switches.',
        body: someBehaviour,
        isCheckedByMock: true,
        example: { pendingInvite: 'refuse' },
        result: behaviour,
      },
      ({ body }) => {
        mock.setBehaviour(body)
        return mock.behaviour
      },
    ),
  ]
}

const WORLD = {
  candidates: [{ email: 'ada@example.com', certifications: [{ quizId: 'quiz_react_beginner_state' }] }],
  behaviour: { candidateName: 'required' },
}

export function catalogueOperations(mock: MockServer): Operation[] {
  return [
    operation(
      'GET /tracks',
      'All tracks with all their packages',
      { result: z.object({ tracks: z.array(trackRow) }) },
      () => ({
        tracks: mock.tracks,
      }),
    ),
    operation('GET /quizzes', 'All quizzes', { result: z.object({ quizzes: z.array(quiz) }) }, () => ({
      quizzes: mock.quizzes,
    })),
    operation('POST /quizzes/{quizId}/enable', 'Enables a quiz: it is READY', { errors: ['NOT_FOUND'] }, ({ param }) =>
      orNotFound(() => mock.enableQuiz(param('quizId'))),
    ),
    operation(
      'POST /quizzes/{quizId}/disable',
      'Disables a quiz: it is no longer READY',
      { description: 'A package with this quiz can no longer be delivered.', errors: ['NOT_FOUND'] },
      ({ param }) => orNotFound(() => mock.disableQuiz(param('quizId'))),
    ),
  ]
}

/** The addresses and keys of the mock, and of its sessions. */
export function sessionOperations(mock: MockServer): Operation[] {
  const session = z.extend(addresses, { id: z.string() })
  const named = z.object({ id: z.optional(z.string()) })
  return [
    operation(
      'GET /keys',
      'The address of the endpoint, and the keys of the world',
      { result: addresses },
      ({ base }) => addressesOf(mock, base),
    ),
    operation(
      'GET /sessions',
      'The open sessions',
      { result: z.object({ sessions: z.array(session) }) },
      ({ base }) => ({ sessions: mock.sessions.map((each) => sessionAt(each, base)) }),
    ),
    operation(
      'POST /sessions',
      'Opens another world behind the same address',
      {
        description:
          'It has its own keys: a request with one of them belongs to this session. Without an `id` it gets one.',
        body: named,
        example: { id: 'worker-1' },
        result: session,
        status: 201,
      },
      ({ body, base }) => sessionAt(mock.openSession(body), base),
    ),
    operation('DELETE /sessions/{sessionId}', 'Closes a session', { errors: ['NOT_FOUND'] }, async ({ param }) => {
      const open = mock.sessions.find(({ id }) => id === param('sessionId'))
      await (open ?? refuse('NOT_FOUND', 'There is no such session.')).close()
    }),
  ]
}

function addressesOf({ apiKeys, adminSession }: MockServer, base: string) {
  return { baseUrl: base, endpoint: base + ENDPOINT_PATH, apiKeys, adminSession }
}

function sessionAt(session: MockSession, base: string) {
  return { id: session.id, ...addressesOf(session, `${base}/s/${session.id}`) }
}
