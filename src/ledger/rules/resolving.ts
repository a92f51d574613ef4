import { CertifyError, inputInvalid, type Issue } from '../../errors.ts'
import {
  boolean,
  closedOptions,
  isString,
  list,
  matchesOptions,
  once,
  optional,
  rule,
  string,
  timeOption,
  validate,
} from '../../validation.ts'
import type { LedgerRecord } from './model.ts'
import type { Finding } from './ledger-types.ts'
import { recordOf } from './record.ts'
import type { Resolution } from './settling.ts'

/** A misspelt finding must not count as another one. @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function checkFinding(given: Finding): void {
  const { issues } = validate(finding(), given)
  if (issues !== undefined) throw inputInvalid('ledger.resolve', issues)
}

const finding = once(() =>
  matchesOptions<Finding>()(
    closedOptions(
      {
        created: optional(rule((ids) => [ids].flat().every(isId), 'must be the id of an invite, or a list of ids')),
        challengeUrls: optional(list(rule(isLink, 'must be a link, as in https://…'))),
        notCreated: optional(boolean('must be true')),
        undo: optional(boolean('must be true')),
        of: timeOption(),
        by: optional(string()),
        note: optional(string()),
      },
      rule<Partial<Record<'created' | 'challengeUrls' | 'notCreated' | 'undo', unknown>>>(
        ({ created, challengeUrls, notCreated, undo }) =>
          [created !== undefined, notCreated, undo].filter(Boolean).length === 1 &&
          (created !== undefined || challengeUrls === undefined),
        'must be one of `created`, perhaps with `challengeUrls`, `notCreated: true` and `undo: true`',
      ),
    ),
  ),
)

function isId(id: unknown): boolean {
  return isString(id) && id.trim() !== '' && !isLink(id)
}

/* A link is a secret, and an id is not. */
function isLink(text: unknown): boolean {
  return isString(text) && /^\s*https?:/i.test(text)
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed`, if it was not resolved */
export function recordResolved(resolution: Resolution): LedgerRecord {
  if ('record' in resolution) return recordOf(resolution.record)
  const { what, hint, ...issue } = reasonOf(resolution)
  throw new CertifyError({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    operation: 'ledger.resolve',
    message: `ledger.resolve: ${what}. Nothing was changed.`,
    hint,
    issues: [issue],
  })
}

function reasonOf(
  resolution: Exclude<Resolution, { readonly record: unknown }>,
): Issue & Record<'what' | 'hint', string> {
  if ('isMismatch' in resolution) {
    return {
      what: 'that invite is recorded for another candidate or quiz',
      hint: 'Look up the invite of this candidate; the list of invites shows whom that one is for.',
      path: 'created',
      rule: 'must not be an invite of another candidate or quiz',
    }
  }
  if ('sentAt' in resolution) {
    return {
      what: `that reference was sent again, at ${new Date(resolution.sentAt).toISOString()}`,
      hint: 'What was found out is about an earlier create. Look at the record again.',
      path: 'of',
      rule: 'must be the time at which the record was sent',
    }
  }
  if ('hasNoFinding' in resolution) {
    return {
      what: 'the last change of that create is not a finding',
      hint: 'A finding can be withdrawn only until something else happens: see `history`.',
      path: 'reference',
      rule: 'must belong to a create whose last change is a finding',
    }
  }
  const { state } = resolution
  return {
    what: state === undefined ? 'the ledger has no such reference' : `that create is not unknown, but ${state}`,
    hint: 'List the state "unknown" to find such references.',
    path: 'reference',
    rule: 'must belong to a create with an unknown outcome',
  }
}
