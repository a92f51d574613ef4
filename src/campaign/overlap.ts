import type { LedgerScope, Target } from '../ledger/rules/entry.ts'
import { emailKey, quizSubject, subjectsOf } from '../ledger/rules/key.ts'
import type { Ledger } from '../ledger/rules/ledger.ts'
import type { PlannedRow } from './row.ts'

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
 * @param firstRows the first row of each key of a candidate and subject; gets those of this row
 * @param row with its status by the ledger
 * @param free of a package that the ledger has in part: its quizzes without an open invite
 */
export function decideRow(
  firstRows: Map<string, number>,
  row: PlannedRow,
  target: Target,
  free: readonly string[],
): PlannedRow {
  const key = (subject: string) => `${emailKey(target.email)}\n${subject}`
  const firstWith = (quizId: string) => firstRows.get(key(quizSubject(quizId)))
  const reserve = (keys: readonly string[]) => {
    for (const each of keys) firstRows.set(each, row.row)
  }
  const keys = subjectsOf(target).map(key)
  const isPackage = target.packageId !== undefined
  const ofPackage = isPackage ? keys.slice(-1) : []
  const isNew = !ofPackage.some((each) => firstRows.has(each))
  if (isPackage && isNew && (row.status === 'planned' || free.length > 0)) {
    const quizIds = row.status === 'planned' ? target.quizIds : free
    const missing = quizIds.filter((quizId) => firstWith(quizId) === undefined)
    if (missing.length > 0 && (row.status !== 'planned' || missing.length < target.quizIds.length)) {
      /* Its quizzes stay free for later rows: none of them is sent by this one. */
      reserve(ofPackage)
      const duplicateOf = target.quizIds.map(firstWith).find((first) => first !== undefined)
      return { ...row, status: 'partly_invited', missingQuizIds: missing, duplicateOf }
    }
  }
  if (isPackage && isNew && row.status === 'unknown') {
    /* An earlier row for some of its quizzes does not make it done. */
    const others = keys.filter((each) => !firstRows.has(each))
    if (others.length > 1 && others.length < keys.length) {
      reserve(others)
      return row
    }
  }
  const duplicateOf = keys.map((each) => firstRows.get(each)).find((first) => first !== undefined)
  if (duplicateOf !== undefined) return { ...row, status: 'duplicate', duplicateOf, lapsed: undefined }
  reserve(keys)
  return row
}
