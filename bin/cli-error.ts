import type { ExitCode } from './exit-codes.ts'

/** A failure that the CLI itself finds or reports. */
export class CliError extends Error {
  readonly code: string
  readonly hint: string
  readonly exitCode: ExitCode
  /** What must not be lost: printed in full. */
  readonly partial: unknown

  constructor(what: {
    readonly code?: string
    readonly message: string
    readonly hint: string
    readonly exitCode?: ExitCode
    readonly partial?: unknown
  }) {
    super(what.message)
    this.code = what.code ?? 'USAGE'
    this.hint = what.hint
    this.exitCode = what.exitCode ?? 2
    this.partial = what.partial
  }
}
