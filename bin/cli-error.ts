import type { ExitCode } from './exit-codes.ts'

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
