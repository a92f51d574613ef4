import { type CertifyError, inputInvalid, type Issue, refusal } from '../../errors.ts'
import {
  boolean,
  isString,
  list,
  closedAs,
  once,
  optional,
  rule,
  string,
  timeOption,
  validate,
} from '../../validation.ts'
import type { LedgerRecord } from './model.ts'
import type { Finding } from './ledger-types.ts'
import { idKey, LINK_LIFETIME_MS } from './key.ts'
import { type ChangeRecord, hasNothing, recordOf, type StoredRecord, withChange } from './record.ts'
import { created, failed, isMismatched } from './settling.ts'

/** A misspelt finding must not count as another one. @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function checkFinding(given: Finding): void {
  const { issues } = validate(findings(), given)
  if (issues !== undefined) throw inputInvalid('ledger.resolve', issues)
}

const findings = once(() =>
  closedAs<Finding>()(
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
      ({ created: ids, challengeUrls, notCreated, undo }) =>
        [ids !== undefined, notCreated, undo].filter(Boolean).length === 1 &&
        (ids !== undefined || challengeUrls === undefined),
      'must be one of `created`, perhaps with `challengeUrls`, `notCreated: true` and `undo: true`',
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

/**
 * Records what a person found out about an unknown outcome. A person who found no invite may still find one later, and a finding
 * can be withdrawn until something else happens.
 *
 * @param others as for {@link settled}
 * @throws CertifyError INPUT_INVALID, outcome `not-executed`: the record is of another create, its state, an invite of another
 *   candidate or quiz, or there is no finding to withdraw
 */
export function resolved(
  record: StoredRecord | undefined,
  finding: Finding,
  others: readonly StoredRecord[],
  now: number,
): StoredRecord {
  if (record === undefined) throw notUnknown('the ledger has no such reference')
  const { created: found, challengeUrls, undo, of, by, note } = finding
  if (of !== undefined && new Date(of).getTime() !== record.sentAt) throw sentAgain(record)
  /* With the reason why it was unknown, also if a person has decided since. */
  const decision = { at: now, code: record.code ?? record.history.at(-1)?.code, by, note }
  const open = openDecisions(recordOf(record))
  if (undo === true) {
    if (!open.undo) throw noFinding()
    return undone(record, { ...decision, what: 'undone' })
  }
  /* The service has said that something was created: only which invite is left to say. */
  const isNews = record.state !== 'created' || [found ?? [], challengeUrls ?? []].flat().length > 0
  if (found === undefined ? !open.notCreated : !open.created || !isNews)
    throw notUnknown(`that create is not unknown, but ${record.state}`)
  if (found === undefined) {
    const change = { ...decision, what: 'resolved', finding: 'not-created' } as const
    return failed(record, { state: 'not-executed' }, now, change)
  }
  /* As if the links were made when it was sent: the person does not know when. */
  const expiresAt = record.sentAt + LINK_LIFETIME_MS
  const { quizId } = record
  const invite = { expiresAt: new Date(expiresAt).toISOString(), ...(quizId !== undefined && { quizId }) }
  const inviteIds = [found].flat().map(idKey)
  const invites = inviteIds.map((inviteId) => ({ inviteId, ...invite }))
  if (isMismatched(record, invites, others, now)) throw mismatched()
  const change = { ...decision, what: 'resolved', finding: 'created', inviteIds } as const
  return created({ ...record, expiresAt }, { state: 'created', invites, challengeUrls }, now, change)
}

/**
 * Which kinds of {@link Finding} a record is open to. What the service said, or what is known in full, is not for a person to decide.
 * A record that is `created` without ids takes only an id or a link.
 */
export function openDecisions(record: LedgerRecord): Readonly<Record<'created' | 'notCreated' | 'undo', boolean>> {
  const { state, invites, isUnproven, history } = record
  const isUnknown = state === 'unknown'
  const isIncomplete = state === 'created' && invites.length === 0
  const isCorrectable = hasNothing(record) && isUnproven === true
  return {
    created: isUnknown || isIncomplete || isCorrectable,
    notCreated: isUnknown,
    undo: history.at(-1)?.what === 'resolved',
  }
}

function undone(record: StoredRecord, change: ChangeRecord): StoredRecord {
  const [before] = record.history.slice(-2)
  /* The finding may have been the ids of what the service had created. */
  const state = before?.what === 'created' ? 'created' : 'unknown'
  const expiresAt = record.leaseUntil + LINK_LIFETIME_MS
  const { at: settledAt, code } = change
  const nothing = { invites: [], challengeUrls: undefined }
  return withChange({ ...record, ...nothing, state, code, expiresAt, settledAt }, change)
}

const mismatched = () =>
  notResolved(
    'that invite is recorded for another candidate or quiz',
    'Look up the invite of this candidate; the list of invites shows whom that one is for.',
    { path: 'created', rule: 'must not be an invite of another candidate or quiz' },
  )

const sentAgain = ({ sentAt }: StoredRecord) =>
  notResolved(
    `that reference was sent again, at ${new Date(sentAt).toISOString()}`,
    'What was found out is about an earlier create. Look at the record again.',
    { path: 'of', rule: 'must be the time at which the record was sent' },
  )

const noFinding = () =>
  notResolved(
    'the last change of that create is not a finding',
    'A finding can be withdrawn only until something else happens: see `history`.',
    { path: 'reference', rule: 'must belong to a create whose last change is a finding' },
  )

const notUnknown = (what: string) =>
  notResolved(what, 'List the state "unknown" to find such references.', {
    path: 'reference',
    rule: 'must belong to a create with an unknown outcome',
  })

function notResolved(what: string, hint: string, issue: Issue): CertifyError {
  const message = `ledger.resolve: ${what}. Nothing was changed.`
  return refusal({
    code: 'INPUT_INVALID',
    operation: 'ledger.resolve',
    message,
    hint,
    issues: [issue],
  })
}
