import { CertifyError, type Issue } from '../../index.ts'
import type { LedgerEntry } from './entry.ts'
import { entryOf } from './record.ts'
import type { Resolution } from './settling.ts'

/** @throws CertifyError INPUT_INVALID, outcome `not-executed`, if it was not resolved */
export function entryResolved(resolution: Resolution): LedgerEntry {
  if ('send' in resolution) return entryOf(resolution.send)
  throw 'isMismatch' in resolution ? inviteOfAnother() : notUnknown(resolution.state)
}

function notUnknown(state: LedgerEntry['state'] | undefined): CertifyError {
  const what = state === undefined ? 'the ledger has no such reference' : `that create is not unknown, but ${state}`
  return notResolved(what, 'List the state "unknown" to find such references.', {
    path: 'reference',
    rule: 'must belong to a create with an unknown outcome',
  })
}

function inviteOfAnother(): CertifyError {
  return notResolved(
    'that invite is recorded for another candidate or quiz',
    'Look up the invite of this candidate; the list of invites shows whom that one is for.',
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
