import { CertifyError, type Issue } from '../../index.ts'
import type { LedgerEntry, Settlement } from '../rules/entry.ts'
import { LINK_LIFETIME_MS } from '../rules/key.ts'
import type { Finding } from '../rules/ledger.ts'
import { isMismatched, recordSettlement } from './claims.ts'
import { findEntry } from './rows.ts'
import type { Statements } from './statements.ts'

/** The resolved entry, or why it was not resolved: its state, or an invite that is recorded for another candidate or quiz. */
export type ResolveResult =
  | { readonly entry: LedgerEntry }
  | { readonly state: LedgerEntry['state'] | undefined }
  | { readonly isMismatch: true }

/** Records a finding about an unknown send. Call it inside a transaction, which may have other writes: so it does not throw. */
export function resolveEntry(statements: Statements, reference: string, finding: Finding, now: number): ResolveResult {
  const entry = findEntry(statements, reference)
  if (entry?.state !== 'unknown') return { state: entry?.state }
  const settlement = settlementOfFinding(entry, finding)
  if (settlement.state === 'created' && isMismatched(statements, reference, settlement.invites, now)) {
    return { isMismatch: true }
  }
  recordSettlement(statements, reference, settlement, now)
  return { entry: findEntry(statements, reference) ?? entry }
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed`, if it was not resolved */
export function entryResolved(result: ResolveResult): LedgerEntry {
  if ('entry' in result) return result.entry
  throw 'isMismatch' in result ? inviteOfAnother() : notUnknown(result.state)
}

function settlementOfFinding({ sentAt, quizId }: LedgerEntry, { created }: Finding): Settlement {
  if (created === undefined) return { state: 'not-executed' }
  const expiresAt = new Date(Date.parse(sentAt) + LINK_LIFETIME_MS).toISOString()
  return { state: 'created', invites: [created].flat().map((inviteId) => ({ inviteId, expiresAt, quizId })) }
}

function notUnknown(state: LedgerEntry['state'] | undefined): CertifyError {
  const what = state === undefined ? 'the ledger has no such reference' : `that send is not unknown, but ${state}`
  return notResolved(what, 'List the state "unknown" to find such references.', {
    path: 'reference',
    rule: 'must be that of a send with an unknown outcome',
  })
}

function inviteOfAnother(): CertifyError {
  return notResolved(
    'that invite is recorded for another candidate or quiz',
    'Look up the invite of this candidate; the list of invites shows the candidate of that one.',
    { path: 'created', rule: 'must not be an invite of another candidate or quiz' },
  )
}

function notResolved(what: string, hint: string, issue: Issue): CertifyError {
  return new CertifyError({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    operation: 'ledger.resolve',
    message: `ledger.resolve: ${what}. Nothing was changed.`,
    hint,
    issues: [issue],
  })
}
