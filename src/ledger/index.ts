export type { InviteEvent, Learned } from '../callbacks/invite-records.ts'
export { type CreatedOnce, type CreateOnceOptions, createOnce } from './create-once.ts'
export { mockWorldAt } from './mock-world-id.ts'
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
export { isLedgerError, LedgerError } from './rules/errors.ts'
export { emailKey } from './rules/key.ts'
export type { Finding, Ledger, LedgerCheck, Purge, Purged, Recorded } from './rules/ledger.ts'
export type { NamedRecord, NewSend, SendRecord } from './rules/record.ts'
export type { OutageTrials, PaceState, SharedOutage, SharedPace } from './rules/shared-pace.ts'
export type { DriverName } from './sqlite/driver.ts'
export { inspectLedger, type LedgerInspection } from './sqlite/inspect.ts'
export { type InboxOptions, type OpenInbox, openInbox } from './sqlite/sqlite-inbox.ts'
export { type LedgerOptions, openLedger, openMemoryLedger } from './sqlite/sqlite-ledger.ts'
export { createLedger } from './store/create-ledger.ts'
export type {
  CandidateFacts,
  CandidateQuestion,
  LedgerStore,
  PageQuery,
  SendFacts,
  StoreCheck,
} from './store/store.ts'
export {
  type GuardedCallOptions,
  type GuardedClient,
  type GuardedInvites,
  type GuardedPackageInvites,
  type WithLedgerOptions,
  withLedger,
} from './with-ledger.ts'
