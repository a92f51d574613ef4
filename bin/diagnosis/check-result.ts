import type { ExitCode } from '../exit-codes.ts'

export interface CheckResult {
  readonly check: string
  readonly state: 'pass' | 'warn' | 'fail'
  readonly found: string
  readonly hint?: string
  /** The exit code if this is the first check that failed. */
  readonly exitCode?: ExitCode
}

export function pass(check: string, found: string): CheckResult {
  return { check, state: 'pass', found }
}

export function warn(check: string, found: string, hint?: string): CheckResult {
  return { check, state: 'warn', found, ...(hint !== undefined && { hint }) }
}

export function fail(check: string, found: string, hint: string, exitCode: ExitCode): CheckResult {
  return { check, state: 'fail', found, hint, exitCode }
}
