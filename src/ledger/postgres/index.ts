export type { PostgresClient, QueryResult } from './client.ts'
export { openPostgresLedger, type PostgresLedger, type PostgresLedgerOptions } from './postgres-ledger.ts'
export { openPostgresInbox, type PostgresInboxOptions } from './postgres-inbox.ts'
export { type CopyOptions, copyLedger, type LedgerCopy } from './copy-ledger.ts'
