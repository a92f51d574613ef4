import * as z from 'zod/mini'
import { behaviour, someBehaviour } from '../contract/behaviour.ts'
import { MAX_STATE_BYTES } from '../contract/limits.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { quiz, trackRow } from '../contract/rows.ts'
import { world, worldJsonSchema } from '../contract/world.ts'
import { orNotFound } from './control-errors.ts'
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
