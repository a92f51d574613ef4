import type { InviteInput } from '../index.ts'
import type { LedgerEntry, LedgerScope, SendInput, Target } from '../ledger/rules/entry.ts'
import { emailKey, quizSubject, subjectsOf } from '../ledger/rules/key.ts'
import type { Ledger } from '../ledger/rules/ledger.ts'
import type { PlanRows } from './plan-rows.ts'
import type { Found } from './progress.ts'
import type { PlannedRow, RowStatus } from './row.ts'

/**
 * For each target that the ledger has an invite for: the quizzes of its package without an open invite. None for a single
 * quiz, or if the package itself was sent.
 *
 * @param sendsUnknown whether a quiz with an unknown outcome may be sent again
 */
export async function missingQuizzes(
  ledger: Ledger,
  scope: LedgerScope,
  targets: readonly Target[],
  sendsUnknown = false,
): Promise<ReadonlyMap<Target, readonly string[]>> {
  const parts = targets.flatMap(({ email, packageId, quizIds }) =>
    packageId === undefined
      ? []
      : [{ email, packageId, quizIds: [] }, ...quizIds.map((quizId) => ({ email, quizIds: [quizId] }))],
  )
  const claims = await ledger.lookUp(scope, parts, 'kinds')
  const missing = new Map<Target, readonly string[]>()
  let at = 0
  for (const target of targets) {
    if (target.packageId === undefined) continue
    const [whole, ...single] = claims.slice(at, at + 1 + target.quizIds.length)
    at += 1 + target.quizIds.length
    const free = target.quizIds.filter((_quizId, index) => {
      const kind = single[index]?.kind
      return kind === undefined || kind === 'expired' || (sendsUnknown && kind === 'unknown')
    })
    missing.set(target, whole?.kind === 'invited' ? [] : free)
  }
  return missing
}

/**
 * Decides a row by the earlier rows of its campaign.
 *
 * @param row with its status by the ledger
 * @param free by the ledger, of a package that is invited in part: the quizzes without an invite
 */
export function decideRow(
  planRows: PlanRows,
  row: PlannedRow,
  target: Target,
  { free, fills }: { readonly free: readonly string[]; readonly fills: boolean },
): PlannedRow {
  const { status } = row
  const key = (subject: string) => `${emailKey(target.email)}\n${subject}`
  const subjects = subjectsOf(target)
  if (target.packageId !== undefined && (status === 'planned' || free.length > 0)) {
    const earlierOf = (quizId: string) => planRows.earlierWith(key(quizSubject(quizId)))
    const missing = (status === 'planned' ? target.quizIds : free).filter((quizId) => earlierOf(quizId) === undefined)
    const ofPackage = subjects.slice(-1).map(key)
    const isPart = missing.length > 0 && (status !== 'planned' || missing.length < target.quizIds.length)
    if (isPart && planRows.earlierWith(ofPackage[0] ?? '') === undefined) {
      /* Quizzes that are not sent stay free for later rows. */
      planRows.reserve([...ofPackage, ...(fills ? missing.map((quizId) => key(quizSubject(quizId))) : [])], row.row)
      if (fills) return { ...row, status: 'planned', missingQuizIds: missing }
      const duplicateOf = target.quizIds.map(earlierOf).find((earlier) => earlier !== undefined)
      return { ...row, status: 'partly_invited', missingQuizIds: missing, duplicateOf }
    }
  }
  if (target.packageId !== undefined && status === 'unknown') {
    /* An earlier row for some of its quizzes does not make it done. */
    const others = subjects.map(key).filter((each) => planRows.earlierWith(each) === undefined)
    const isWhole = others.includes(key(subjects.at(-1) ?? ''))
    if (isWhole && others.length > 1 && others.length < subjects.length) {
      planRows.reserve(others, row.row)
      return row
    }
  }
  const earlier = planRows.reserve(subjects.map(key), row.row)
  return earlier === undefined ? row : { ...row, status: 'duplicate', duplicateOf: earlier, lapsed: undefined }
}

/** What became of one missing quiz. */
export interface QuizResult {
  readonly quizId: string
  readonly status: RowStatus
  readonly found: Found
}

/** The input of a single invite, in place of a package. */
export function singleInput({ candidate, sendInviteEmail, callbackUrl }: SendInput, quizId: string): InviteInput {
  return {
    quizId,
    candidate,
    ...(sendInviteEmail !== undefined && { sendInviteEmail }),
    ...(callbackUrl !== undefined && { callbackUrl }),
  }
}

/** What became of a row of which only the missing quizzes were sent. Without a result a quiz was not started. */
export function resultOf(
  row: PlannedRow,
  quizIds: readonly string[],
  results: readonly QuizResult[],
): { readonly row: PlannedRow; readonly status: RowStatus; readonly found: Found } {
  const unknown = results.find(({ status }) => status === 'unknown')
  const done = results.filter(({ status }) => status === 'created' || status === 'already_invited')
  const settled = new Set(
    [...done, ...results.filter(({ status }) => status === 'unknown')].map(({ quizId }) => quizId),
  )
  const missing = quizIds.filter((quizId) => !settled.has(quizId))
  const failed = unknown ?? results.find((result) => !done.includes(result)) ?? done.find(({ found }) => found.error)
  const invites = results.flatMap(({ found }) => found.invites ?? found.entries?.flatMap(invitesOf) ?? [])
  const reference = (failed ?? results.at(-1))?.found.reference
  const found: Found = {
    invites,
    ...(reference && { reference }),
    ...(failed?.found.error && { error: failed.found.error }),
    ...(results.some((result) => result.found.late) && { late: true }),
  }
  return {
    row: { ...row, missingQuizIds: missing.length > 0 ? missing : undefined },
    status: statusOf(results, unknown !== undefined, missing.length > 0),
    found,
  }
}

function statusOf(results: readonly QuizResult[], isUnknown: boolean, isPart: boolean): RowStatus {
  if (isUnknown) return 'unknown'
  if (isPart) return 'partly_invited'
  return results.some(({ status }) => status === 'created') ? 'created' : 'already_invited'
}

function invitesOf({ invites }: Pick<LedgerEntry, 'invites'>): LedgerEntry['invites'] {
  return invites
}
