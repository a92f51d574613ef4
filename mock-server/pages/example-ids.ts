import type { MockServer } from '../contract/mock-server.ts'

/* The quiz and the package in the snippets and in the examples of the Console. */

export const QUIZ = 'quiz_react_beginner_state'
export const PACKAGE = 'pkg_react_beginner'

/** The quiz of the documentation; if this world cannot deliver it, the first that is READY. */
export function exampleQuiz({ quizzes }: MockServer): string {
  return chosen(
    quizzes.filter(({ ready }) => ready),
    QUIZ,
  )
}

/** The package of the documentation; if this world cannot deliver it, the first that it can. */
export function examplePackage({ tracks }: MockServer): string {
  return chosen(
    tracks.flatMap(({ packages }) => packages).filter(({ deliverable }) => deliverable),
    PACKAGE,
  )
}

function chosen(usable: readonly { readonly id: string }[], documented: string): string {
  const { id } = usable.find((each) => each.id === documented) ?? usable[0] ?? { id: documented }
  return id
}
