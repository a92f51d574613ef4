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

/** A check that found nothing wrong. */
export function pass(check: string, found: string): Finding {
  return { check, state: 'pass', found }
}

/** A check that failed. */
export function fail(check: string, found: string, hint: string, exitCode: ExitCode): Finding {
  return { check, state: 'fail', found, hint, exitCode }
}
