import type { LedgerEntry } from '../../src/ledger/index.ts'

/** Whether a person has said that nothing was created: a send that ended so by itself has a code. */
export function isSaidNotCreated({ state, code }: Pick<LedgerEntry, 'state' | 'code'>): boolean {
  return state === 'not-executed' && code === undefined
}
