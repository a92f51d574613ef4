import type { ExitCode } from './exit-codes.ts'

/** What a {@link CliError} is beside its sentences. */
export interface CliErrorFacts {
  /** Default: `USAGE`. */
  readonly code?: string
  /** Default: 2. */
  readonly exitCode?: ExitCode
  /** What must not be lost: printed in full. */
  readonly partial?: unknown
}

/** A failure that the CLI itself finds or reports: what happened, and what to do. */
export class CliError extends Error {
  readonly hint: string
  readonly code: string
  readonly exitCode: ExitCode
  readonly partial: unknown

  constructor(message: string, hint: string, { code = 'USAGE', exitCode = 2, partial }: CliErrorFacts = {}) {
    super(message)
    this.hint = hint
    this.code = code
    this.exitCode = exitCode
    this.partial = partial
  }
}

/** The code of an error of the system, as in `ENOENT`. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
}
