import type { CertifyError } from '../src/index.ts'

export const EXIT_CODES = {
  0: 'done (an empty list and a dry run too)',
  1: 'an unexpected error in the program itself',
  2: 'wrong usage, invalid input, file or configuration: nothing was sent',
  3: 'bulk, or invites resolve of several: some rows are invalid, or were refused, failed, not started or partly invited',
  4: 'there is no key, the key is not accepted, or it lacks the scope',
  5: 'the service or the ledger refused it, or something does not exist: nothing was created',
  6: 'the outcome is unknown, or an invite exists but the response was not complete: do not repeat a create until somebody has checked',
  7: 'no connection, a redirect, a rate limit, or a query without a usable response: nothing was created',
  129: 'interrupted by SIGHUP; if a create was already sent, 6 instead (bulk: 129, because its ledger has the create)',
  130: 'interrupted by SIGINT; if a create was already sent, 6 instead (bulk: 130, because its ledger has the create)',
  143: 'interrupted by SIGTERM; if a create was already sent, 6 instead (bulk: 143, because its ledger has the create)',
} as const

/** `mock exec` also has the codes of a shell that cannot run a command. */
export type ExitCode = keyof typeof EXIT_CODES | 126 | 127

export function exitCodeOf(error: CertifyError, interruption: AbortSignal): ExitCode {
  if (error.outcome !== 'not-executed') return 6
  switch (error.code) {
    case 'CONFIG_INVALID':
    case 'INPUT_INVALID':
    case 'LEDGER_UNUSABLE':
    case 'CLOCK_SKEW':
      return 2
    case 'CREDENTIALS_UNAVAILABLE':
    case 'UNAUTHENTICATED':
    case 'FORBIDDEN':
      return 4
    case 'BAD_USER_INPUT':
    case 'NOT_FOUND':
    case 'API_ERROR':
    case 'REFERENCE_CONFLICT':
    case 'ALREADY_INVITED':
    case 'PRIOR_OUTCOME_UNKNOWN':
    case 'IN_PROGRESS':
      return 5
    case 'SERVICE_UNAVAILABLE':
    case 'UNREACHABLE':
    case 'TIMED_OUT':
    case 'CONNECTION_LOST':
    case 'RATE_LIMITED':
    case 'REDIRECT_REFUSED':
    case 'SERVER_FAULT':
    case 'RESPONSE_UNREADABLE':
    case 'RESPONSE_UNEXPECTED':
    case 'RESPONSE_MISMATCHED':
      return 7
    case 'ABORTED':
      return exitCodeOfSignal(interruption)
    default:
      return 1
  }
}

export function exitCodeOfSignal({ reason }: AbortSignal): 129 | 130 | 143 {
  if (reason === 'SIGHUP') return 129
  return reason === 'SIGTERM' ? 143 : 130
}
