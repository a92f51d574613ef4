import { inputInvalid } from '../../errors.ts'
import { boolean, closedOptions, once, option, optional, rule, string, validate, within } from '../../validation.ts'
import type { Purge } from './ledger.ts'

/** A misspelt `dryRun` must not remove anything. @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function checkPurge(given: Purge): void {
  const { issues } = validate(purge(), given)
  if (issues !== undefined) throw inputInvalid('ledger.purge', issues)
}

const purge = once(() =>
  closedOptions(
    {
      email: optional(string()),
      olderThanMs: option((value) => within(value, 0, Number.MAX_SAFE_INTEGER), 'must be milliseconds, 0 or more'),
      dryRun: optional(boolean('must be true or false')),
    },
    rule<Partial<Record<'email' | 'olderThanMs', unknown>>>(
      ({ email, olderThanMs }) => (email === undefined) !== (olderThanMs === undefined),
      'must have one of `email` and `olderThanMs`',
    ),
  ),
)
