import * as z from 'zod/mini'
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import type { MockSnapshot } from '../contract/snapshot.ts'
import { durationSchema, mustBe } from '../schemas/messages.ts'
import { addresses, clockState, health } from '../schemas/rows.ts'
import type { Duration } from '../world/clock.ts'
import { refuse } from './control-errors.ts'
import { eventStream } from './event-stream.ts'
import { type Operation, withBody } from './operation.ts'

const snapshot = z.object({
  format: z.literal('certify-mock'),
  version: z.literal(1),
  world: z.looseObject({}),
  callbacks: z.looseObject({}),
})

const sessionAddresses = z.extend(addresses, { id: z.string() })

/** The mock as a whole: its clock, its state, and its sessions. */
export function mockOperations(mock: MockServer): Operation[] {
  return [
    {
      way: 'GET /health',
      summary: 'The time of the world, and how many of everything there are',
      answer: { schema: health },
      run: () => healthOf(mock),
    },
    {
      way: 'GET /keys',
      summary: 'Where the endpoint is, and which keys the world knows',
      answer: { schema: addresses },
      run: ({ base }) => addressesOf(mock, base),
    },
    {
      way: 'GET /events',
      summary: 'A stream of server-sent events that name the parts of the mock that have changed',
      run: ({ signal }) => eventStream(mock, signal),
    },
    {
      way: 'POST /reset',
      summary: 'Back to the beginning',
      answer: { schema: health },
      run() {
        mock.reset()
        return healthOf(mock)
      },
    },
    {
      way: 'POST /settle',
      summary: 'Answers when nothing is due and no delivery is under way',
      answer: { schema: health },
      async run() {
        await mock.settle()
        return healthOf(mock)
      },
    },
    {
      way: 'GET /state',
      summary: 'The whole state, to come back to',
      answer: { schema: snapshot },
      run: () => mock.snapshot(),
    },
    withBody({
      way: 'PUT /state',
      summary: 'Back to a state',
      body: { schema: z.looseObject({}), described: snapshot },
      answer: { schema: health },
      run({ body }) {
        mock.restore(body as unknown as MockSnapshot)
        return healthOf(mock)
      },
    }),
    { way: 'GET /clock', summary: 'The clock', answer: { schema: clockState }, run: () => clockOf(mock) },
    withBody({
      way: 'PUT /clock',
      summary: 'Freezes the clock, now or at a time to come, or lets it follow real time',
      body: {
        schema: z.object({
          frozen: z.boolean({ error: mustBe('true or false') }),
          now: z.optional(z.string({ error: mustBe('a text') })),
        }),
        example: { frozen: true },
      },
      answer: { schema: clockState },
      async run({ body: { frozen, now } }) {
        if (frozen) await mock.clock.freeze(now)
        else if (now === undefined) mock.clock.follow()
        else refuse(400, 'BAD_REQUEST', NOW_NEEDS_FROZEN)
        return clockOf(mock)
      },
    }),
    withBody({
      way: 'POST /clock/advance',
      summary: 'Moves the clock forward; answers when everything that fell due has happened',
      body: {
        schema: z.object({ by: durationSchema(mustBe("a length of time such as '30s' or '14d'")) }),
        example: { by: '1h' },
      },
      answer: { schema: clockState },
      async run({ body: { by } }) {
        await mock.clock.advance(by as Duration)
        return clockOf(mock)
      },
    }),
    {
      way: 'GET /sessions',
      summary: 'The sessions that are open',
      answer: { schema: z.object({ sessions: z.array(sessionAddresses) }) },
      run: ({ base }) => ({ sessions: mock.sessions.map((each) => sessionAt(each, base)) }),
    },
    withBody({
      way: 'POST /sessions',
      summary: 'Opens another world behind the same address',
      body: {
        schema: z.object({ id: z.optional(z.string({ error: mustBe('a text') })) }),
        example: { id: 'worker-1' },
      },
      answer: { status: 201, schema: sessionAddresses },
      run: ({ body, base }) => sessionAt(mock.openSession(body), base),
    }),
    {
      way: 'DELETE /sessions/{sessionId}',
      summary: 'Closes a session',
      async run({ param }) {
        const open = mock.sessions.find(({ id }) => id === param('sessionId'))
        await (open ?? refuse(404, 'NOT_FOUND', 'There is no such session.')).close()
      },
    },
  ]
}

const NOW_NEEDS_FROZEN = 'now goes with "frozen": true; a clock that follows is moved by /clock/advance.'

function healthOf(mock: MockServer) {
  const { invites, outbox, callbacks, faults, requestLog, sessions } = mock
  return {
    status: 'ok',
    ...clockOf(mock),
    invites: invites.length,
    mails: outbox.length,
    callbacks: callbacks.list().length,
    faults: faults.list().length,
    requests: requestLog.list().length,
    requestsDropped: requestLog.dropped,
    sessions: sessions.length,
  }
}

function addressesOf({ apiKeys, adminSession }: MockServer, base: string) {
  return { baseUrl: base, endpoint: base + ENDPOINT_PATH, apiKeys, adminSession }
}

function sessionAt(session: MockSession, base: string) {
  return { id: session.id, ...addressesOf(session, `${base}/s/${session.id}`) }
}

function clockOf({ clock }: MockServer) {
  return { now: clock.now().toISOString(), frozen: clock.frozen }
}
