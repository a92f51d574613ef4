import type { CertifyError, CertifyErrorDetails } from '../../src/index.ts'
import type { LedgerError } from '../../src/ledger/index.ts'
import type { LedgerPlace } from '../config/ledger.ts'

/** The flags that a hint's command needs to use the same profile and ledger; empty if it finds them without. */
export function ledgerFlag({ flag, profileFlag }: LedgerPlace): string {
  return profileFlag + (flag === undefined ? '' : ` --ledger ${quoted(flag)}`)
}

function quoted(path: string): string {
  return /^[\w./:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** The command that resolves an unknown send, without {@link resolveFlags}. */
export function resolveCommand(reference: string | undefined, place: LedgerPlace): string {
  return `certify invites resolve ${reference ?? '<reference>'}${ledgerFlag(place)}`
}

/** The two ways to complete {@link resolveCommand}. */
export function resolveFlags(command: string): string {
  return `\`${command} --created <invite-id>\`, or --not-created`
}

/** The sentences for a send whose end the ledger could not record. */
export function unrecorded(error: CertifyError, command: string): string {
  return `The ledger could not record how it ended, and will call it unknown. ${error.message} Resolve it: ${resolveFlags(command)}.`
}

/** The sentence for a send that was recorded after its lease had ended. */
export const RECORDED_LATE =
  'The ledger recorded it after its lease had ended, and it counted as unknown until then: check whether somebody resolved ' +
  'it, or sent it again.'

/**
 * The failure of a create with a ledger, with hints in the words of the command line.
 *
 * @param call `isReuse`: --if-invited reuse is set. `unsettled`: why the ledger could not record how the send ended. `isLate`:
 *   it recorded that late
 */
export async function withCommandHints(
  error: unknown,
  place: LedgerPlace,
  {
    isReuse,
    unsettled,
    isLate,
  }: { readonly isReuse: boolean; readonly unsettled: CertifyError | undefined; readonly isLate: boolean },
): Promise<unknown> {
  const { CertifyError: Failure, isCertifyError } = await import('../../src/index.ts')
  const { LedgerError: LedgerFailure } = await import('../../src/ledger/index.ts')
  if (!isCertifyError(error)) return error
  const { cause, apiMessages, partial, reference } = error
  const viewed = error.prior.at(-1)?.invites[0]?.inviteId
  const command = resolveCommand(reference, place)
  const details: CertifyErrorDetails = {
    ...(error.toJSON() as unknown as CertifyErrorDetails),
    message: [error.message, unsettled && unrecorded(unsettled, command), isLate && RECORDED_LATE]
      .filter(Boolean)
      .join(' '),
    hint: wantsOther(error, isReuse) ? hintOnReuse(error, viewed, place) : hintOf(error, command),
    cause,
    apiMessages,
    partial,
  }
  return error instanceof LedgerFailure ? new LedgerFailure(details, error.prior, error.canReuse) : new Failure(details)
}

/* Whether the recorded invite cannot be printed. */
function wantsOther(error: CertifyError, isReuse: boolean): boolean {
  return error.code === 'ALREADY_INVITED' && (isReuse || !(error as LedgerError).canReuse)
}

function hintOf({ code, outcome, hint }: CertifyError, command: string): string | undefined {
  if (code === 'ALREADY_INVITED') {
    return (
      'The ledger does not know whether that link was used. --if-invited reuse prints the recorded invite, --if-invited ' +
      'create sends another.'
    )
  }
  if (code === 'PRIOR_OUTCOME_UNKNOWN') {
    return (
      'Ask the candidate or the service whether the invite of that reference and time exists. Then resolve it: ' +
      `${resolveFlags(command)}. --if-unknown create sends another anyway.`
    )
  }
  return outcome === 'unknown'
    ? `${hint ?? ''} When you know more, resolve it: ${resolveFlags(command)}.`.trimStart()
    : hint
}

function hintOnReuse({ issues, operation }: CertifyError, inviteId: string | undefined, place: LedgerPlace): string {
  const view = `\`certify invites view ${inviteId ?? '<invite-id>'}${ledgerFlag(place)}\``
  if (operation?.startsWith('packageInvites') === true && issues.some(({ path }) => path === 'packageId')) {
    return (
      `At least one of its skills is invited already: ${view} shows it. Invite to those that are missing one by one. ` +
      '--if-invited create sends all of them, also those again.'
    )
  }
  return issues.length === 0
    ? `It is not recorded completely: ${view} shows it. --if-invited create sends another.`
    : `Repeat it with the recorded values (${view}), or give --if-invited create to send another.`
}
