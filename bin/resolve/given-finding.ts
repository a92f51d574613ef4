import type { Finding, LedgerEntry } from '../../src/ledger/index.ts'

/** Which send it is, and what became of it, as somebody gave it. */
export interface GivenFinding {
  /** Its line in a file, or its place among references. */
  readonly row: number
  readonly reference?: string
  readonly email?: string
  readonly quizId?: string
  readonly packageId?: string
  /** The send, if it is known already. */
  readonly entry?: LedgerEntry
  /** `undefined` if that is not said. */
  readonly finding: Finding | undefined
  /** Why it cannot be used, without its values. */
  readonly faults: readonly string[]
}
