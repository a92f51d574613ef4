import { type CertifyError, type CertifyErrorCode, isCertifyError } from '../index.ts'
import { isIdentifier } from '../option-rules.ts'
import { inputInvalid, optionsInvalid } from '../refusals.ts'
import { attemptsOf, MOST_CHARACTERS } from './rules/attempts.ts'
import type { LedgerEntry, LedgerInvite, LedgerScope, SendInput } from './rules/entry.ts'
import { inProgress, isReferenceUsed, priorUnknown, referenceUsed } from './rules/errors.ts'
import { issuesOf } from './rules/input.ts'
import { emailKey, idKey } from './rules/key.ts'
import { settlementOf, settlementOfFailure } from './rules/outcome.ts'
import type { Created } from './send-recorder.ts'
import { type GuardedCallOptions, type GuardedClient, guardOf } from './with-ledger.ts'

/** The options of {@link createOnce}. */
export interface CreateOnceOptions extends GuardedCallOptions {
  /**
   * The identifier of this unit of work, as of a job. Made when the job is added, and the same for each delivery of it. 1 to
   * 120 letters, digits and `_.+=-`. Never that of another job, also of another queue.
   */
  readonly reference: string
}

/**
 * What became of a unit of work.
 *
 * - `created`: the invites exist, by this call or an earlier one. Those that a person recorded, or that are known only from
 *   an event, have no link.
 * - `retry`: this call created nothing, and the cause may pass: no credentials, no connection, a rate limit, a ledger that
 *   cannot be used, or another delivery that is being sent. Deliver it again later.
 * - `refused`: nothing was created, and the same again would end the same.
 * - `unknown`: something may have been created. A person has to find out, and to resolve the entry. Until then each delivery
 *   ends so.
 */
export type CreatedOnce =
  | { readonly status: 'created'; readonly invites: readonly LedgerInvite[]; readonly error?: undefined }
  | { readonly status: 'retry' | 'refused' | 'unknown'; readonly error: CertifyError; readonly invites?: undefined }

/**
 * A create that may be called again with the same reference, as by a queue that delivers a job more than once. It sends
 * nothing if the ledger has what became of an earlier call: whoever ended it, and whatever the options are.
 *
 * If the entry of the reference shows that nothing was created, it is sent again, as `<reference>+2`, `+3` and so on.
 *
 * @param guarded a client of {@link withLedger}
 * @param input of an invite or a package invite
 * @throws an error that is no CertifyError. It may be called again after that too
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`: the client has no ledger
 * @example
 * ```ts
 * const { status, invites, error } = await createOnce(guarded, { quizId, candidate }, { reference: job.id })
 * if (status === 'retry') throw error // the queue delivers the job again
 * ```
 */
export async function createOnce(
  guarded: GuardedClient,
  input: SendInput,
  options: CreateOnceOptions,
): Promise<CreatedOnce> {
  const { ledger, scope } = guardOf(guarded, 'createOnce')
  const operation = 'packageId' in input ? 'packageInvites.create' : 'invites.create'
  try {
    checkReference(operation, options.reference)
    const issues = issuesOf(input)
    if (issues.length > 0) throw inputInvalid(operation, issues)
    for (;;) {
      const { last, next } = await attemptsOf(ledger, options.reference)
      if (last !== undefined) {
        if (!isSame(last, input, scope)) throw referenceUsed(operation, last.reference)
        if (last.state === 'created') return { status: 'created', invites: last.invites }
        if (last.state === 'unknown') throw priorUnknown(operation, [last], ledger.clock.now())
        if (last.state === 'sending') throw inProgress(operation, [last], ledger.clock.now())
      }
      const result = await send(guarded, input, { ...options, reference: next }).catch(unlessReferenceUsed)
      if (result !== undefined) return { status: 'created', invites: settlementOf(result, ledger.clock.now()).invites }
    }
  } catch (error) {
    return failed(error, ledger.clock.now())
  }
}

/* Without one, each delivery would be a new unit of work. */
function checkReference(operation: string, reference: unknown): void {
  if (isIdentifier(reference) && reference.length <= MOST_CHARACTERS) return
  const rule = `must be 1 to ${MOST_CHARACTERS} letters, digits and _.+=-`
  throw optionsInvalid(operation, [{ path: 'reference', rule }])
}

function send(guarded: GuardedClient, input: SendInput, options: CreateOnceOptions): Promise<Created> {
  return 'packageId' in input ? guarded.packageInvites.create(input, options) : guarded.invites.create(input, options)
}

/* Another delivery has claimed the reference since it was looked up: its entry decides. */
function unlessReferenceUsed(error: unknown): undefined {
  if (!isReferenceUsed(error)) throw error
}

/** Whether an entry is of this unit of work: the same candidate, and the same quiz or package. Names and callback URLs may change. */
export function isSame(entry: LedgerEntry, input: SendInput, { baseUrl, account, world }: LedgerScope): boolean {
  return (
    emailKey(entry.input.candidate.email) === emailKey(input.candidate.email) &&
    entry.quizId === ('quizId' in input ? idKey(input.quizId) : undefined) &&
    entry.packageId === ('packageId' in input ? idKey(input.packageId) : undefined) &&
    entry.baseUrl === baseUrl &&
    entry.account === account &&
    entry.world === world
  )
}

function failed(error: unknown, now: number): CreatedOnce {
  if (!isCertifyError(error)) throw error
  const settlement = settlementOfFailure(error, now)
  if (settlement.state === 'created') return { status: 'created', invites: settlement.invites }
  if (settlement.state === 'unknown' || error.code === 'PRIOR_OUTCOME_UNKNOWN') return { status: 'unknown', error }
  return { status: PASSING.has(error.code) ? 'retry' : 'refused', error }
}

/* Causes that lie neither in the input nor in the settings. */
const PASSING: ReadonlySet<CertifyErrorCode> = new Set([
  'CREDENTIALS_UNAVAILABLE',
  'UNREACHABLE',
  'ABORTED',
  'TIMED_OUT',
  'RATE_LIMITED',
  'IN_PROGRESS',
  'LEDGER_UNUSABLE',
  'CLOCK_SKEW',
])
