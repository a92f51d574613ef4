// The LMS's export: rows of completed courses, as CSV or JSON.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse'

/** The rows of a campaign. Courses that are not mapped to a certification are left out. */
export async function* completions(path, courses) {
  let row = 0
  for await (const record of path.endsWith('.json') ? JSON.parse(await readFile(path, 'utf8')) : csvOf(path)) {
    row += 1
    const { course_id: courseId, completed_at: completedAt, first_name: first, last_name: last, email } = record
    const course = courses[courseId]
    if (course === undefined) continue
    const isTime = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(completedAt) && !Number.isNaN(Date.parse(completedAt))
    const issues = isTime ? undefined : [{ path: 'completed_at', rule: 'must be a time with its zone' }]
    const name = [first, last].filter(Boolean).join(' ')
    const candidate = { email, ...(name !== '' && { name }) }
    yield { row, input: { ...course, candidate }, completedAt: Date.parse(completedAt), issues }
  }
}

/**
 * Leaves out the completions that were invited for already, however long ago. Many exports have the completions of weeks:
 * without this, whoever did not use the link would be invited again when it has expired, every 14 days.
 */
export async function* notInvitedFor(rows, ledger, scope) {
  for await (const each of rows) if (!(await wasInvited(each, ledger, scope))) yield each
}

async function wasInvited({ input: { quizId, packageId, candidate }, issues, completedAt }, ledger, scope) {
  if (issues !== undefined || typeof candidate.email !== 'string') return false
  const entries = ledger.list({
    ...scope,
    email: candidate.email,
    quizId,
    packageId,
    state: 'created',
    since: completedAt,
  })
  const { done } = await entries[Symbol.asyncIterator]().next()
  return done !== true
}

function csvOf(path) {
  /* Excel writes a byte order mark. */
  return createReadStream(path).pipe(parse({ columns: true, bom: true, trim: true, skip_empty_lines: true }))
}
