import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { quiz, trackRow } from '../contract/rows.ts'
import { orNotFound } from './control-errors.ts'
import { type Operation, operation } from './operation.ts'

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
