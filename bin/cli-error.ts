import type { CertifyError } from '../src/index.ts'

/** An answer to a question: its text, and the words of the command line that say the same. */
export type Choice = readonly [label: string, ...words: readonly string[]]

/** What a person at a terminal is asked instead of ending with an error. */
export interface Ask {
  readonly text: string
  /** `targets`: the packages and quizzes that the service lists. */
  readonly choices: readonly Choice[] | 'targets'
}

export interface CliErrorFacts {
  /** Default: `USAGE`. */
  readonly code?: string
  /** Default: 2. */
  readonly exitCode?: ExitCode
  /** What must not be lost: printed in full. */
  readonly partial?: unknown
  /** Details for people, one line each, below the message. */
  readonly lines?: readonly string[]
  /** Further fields of its JSON object. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly ask?: Ask | undefined
}

/** A failure that the CLI itself finds or reports: what happened, and how to fix it. */
export class CliError extends Error {
  readonly hint: string
  readonly code: string
  readonly exitCode: ExitCode
  readonly partial: unknown
  readonly lines: readonly string[]
  readonly details: Readonly<Record<string, unknown>>
  readonly ask: Ask | undefined

  constructor(
    message: string,
    hint: string,
    { code = 'USAGE', exitCode = 2, partial, lines = [], details = {}, ask }: CliErrorFacts = {},
  ) {
    super(message)
    this.hint = hint
    this.code = code
    this.exitCode = exitCode
    this.partial = partial
    this.lines = lines
    this.details = details
    this.ask = ask
  }
}

export function configError(message: string, hint: string, exitCode: ExitCode = 2): CliError {
  return new CliError(message, hint, { code: 'CONFIG_INVALID', exitCode })
}

export function notFoundError(message: string, hint: string): CliError {
  return new CliError(message, hint, { code: 'NOT_FOUND', exitCode: 5 })
}

/** A server cannot listen. `takenHint` says what to do if something listens there already. */
export function cannotListen(error: unknown, port: number, host: string | undefined, takenHint: string): CliError {
  const code = systemCode(error)
  return new CliError(
    `cannot listen on port ${port}${host === undefined ? '' : ` of ${host}`} (${code}).`,
    code === 'EADDRINUSE'
      ? takenHint
      : 'Choose another --port, or 0 for a free one. --host must be an address of this machine.',
  )
}

/** The code of an error of the system or the SDK, as in `ENOENT`; `undefined` for an error without one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** {@link codeOf}, for use in a message. */
export function systemCode(error: unknown): string {
  return codeOf(error) ?? 'unknown reason'
}

const EXIT_CODES = {
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
    case 'WRONG_SERVICE':
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
