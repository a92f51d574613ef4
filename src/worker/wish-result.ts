import type { CertifyError } from '../index.ts'
import { backOffMs } from '../campaign/failed-send.ts'
import type { Found } from '../campaign/progress.ts'
import type { RowStatus } from '../campaign/row.ts'
import { isAttemptOf } from '../ledger/rules/attempts.ts'
import { isSame } from '../ledger/create-once.ts'
import type { TakenWish } from '../ledger/postgres/wish-queue.ts'
import type { Wish } from '../ledger/postgres/wish.ts'
import type { LedgerEntry, LedgerInvite, LedgerScope } from '../ledger/rules/entry.ts'
import { referenceUsed } from '../ledger/rules/errors.ts'
import type { WishEvent } from './worker-options.ts'

/** What became of a wish. */
export interface WishResult extends Pick<WishEvent, 'state'> {
  readonly entry?: string | undefined
  readonly invites?: readonly LedgerInvite[] | undefined
  readonly code?: CertifyError['code'] | undefined
  readonly error?: CertifyError | undefined
  /** When it is due again, in milliseconds. Set if it is `waiting`. */
  readonly dueInMs?: number | undefined
}

/**
 * What an earlier attempt of a wish says about it; `undefined` if it may be sent.
 *
 * @param scope in the spelling of keys
 * @param isFirst whether this worker has made no attempt of its own since it took the wish
 */
export function resultOfEntry(
  { wish, wasSending }: TakenWish,
  entry: LedgerEntry,
  { scope, isFirst }: { readonly scope: LedgerScope; readonly isFirst: boolean },
): WishResult | undefined {
  const { reference, state, invites, code } = entry
  if (!isSame(entry, wish.input, scope)) {
    return { state: 'failed', error: referenceUsed('ledger.enqueue', wish.reference) }
  }
  if (state === 'created') return { state, entry: reference, invites }
  if (state === 'unknown') return { state, entry: reference, code }
  if (state === 'sending') return { state: 'waiting', dueInMs: SOON_MS }
  /* Its worker ended between the two records. Otherwise somebody wants it to be sent again. */
  return state === 'refused' && wasSending && isFirst ? { state, entry: reference, code } : undefined
}

/** What the outcome of a send says about a wish. */
export function resultOfSend(
  { reference, tries }: Wish,
  status: RowStatus,
  { invites, error, entries = [], ...found }: Found,
): WishResult {
  const own = entries.find((entry) => isAttemptOf(entry.reference, reference))
  const entry = found.reference ?? own?.reference ?? entries.at(-1)?.reference
  const known = entries.flatMap((each) => each.invites)
  switch (status) {
    case 'created':
      return { state: 'created', entry, invites: invites ?? [], error }
    case 'already_invited':
    case 'partly_invited':
    case 'duplicate':
      return own === undefined
        ? { state: 'already_invited', entry, invites: known, code: 'ALREADY_INVITED', error }
        : { state: 'created', entry, invites: own.invites }
    case 'unknown':
      return { state: 'unknown', entry, error }
    case 'refused':
      return { state: 'refused', entry, error }
    case 'rejected':
    case 'failed':
      break
  }
  if (!mayPass(error)) return { state: 'failed', entry, error }
  return { state: 'waiting', dueInMs: error.retryAfterMs ?? dueInMs(error, tries), error }
}

/* Proven not to have been executed, and another time it may be. */
function mayPass(error: CertifyError | undefined): error is CertifyError {
  return error !== undefined && (error.retryable || isTakenElsewhere(error))
}

/* This attempt is being made by another worker. */
function isTakenElsewhere({ code, issues }: CertifyError): boolean {
  return code === 'CONFIG_INVALID' && issues.some(({ path }) => path === 'reference')
}

function dueInMs(error: CertifyError, tries: number): number {
  return isTakenElsewhere(error) ? SOON_MS : backOffMs(tries)
}

const SOON_MS = 1_000

/** The same candidate is being sent something by another process. */
export const TAKEN_ELSEWHERE: WishResult = { state: 'waiting', dueInMs: SOON_MS }
