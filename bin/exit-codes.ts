import type { CertifyError } from '../src/index.ts'

export const EXIT_CODES = {
  0: 'done (an empty list and a dry run too)',
  1: 'an unexpected fault of the program itself',
  2: 'wrong usage, invalid input, file or configuration: nothing was sent',
  3: 'bulk finished, but some rows failed or were refused',
  4: 'no key, key not accepted, or it lacks the scope',
  5: 'the service said no, or the ledger did, or there is no such thing: nothing was created',
  6: 'the outcome is unknown, or it was created and its answer was lost: do not repeat blindly',
  7: 'could not be reached, refused with a redirect, kept limiting, or a read failed: nothing was created',
  130: 'interrupted by SIGINT (6 where a create had been sent; not of bulk, whose ledger has it)',
  143: 'interrupted by SIGTERM (6 where a create had been sent; not of bulk, whose ledger has it)',
} as const

/** `mock exec` also has the codes of a shell that cannot run a command. */
export type ExitCode = keyof typeof EXIT_CODES | 126 | 127

export function exitCodeOf(error: CertifyError, interruption: AbortSignal): ExitCode {
  if (error.outcome !== 'not-executed') return 6
  switch (error.code) {
    case 'CONFIG_INVALID':
    case 'INPUT_INVALID':
    case 'LEDGER_UNUSABLE':
      return 2
    case 'UNAUTHENTICATED':
    case 'FORBIDDEN':
      return 4
    case 'BAD_USER_INPUT':
    case 'NOT_FOUND':
    case 'API_ERROR':
    case 'ALREADY_INVITED':
    case 'PRIOR_OUTCOME_UNKNOWN':
      return 5
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

export function exitCodeOfSignal({ reason }: AbortSignal): 130 | 143 {
  return reason === 'SIGTERM' ? 143 : 130
}
