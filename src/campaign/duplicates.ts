import type { Target } from '../ledger/rules/model.ts'
import { emailKey, quizSubject, subjectsOf } from '../ledger/rules/key.ts'
import type { PlannedRow } from './row.ts'

/** Compares the rows of a campaign with each other. */
export class Duplicates {
  /* The first row of each key: a candidate with a quiz or a package. */
  readonly #firstRows = new Map<string, number>()

  /** Decides a row by the rows before it. So far, its status comes from the ledger alone. */
  decide(row: PlannedRow, target: Target): PlannedRow {
    const { status, missingQuizIds = [], ...facts } = row
    const key = (subject: string) => `${emailKey(target.email)}\n${subject}`
    const firstOf = (quizId: string) => this.#firstRows.get(key(quizSubject(quizId)))
    const keys = subjectsOf(target).map(key)
    const free = keys.filter((each) => !this.#firstRows.has(each))
    const ofPackage = keys.slice(-1)
    if (target.packageId !== undefined && free.includes(ofPackage[0] ?? '')) {
      const missing = (status === 'planned' ? target.quizIds : missingQuizIds).filter((id) => firstOf(id) === undefined)
      if (missing.length > 0 && missing.length < target.quizIds.length) {
        /* This row sends none of its quizzes, so they stay free for later rows. */
        this.#reserve(row, ofPackage)
        const duplicateOf = target.quizIds.map(firstOf).find((first) => first !== undefined)
        return { ...row, status: 'partly_invited', missingQuizIds: missing, duplicateOf }
      }
      /* An earlier row for some of its quizzes does not settle a package whose outcome is unknown. */
      if (status === 'unknown' && free.length > 1) {
        this.#reserve(row, free)
        return row
      }
    }
    const duplicateOf = keys.map((each) => this.#firstRows.get(each)).find((first) => first !== undefined)
    if (duplicateOf !== undefined) return { ...facts, status: 'duplicate', duplicateOf, lapsed: undefined }
    this.#reserve(row, keys)
    return row
  }

  #reserve({ row }: PlannedRow, keys: readonly string[]): void {
    for (const each of keys) this.#firstRows.set(each, row)
  }
}
