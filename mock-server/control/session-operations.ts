import * as z from 'zod/mini'
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import { addresses } from '../contract/rows.ts'
import { refuse } from './control-errors.ts'
import { type Operation, operation } from './operation.ts'

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
      await (open ?? refuse(404, 'NOT_FOUND', 'There is no such session.')).close()
    }),
  ]
}

function addressesOf({ apiKeys, adminSession }: MockServer, base: string) {
  return { baseUrl: base, endpoint: base + ENDPOINT_PATH, apiKeys, adminSession }
}

function sessionAt(session: MockSession, base: string) {
  return { id: session.id, ...addressesOf(session, `${base}/s/${session.id}`) }
}
