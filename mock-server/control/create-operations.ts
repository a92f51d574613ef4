import * as z from 'zod/mini'
import { inviteInput } from '../contract/invite-input.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { inviteRow } from '../contract/rows.ts'
import type { Internals } from '../sandbox/rows.ts'
import { type Operation, operation } from './operation.ts'
import { addSampleData } from './sample-data.ts'

/** The operations that create invites without a client's request. */
export function createOperations(mock: MockServer, { create }: Internals): Operation[] {
  const created = { result: z.object({ invites: z.array(inviteRow) }), status: 201 } as const
  return [
    operation(
      'POST /invites',
      'Creates one invite, or those of a package, by the rules of the service',
      {
        description:
          'The body is the input of the service. No key is needed; faults, rate limits and the request log do not apply.',
        errors: ['BAD_USER_INPUT'],
        body: inviteInput,
        example: { quizId: mock.quizzes[0]?.id ?? 'quiz', candidate: { name: 'Ada', email: 'ada@example.com' } },
        ...created,
      },
      ({ body, base }) => ({ invites: create(body, base) }),
    ),
    operation(
      'POST /sample-data',
      'Adds a few invites in different states, once',
      {
        description: 'Six candidates, always the same ones.',
        errors: ['SAMPLE_EXISTS', 'NO_QUIZ'],
        ...created,
      },
      ({ base }) => ({ invites: addSampleData(mock, create, base) }),
    ),
  ]
}
