import type { ExitCode } from '../exit-codes.ts'

/** What one check of `certify doctor` found. */
export interface Finding {
  readonly check: string
  readonly state: 'pass' | 'warn' | 'fail'
  readonly found: string
  /** What to do about it. */
  readonly hint?: string
  /** How the program ends where this is the first that failed. */
  readonly exitCode?: ExitCode
}
