import { openLedger as open } from '../../../src/ledger/index.ts'
import { type Ledger, type LedgerInternals, internalsOfLedger } from '../../../src/ledger/rules/ledger-types.ts'

/** A ledger with what only the SDK calls beside what is for users. */
export type WholeLedger = Ledger & LedgerInternals

export function whole(ledger: Ledger): WholeLedger {
  return { ...ledger, ...internalsOfLedger(ledger) }
}

export async function openLedger(...args: Parameters<typeof open>): Promise<WholeLedger> {
  return whole(await open(...args))
}
