export { copyLedger, type LedgerCopy } from './copy-ledger.ts'
export type {
  LedgerChange,
  LedgerRecord,
  LedgerFilter,
  LedgerFollowUp,
  LedgerGroup,
  LedgerInvite,
  LedgerScope,
  LedgerState,
} from './rules/model.ts'
export { emailKey } from './rules/key.ts'
export { openDecisions } from './rules/resolving.ts'
export type { Finding, Ledger, LedgerCheck, LedgerInbox } from './rules/ledger-types.ts'
export { scopeOf } from './scope.ts'
export { type LedgerOptions, openLedger } from './sqlite.ts'
