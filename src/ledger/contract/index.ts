export { describeLedger } from './describe-ledger.ts'
export type { LedgerContract } from './ledger-contract.ts'
