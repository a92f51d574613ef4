import type { LedgerEntry } from './entry.ts'
import type { Ledger } from './ledger.ts'

/** The entries of something that may be sent again, always with the same reference. */
export interface Attempts {
  /** The entry that shows what became of it so far: of the last attempt, or of an earlier one that may have created something. */
  readonly last: LedgerEntry | undefined
  /** The reference of the next attempt. An entry has it only if somebody else makes the same attempt. */
  readonly next: string
}

/**
 * Finds the entries of something that may be sent again: `<reference>`, and after a send that created nothing
 * `<reference>+2`, `+3` and so on.
 */
export async function attemptsOf(ledger: Pick<Ledger, 'find'>, reference: string): Promise<Attempts> {
  for (let attempt = 1, last: LedgerEntry | undefined; ; attempt += 1) {
    const next = attempt === 1 ? reference : `${reference}${ENDING}${attempt}`
    const entry = await ledger.find(next)
    if (entry === undefined) return { last, next }
    last = entry
    if (entry.state !== 'refused' && entry.state !== 'not-executed') return { last, next }
  }
}

const ENDING = '+'

/** The most letters of the reference of something that may be sent again. A header has at most 128, with the ending. */
export const MOST_CHARACTERS = 120
