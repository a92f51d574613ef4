import { CertifyError, type PriorRecord, refusal } from '../../errors.ts'
import type { SendOptions } from '../../transport/call.ts'
import type { Blocking, LedgerRecord, LedgerScope } from './model.ts'
import { LINK_LIFETIME_MS } from './key.ts'

/** Whether the recorded invite can be returned for the new input. */
export interface Reuse {
  readonly canReuse: boolean
  /** The fields that prevent it; empty if the invite is not fully recorded. */
  readonly differing: readonly string[]
  /** For a package of which only some quizzes have an invite: the others. */
  readonly missingQuizIds?: readonly string[]
  readonly hasExpired?: Blocking['hasExpired']
}

/** There is an open invite. Without `reuse` the caller cannot return the recorded one. */
export function alreadyInvited(
  operation: string,
  records: readonly LedgerRecord[],
  now: number,
  reuse?: Reuse,
  reference?: string,
): CertifyError {
  const prior = records.map((record) => priorOf(record, now))
  const invites = prior.flatMap((record) => record.invites)
  const which = invites.map(({ inviteId, expiresAt }) => `${inviteId}, open until ${expiresAt}`).join('; ')
  const age = describeAge(Math.min(...prior.map(({ ageMs }) => ageMs)))
  const details = which === '' ? `sent ${age}; its id is not recorded` : `${which}; sent ${age}`
  const { differing: fields = [], missingQuizIds = [] } = reuse ?? {}
  const difference = fields.length === 0 ? '' : ` It differs in ${fields.join(', ')}.`
  const missing =
    missingQuizIds.length === 0 ? '' : ` It covers only a part of the package, without ${missingQuizIds.join(', ')}.`
  return refusal({
    code: 'ALREADY_INVITED',
    operation,
    reference,
    message: `${operation}: the ledger already has an invite for this candidate (${details}).${difference}${missing} Nothing was sent.`,
    hint: alreadyInvitedHint(reuse),
    issues: fields.map((path) => ({ path, rule: 'differs from the input of the recorded invite' })),
    prior,
    missingQuizIds,
  })
}

function alreadyInvitedHint(reuse: Reuse | undefined): string {
  if (reuse === undefined) return LINK_MAY_BE_USED
  const { canReuse, differing, missingQuizIds = [], hasExpired } = reuse
  if (hasExpired === true) return `By the service's clock it is still open. ${SET_CLOCK}.`
  if (missingQuizIds.length > 0) return 'Create a single invite for each quiz without one: see `missingQuizIds`.'
  if (canReuse) {
    return `${LINK_MAY_BE_USED} ifInvited: "reuse" returns the recorded invite, "create" sends another.`
  }
  if (differing.length > 0) return 'An open invite covers it: see `prior`. ifInvited: "create" sends another.'
  return 'The candidate has an invite, but its id or its link is not recorded, so it cannot be returned.'
}

const LINK_MAY_BE_USED = 'The ledger may not know whether the link of that invite was used.'

/**
 * The account belongs to another service, so its invites might be sent a second time. Sooner or later, a person moves the account or
 * restarts this process, so a queue may try again.
 *
 * @param service where it belongs now, and where it was before
 */
export function wrongService(
  path: string,
  account: string,
  { baseUrl, former }: { readonly baseUrl: string; readonly former: readonly { baseUrl: string; until: string }[] },
  asked: string,
): CertifyError {
  const left = former.findLast((each) => each.baseUrl === asked)
  const where = left === undefined ? `belongs to ${baseUrl}` : `has moved to ${baseUrl} on ${left.until}`
  return refusal({
    code: 'WRONG_SERVICE',
    retryable: true,
    message: `In the ledger ${path} the account “${account}” ${where}, and this client is for ${asked}. Nothing was sent.`,
    hint:
      left === undefined
        ? `If ${asked} is another service, give it an account of its own. If the service has moved there, say so with ` +
          `ledger.move, or \`certify ledger move --account ${account} --to ${asked}\`.`
        : `Restart this process with ${baseUrl}. What is recorded is still answered.`,
  })
}

/** The caller's own reference belongs to another create. `scope` is where this one would be sent. */
export function referenceConflict(
  operation: string,
  record: LedgerRecord,
  fields: readonly string[],
  now: number,
  scope: Pick<LedgerScope, 'baseUrl' | 'world'>,
): CertifyError {
  /* An account must not learn of the candidates of another. */
  const isForeign = fields.includes('account')
  const prior = isForeign ? [] : [priorOf(record, now)]
  const isElsewhere = fields.includes('world') && !isForeign
  const others = isElsewhere ? fields.filter((field) => field !== 'world') : fields
  const differs = others.length === 0 ? '' : `, which differs in ${others.join(', ')}`
  const where = isElsewhere ? `, recorded for ${placesOf(record, scope)}` : ''
  return refusal({
    code: 'REFERENCE_CONFLICT',
    operation,
    reference: record.reference,
    message: `${operation}: the reference ${record.reference} belongs to another create${where}${differs}. Nothing was sent.`,
    hint: isElsewhere
      ? record.world === ''
        ? 'Keep this ledger, and use another one here: what is tried with a mock needs a ledger of its own.'
        : 'Use another ledger here, or another reference.'
      : `A reference belongs to one create.${prior.length > 0 ? ' `prior` says what became of it.' : ''} Use another one for a different input.`,
    issues: fields.map((path) => ({ path, rule: 'differs from the create that is recorded with this reference' })),
    prior,
  })
}

