import type { CertifyError } from '../src/index.ts'

/** An answer to a question: its text, and the words of the command line that say the same. */
export type Choice = readonly [label: string, ...words: readonly string[]]

/** What a person at a terminal is asked instead of ending with an error. */
export interface Ask {
  readonly text: string
  /** `targets`: the packages and quizzes that the service lists. */
  readonly choices: readonly Choice[] | 'targets'
}

/** A failure that the CLI itself finds or reports: what happened, and how to fix it. */
export class CliError extends Error {
  readonly hint: string
  readonly code: string = 'USAGE'
  readonly exitCode: ExitCode = 2
  /** What must not be lost: printed in full. */
  readonly partial: unknown
  /** Details for people, one line each, below the message. */
  readonly lines: readonly string[] = []
  /** Further fields of its JSON object. */
  readonly details: Readonly<Record<string, unknown>> = {}
  readonly ask: Ask | undefined

  constructor(message: string, hint: string, facts: Partial<Omit<CliError, keyof Error | 'hint'>> = {}) {
    super(message)
    this.hint = hint
    Object.assign(this, facts)
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

/** What each means is in docs/bulk.md. `mock exec` has 126 and 127, too, as a shell that cannot run a command. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 126 | 127 | 129 | 130 | 143

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
