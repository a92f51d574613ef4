import { openLedger as open } from '../../../src/ledger/index.ts'
import { type Ledger, type LedgerParts, partsOfLedger } from '../../../src/ledger/rules/ledger.ts'

/** A ledger with what only the SDK calls beside what is for users. */
export type WholeLedger = Ledger & LedgerParts

export function whole(ledger: Ledger): WholeLedger {
  return { ...ledger, ...partsOfLedger(ledger) }
}

export async function openLedger(...args: Parameters<typeof open>): Promise<WholeLedger> {
  return whole(await open(...args))
}
