import create from '../../operations/create-invite.graphql?raw'
import type { MockServer } from '../contract/mock-server.ts'

/* What the code to copy sends. */

/** The document that the SDK sends. */
export const CREATE: string = create.trim()

/** The quiz of the documentation; if this world cannot deliver it, the first that is READY. */
export function exampleQuiz({ quizzes }: MockServer): string {
  const ready = quizzes.filter((quiz) => quiz.ready)
  return (ready.find(({ id }) => id === QUIZ) ?? ready[0])?.id ?? QUIZ
}

const QUIZ = 'quiz_react_beginner_state'
