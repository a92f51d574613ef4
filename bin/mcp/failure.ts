import { type CertifyError, type CertifyErrorCode, isCertifyError } from '../../src/index.ts'
import { CliError } from '../cli-error.ts'
import { wordError } from '../terminal/error-wording.ts'

/** A failure as a tool returns it: the code and the outcome as everywhere, the words for an agent. */
export interface Failure {
  readonly code: string
  readonly outcome: CertifyError['outcome']
  readonly message: string
  readonly hint: string
  /** What the service says itself. */
  readonly apiMessages?: readonly string[]
  readonly possibleReasons?: readonly string[]
}

/** Words that keep an agent from trying again. */
export const DO_NOT_SEND_AGAIN =
  'Do not send it again, in any way: the candidate may have an invite already. A person has to find out, and record it.'

export function failureOf(error: unknown): Failure {
  if (isCertifyError(error)) return ofClient(error)
  if (error instanceof CliError) {
    const { code, message, hint } = error
    return { code, outcome: 'not-executed', message, hint }
  }
  const message = `An unexpected fault of certify itself: ${String(error)}`
  return { code: 'INTERNAL', outcome: 'unknown', message, hint: DO_NOT_SEND_AGAIN }
}

function ofClient(error: CertifyError): Failure {
  const { code, outcome, apiMessages, possibleReasons } = error
  const worded = wordError(error)
  return {
    code,
    outcome,
    /* The words for a terminal name flags in place of fields. */
    message: code === 'INPUT_INVALID' ? error.message : worded.message,
    hint: hintOf(error) ?? worded.hint,
    ...(apiMessages.length > 0 && { apiMessages }),
    ...(possibleReasons.length > 0 && { possibleReasons }),
  }
}

function hintOf({ code, outcome }: CertifyError): string | undefined {
  if (outcome === 'unknown') return DO_NOT_SEND_AGAIN
  if (outcome === 'executed') return 'It was created: do not send it again. The ledger has what came: see view_invite.'
  return HINTS[code]
}

/* In place of hints that name flags, or other ways to send. */
const HINTS: Partial<Record<CertifyErrorCode, string>> = {
  ALREADY_INVITED: 'Do not invite this candidate again. view_invite shows the recorded invite.',
  PRIOR_OUTCOME_UNKNOWN: DO_NOT_SEND_AGAIN,
  IN_PROGRESS:
    'Another call is inviting this candidate: do not send it again. list_invites shows the result in a few seconds.',
  INPUT_INVALID: 'Correct the arguments.',
}
