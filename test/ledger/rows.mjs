/** How many invites the package of the harness makes. */
export const PACKAGE_ID = 'pkg_sql_beginner'
export const QUIZ_ID = 'quiz_react_beginner_state'

/** The address of a row, from 1. */
export const emailOf = (/** @type {number} */ row) => `row-${row}@example.com`

/** Every fifth row is a package, the others are single invites. */
export const isPackage = (/** @type {number} */ row) => row % 5 === 0

/** @param {number} count */
export function* rowsOf(count) {
  for (let row = 1; row <= count; row += 1) {
    const candidate = { name: `Candidate ${row}`, email: emailOf(row) }
    yield { row, input: isPackage(row) ? { packageId: PACKAGE_ID, candidate } : { quizId: QUIZ_ID, candidate } }
  }
}
