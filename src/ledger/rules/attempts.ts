import type { CertifyErrorCode } from '../../index.ts'
import type { LedgerEntry } from './entry.ts'
import type { Ledger } from './ledger.ts'

/** What a caller's own reference stands for: a recorded outcome, or the reference of its next attempt. */
export type Attempt =
  | { readonly recorded: LedgerEntry; readonly next?: undefined }
  | { readonly next: string; readonly recorded?: undefined }

/**
 * Finds what became of a create with the caller's own reference. An attempt that created nothing, for a cause that may pass, is
 * followed by another: `<reference>`, `<reference>+2`, `<reference>+3`. Callers cannot choose a reference with a `+`.
 */
export async function findAttempt(ledger: Pick<Ledger, 'find'>, reference: string): Promise<Attempt> {
  for (let attempt = 1; ; attempt += 1) {
    const next = attempt === 1 ? reference : `${reference}+${attempt}`
    const entry = await ledger.find(next)
    if (entry === undefined) return { next }
    if (!maySendAgain(entry)) return { recorded: entry }
  }
}

function maySendAgain({ state, code }: LedgerEntry): boolean {
  return state === 'not-executed' || (state === 'refused' && (code === undefined || !ANSWERS.has(code)))
}

/* With these the service answered the create itself. With UNAUTHENTICATED and FORBIDDEN it refused the key. */
const ANSWERS: ReadonlySet<CertifyErrorCode> = new Set(['BAD_USER_INPUT', 'NOT_FOUND', 'API_ERROR'])