function placesOf(record: Pick<LedgerScope, 'baseUrl' | 'world'>, asked: typeof record): string {
  if (record.world !== '' && asked.world !== '') return 'another mock, or for an earlier run of this one'
  return record.world === '' ? `${record.baseUrl}, not for this mock` : `a mock, not for ${asked.baseUrl}`
}

/** An earlier create has an unknown outcome. */
export function priorUnknown(
  operation: string,
  records: readonly LedgerRecord[],
  now: number,
  reference?: string,
): CertifyError {
  const prior = records.map((record) => priorOf(record, now))
  const earlier = prior.map((each) => `${each.reference}, sent at ${each.sentAt}`).join('; ')
  const lapsed = prior.every(({ ageMs }) => ageMs >= LINK_LIFETIME_MS) ? ' Its link would have expired.' : ''
  return refusal({
    code: 'PRIOR_OUTCOME_UNKNOWN',
    operation,
    reference,
    message: `${operation}: an earlier request for this candidate may have created an invite (${earlier}).${lapsed} Nothing was sent.`,
    hint: 'Ask the candidate or the service whether the invite with that reference and time exists, then record the result: resolve(reference, …).',
    prior,
  })
}

/** Another call is sending to the same candidate. */
export function inProgress(
  operation: string,
  records: readonly LedgerRecord[],
  now: number,
  reference?: string,
): CertifyError {
  const prior = records.map((record) => priorOf(record, now))
  return refusal({
    code: 'IN_PROGRESS',
    operation,
    reference,
    message: `${operation}: another call is inviting this candidate. Nothing was sent by this call.`,
    hint: 'Call again to get the result of that call.',
    retryable: true,
    prior,
  })
}

/** A response has an invite that the ledger has for another candidate or quiz. */
export function responseMismatched(operation: string, reference: string): CertifyError {
  return new CertifyError({
    code: 'RESPONSE_MISMATCHED',
    outcome: 'unknown',
    operation,
    reference,
    message: `${operation}: the response belongs to another request: the ledger has recorded its invite for another candidate or quiz.`,
    hint: 'An invite may have been created: check with the service. Send nothing more until you know what mixes up the responses.',
  })
}

/**
 * The ledger cannot be used. It cannot record, so nothing is sent.
 *
 * @param until whether that may end while it is open, as on a full disk. `for good`: it was closed, damaged or replaced
 */
export function ledgerUnusable(what: string, hint: string, until?: 'for good'): CertifyError {
  const message = `The ledger cannot be used: ${what}.`
  const error = refusal({ code: 'LEDGER_UNUSABLE', message, hint, retryable: true })
  if (until !== undefined) PERMANENT.add(error)
  return error
}

/** Errors of a ledger that waiting does not mend. */
export const PERMANENT: Pick<WeakSet<Error>, 'add' | 'has'> = new WeakSet()

/** The caller's signal or the deadline ended a call while it waited for the ledger. */
export function endedBeforeSending(
  operation: string,
  isAborted: boolean,
  { reference, signal }: SendOptions,
): CertifyError {
  return refusal({
    code: isAborted ? 'ABORTED' : 'TIMED_OUT',
    phase: 'not-sent',
    operation,
    reference,
    message: `${operation}: ${isAborted ? 'the call was aborted before it was sent' : 'the time ran out before the request was sent'}.`,
    hint: 'Nothing was sent, so you may call again. If this happens often, find out what holds up the ledger.',
    retryable: !isAborted,
    cause: signal?.reason,
  })
}

/** The clock is too far behind the newest record. */
export function clockBehind(path: string, now: number, latest: number): CertifyError {
  return refusal({
    code: 'CLOCK_SKEW',
    message:
      `The clock is behind: it says ${inUtc(now)}, but the newest record of the ledger ${path} is from ${inUtc(latest)}. ` +
      'Nothing was sent.',
    hint:
      `${SET_CLOCK}. If it is right, the newest record was recorded with a wrong one: send once with --allow-clock-skew, ` +
      'or `allowClockSkew`.',
  })
}

const SET_CLOCK = 'Set the clock of this machine or, with Postgres, of the database'

/** The flag that makes a command in a hint use this file. */
export function ledgerFlag(path: string): string {
  return `--ledger ${/^[\w./:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`
}

function inUtc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function priorOf(record: LedgerRecord, now: number): PriorRecord {
  const { reference, state, sentAt, quizId, packageId, campaign, row } = record
  const invites = record.invites.map((invite) => ({
    inviteId: invite.inviteId,
    quizId: invite.quizId ?? quizId,
    expiresAt: invite.expiresAt,
  }))
  const ageMs = Math.max(0, now - Date.parse(sentAt))
  return { reference, state, sentAt, ageMs, invites, quizId, packageId, campaign, row }
}

function describeAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes === 0) return 'just now'
  if (minutes < 120) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}
