import type { CertifyError, CertifyErrorDetails } from '../../src/index.ts'
import type { LedgerPlace } from '../config/ledger.ts'

/** What a command has to be given so that it is about the same ledger; empty where it finds it by itself. */
export function ledgerFlag({ path }: LedgerPlace): string {
  if (path.origin !== '--ledger') return ''
  return ` --ledger ${/^[\w./:@%+-]+$/.test(path.value) ? path.value : `'${path.value.replaceAll("'", "'\\''")}'`}`
}

/** The command that resolves a send whose outcome is unknown, but for what was found out. */
export function resolveCommand(reference: string | undefined, place: LedgerPlace): string {
  return `certify invites resolve ${reference ?? '<reference>'}${ledgerFlag(place)}`
}

/**
 * A failure of a create that went through a ledger, with hints in the words of the command line.
 *
 * @param call `isReuse`: a recorded invite was to be reused. `unsettled`: why the ledger could not record how it ended, where
 * that is so
 */
export async function withCommandHints(
  error: unknown,
  place: LedgerPlace,
  { isReuse, unsettled }: { readonly isReuse: boolean; readonly unsettled: CertifyError | undefined },
): Promise<unknown> {
  const { CertifyError: Failure, isCertifyError } = await import('../../src/index.ts')
  const { LedgerError } = await import('../../src/ledger/index.ts')
  if (!isCertifyError(error)) return error
  const { cause, apiMessages, partial, reference } = error
  const viewed = error instanceof LedgerError ? error.prior.at(-1)?.invites[0]?.inviteId : undefined
  const command = resolveCommand(reference, place)
  const details: CertifyErrorDetails = {
    ...(error.toJSON() as unknown as CertifyErrorDetails),
    message: unsettled === undefined ? error.message : `${error.message} ${unrecorded(unsettled, command)}`,
    hint: isReuse && error.code === 'ALREADY_INVITED' ? hintOnReuse(error, viewed, place) : hintOf(error, command),
    cause,
    apiMessages,
    partial,
  }
  return error instanceof LedgerError ? new LedgerError(details, error.prior) : new Failure(details)
}

/** What is said where the ledger could not record how a send ended. */
export function unrecorded(error: CertifyError, command: string): string {
  return `The ledger could not record how it ended, and will call it unknown. ${error.message} Resolve it: ${resolveFlags(command)}.`
}

function hintOf({ code, outcome, hint }: CertifyError, command: string): string | undefined {
  if (code === 'ALREADY_INVITED') {
    return (
      'The ledger cannot know whether that link was used. --if-invited reuse prints the recorded invite, --if-invited ' +
      'create sends another.'
    )
  }
  if (code === 'PRIOR_OUTCOME_UNKNOWN') {
    return (
      'Ask the candidate or the service whether the invite of that reference and time exists. Then resolve it: ' +
      `${resolveFlags(command)}. --if-unknown create sends another all the same.`
    )
  }
  return outcome === 'unknown'
    ? `${hint ?? ''} When you know more, resolve it: ${resolveFlags(command)}.`.trimStart()
    : hint
}

/* It was asked for, and could not be. */
function hintOnReuse({ issues }: CertifyError, inviteId: string | undefined, place: LedgerPlace): string {
  const view = `\`certify invites view ${inviteId ?? '<invite-id>'}${ledgerFlag(place)}\``
  return issues.length === 0
    ? `It is not recorded whole: ${view} shows what is known of it. --if-invited create sends another.`
    : `Repeat it with the recorded values (${view}), or give --if-invited create to send another.`
}

/** How that command is given what was found out. */
export function resolveFlags(command: string): string {
  return `\`${command} --created <invite-id>\`, or --not-created`
}
