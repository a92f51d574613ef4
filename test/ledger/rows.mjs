/** The package of the harness. */
export const PACKAGE_ID = 'pkg_sql_beginner'
export const QUIZ_ID = 'quiz_react_beginner_state'

/** The address of a row, from 1. */
export const emailOf = (/** @type {number} */ row) => `row-${row}@example.com`

/** Every fifth row is a package, the others are single invites. */
export const isPackage = (/** @type {number} */ row) => row % 5 === 0

/** A file with this many rows; the first is on line 2. @param {number} count */
export function fileOf(count) {
  const rows = Array.from({ length: count }, (_each, index) => {
    const row = index + 1
    return `${emailOf(row)},Candidate ${row},${isPackage(row) ? `,${PACKAGE_ID}` : `${QUIZ_ID},`}\n`
  })
  return `email,name,quiz_id,package_id\n${rows.join('')}`
}
