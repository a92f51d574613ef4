import * as z from 'zod/mini'
import { NOTICEABLE_SWITCHES, noticeableBehaviour, someBehaviour } from '../contract/behaviour.ts'
import { MAX_STATE_BYTES } from '../contract/limits.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { world, worldJsonSchema } from '../contract/world.ts'
import { type Operation, operation } from './operation.ts'

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
        result: noticeableBehaviour,
      },
      () => behaviourOf(mock),
    ),
    operation(
      'PATCH /behaviour',
      'Sets some behaviour switches, until a reset',
      {
        description: 'A change applies from now on. Returns the switches.',
        body: someBehaviour,
        isCheckedByMock: true,
        example: { pendingInvite: 'refuse' },
        result: noticeableBehaviour,
      },
      ({ body }) => {
        mock.setBehaviour(body)
        return behaviourOf(mock)
      },
    ),
  ]
}

const WORLD = {
  candidates: [{ email: 'ada@example.com', certifications: [{ quizId: 'quiz_react_beginner_state' }] }],
  behaviour: { candidateName: 'required' },
}

/** The switches that an integrator's code can notice. */
function behaviourOf({ behaviour }: MockServer): object {
  return Object.fromEntries(NOTICEABLE_SWITCHES.map((name) => [name, behaviour[name]]))
}
