import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { quiz, track } from '../schemas/control-results.ts'
import { orNotFound } from './control-errors.ts'
import { type Operation, operation } from './operation.ts'

export function catalogueOperations(mock: MockServer): Operation[] {
  return [
    operation(
      'GET /tracks',
      'All tracks with all their packages',
      { result: z.object({ tracks: z.array(track) }) },
      () => ({
        tracks: mock.tracks,
      }),
    ),
    operation('GET /quizzes', 'All quizzes', { result: z.object({ quizzes: z.array(quiz) }) }, () => ({
      quizzes: mock.quizzes,
    })),
    operation('POST /quizzes/{quizId}/enable', 'Makes a quiz READY', {}, ({ param }) =>
      orNotFound(() => mock.enableQuiz(param('quizId'))),
    ),
    operation('POST /quizzes/{quizId}/disable', 'Makes a quiz no longer READY', {}, ({ param }) =>
      orNotFound(() => mock.disableQuiz(param('quizId'))),
    ),
  ]
}
