export type { InviteEvent, Learned } from '../callbacks/invite-records.ts'
export { type CopyOptions, copyLedger, type LedgerCopy } from './copy-ledger.ts'
export { scopeOf } from './guard.ts'
export { type Resolution, type Resolved, resolveAll } from './resolve-all.ts'
export type { Clock } from './rules/clock.ts'
export type {
  Claim,
  ClaimRequest,
  EntryDetail,
  InviteResult,
  LedgerEntry,
  LedgerFilter,
  LedgerFollowUp,
  LedgerInvite,
  LedgerScope,
  LedgerState,
  LookedUp,
  SendInput,
  Settlement,
  Target,
} from './rules/entry.ts'
export { emailKey } from './rules/key.ts'
export type { Finding, Ledger, LedgerCheck, LedgerInbox, Purge, Purged, Recorded } from './rules/ledger.ts'
export type { NewSend, ResultRecord, SendRecord } from './rules/record.ts'
export { type LedgerOptions, openLedger } from './sqlite.ts'
export type { DriverName } from './sqlite-driver.ts'
