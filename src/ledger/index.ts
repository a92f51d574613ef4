export type { Clock } from './clock.ts'
export type { DriverName } from './driver.ts'
export type {
  Claim,
  ClaimRequest,
  EntryDetail,
  LedgerEntry,
  LedgerFilter,
  LedgerInvite,
  LedgerScope,
  LedgerState,
  SendInput,
  Settlement,
  Target,
} from './entry.ts'
export { LedgerError, type PriorSend } from './failures.ts'
export type { Finding, Ledger, LedgerCheck, Purge, Purged, Recorded } from './ledger.ts'
export { mockWorldAt } from './mock-world.ts'
export { type LedgerOptions, openLedger } from './sqlite.ts'
export {
  type GuardedCallOptions,
  type GuardedClient,
  type GuardedInvites,
  type GuardedPackageInvites,
  type WithLedgerOptions,
  withLedger,
} from './with-ledger.ts'
