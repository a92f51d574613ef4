import type { ExitCode } from './exit-codes.ts'

/** Something that the CLI itself refuses before anything is sent. */
export class UsageError extends Error {
  readonly code: string
  readonly hint: string
  readonly exitCode: ExitCode

  constructor(what: {
    readonly code?: string
    readonly message: string
    readonly hint: string
    readonly exitCode?: ExitCode
  }) {
    super(what.message)
    this.code = what.code ?? 'USAGE'
    this.hint = what.hint
    this.exitCode = what.exitCode ?? 2
  }
}
