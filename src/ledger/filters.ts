import { inputInvalid } from '../errors.ts'
import {
  atLeast,
  closedObject,
  flag,
  isString,
  list,
  once,
  oneOf,
  option,
  optional,
  rule,
  type Schema,
  string,
  timeOption,
  validate,
  wholeNumber,
} from '../validation.ts'
import type { Row, Value } from './database.ts'
import type { LedgerFilter, LedgerGroup, LedgerState } from './rules/model.ts'
import { accountKey, baseUrlKey, emailKey, packageSubject, quizSubject } from './rules/key.ts'
import type { Ledger, Purge } from './rules/ledger-types.ts'
import type { StoredRecord } from './rules/record.ts'
import { MAX_SEARCH_LENGTH, wordsOf } from './rules/search.ts'
import { IS_PENDING } from './schema.ts'
import { columnText, linesOf, listOf, textsIn } from './records.ts'

/** A condition of a query, with its values. */
export type Condition = readonly [sql: string, ...values: readonly Value[]]

/** The order of a list: the end of its query, and what follows a record in it. */
export interface Order {
  readonly by: string
  readonly after: (last: StoredRecord) => Condition
}

export type OrderName = 'newest' | NonNullable<LedgerFilter['orderBy']>

const ORDERS: Readonly<Record<OrderName, readonly [column: string, of: (record: StoredRecord) => number]>> = {
  newest: ['id', ({ id }) => id],
  sent: ['sent_at', ({ sentAt }) => sentAt],
  expiry: ['expires_at', ({ expiresAt }) => expiresAt],
  decided: ['decided_at', ({ decision }) => decision?.at ?? 0],
}

/** An order that a list can have, each by an index: the last record first, but the earliest expiry. */
export function orderOf({ state, decided }: LedgerFilter, name: OrderName): Order {
  /* These have an index of few records. The plus keeps SQLite from looking through all to save sorting those. */
  const isFew = (decided === true && name !== 'decided') || (isPendingState(state) && name !== 'newest')
  const [column, of] = ORDERS[name]
  const key = isFew ? `+${column}` : column
  const [direction, follows] = name === 'expiry' ? ['', '>'] : [' DESC', '<']
  return name === 'newest'
    ? { by: `${key}${direction}`, after: (last) => [`${key} ${follows} ?`, of(last)] }
    : {
        by: `${key}${direction}, id${direction}`,
        after: (last) => [`(${key}, id) ${follows} (?, ?)`, of(last), last.id],
      }
}

/**
 * What a filter asks, in SQL.
 *
 * @param now the time that tells whether a lease has ended, in Unix milliseconds
 * @param order what a list is ordered by, or what it counts
 */
export function conditionsOf(
  filter: LedgerFilter,
  now: number,
  order: OrderName | 'progress' = 'newest',
): readonly Condition[] {
  const { account, world, baseUrl, email, campaign, quizId, packageId, inviteId } = filter
  const {
    references,
    state,
    result,
    hasResult,
    expired,
    expiringWithinMs,
    since,
    search,
    decided = order === 'decided' || undefined,
  } = filter
  const isPending = isPendingState(state)
  /* An account may have nearly all records. An expression keeps SQLite from the index of accounts if another finds fewer. */
  const isNarrow = isPending || references !== undefined || search !== undefined || decided || order !== 'newest'
  const accountColumn = isNarrow ? "account || ''" : 'account'
  const conditions: readonly (false | Condition)[] = [
    account !== undefined && [`${accountColumn} = ?`, columnText(accountKey(account))],
    world !== undefined && ['world = ?', columnText(world)],
    baseUrl !== undefined && ['base_url = ?', columnText(baseUrlKey(baseUrl))],
    email !== undefined && ['email_key = ?', emailKey(email)],
    campaign !== undefined && ['campaign = ?', columnText(campaign)],
    quizId !== undefined && hasLine('subjects', quizSubject(quizId)),
    packageId !== undefined && hasLine('subjects', packageSubject(packageId)),
    inviteId !== undefined && ['id IN (SELECT send FROM certify_invites WHERE invite_id = ?)', columnText(inviteId)],
    references !== undefined && isOneOf('reference', references),
    search !== undefined && contains(wordsOf(search), order === 'progress'),
    decided !== undefined && [`decided_at IS ${decided ? 'NOT NULL' : 'NULL'}`],
    isPending && [IS_PENDING],
    state !== undefined && [`${STATE} = ?`, now, state],
    result !== undefined && hasLine('results', result),
    hasResult !== undefined && [`results ${hasResult ? '<>' : '='} ?`, linesOf([])],
    expired !== undefined && [`state = 'created' AND expires_at ${expired ? '<=' : '>'} ?`, now],
    expiringWithinMs !== undefined && [
      "state = 'created' AND expires_at > ? AND expires_at <= ?",
      now,
      now + expiringWithinMs,
    ],
    since !== undefined && ['sent_at >= ?', new Date(since).getTime()],
  ]
  return conditions.filter((each) => each !== false)
}

function isPendingState(state: LedgerFilter['state']): boolean {
  return state === 'sending' || state === 'unknown'
}

/** The end of a query. */
export function whereOf(conditions: readonly Condition[]): Condition {
  const where = conditions.map(([sql]) => sql).join(' AND ')
  return [where && `WHERE ${where}`, ...conditions.flatMap(([, ...values]) => values)]
}

/* Unlike LIKE, the same in both databases. */
function hasLine(column: string, text: string): Condition {
  return [`replace(${column}, ?, '') <> ${column}`, linesOf([text])]
}

function isOneOf(column: string, values: readonly string[]): Condition {
  return [`${column} IN (${listOf(values)})`, ...values]
}

/*
 * In a query of its own, which SQLite answers by the index `certify_sends_search`. The plus keeps it from looking up each record that
 * is only counted: that goes through the index of progress, in its order.
 */
function contains(words: readonly string[], isCounted: boolean): false | Condition {
  if (words.length === 0) return false
  const [where, ...values] = whereOf(words.map((word) => ["replace(search, ?, '') <> search", word]))
  return [`${isCounted ? '+id' : 'id'} IN (SELECT id FROM certify_sends ${where})`, ...values]
}

const STATE = "CASE WHEN state = 'sending' AND lease_until <= ? THEN 'unknown' ELSE state END"

/** What records can be counted by, in their groups. */
export type CountedBy = Parameters<Ledger['count']>[1]['by']

const COUNTED: Readonly<Record<CountedBy, (group: LedgerGroup) => readonly (string | undefined)[]>> = {
  state: ({ state }) => [state],
  campaign: ({ campaign }) => [campaign],
  package: ({ packageId }) => [packageId],
  quiz: ({ quizIds }) => quizIds,
  result: ({ results }) => results,
}

export function countsBy(by: CountedBy, groups: readonly LedgerGroup[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const group of groups) {
    for (const key of COUNTED[by](group)) {
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + group.records)
    }
  }
  return Object.fromEntries(counts)
}

const sum = (condition: string) => `sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`

/** The query of the groups. The index `certify_sends_progress` has all it needs. @param soon Unix milliseconds */
export function progressOf(conditions: readonly Condition[], now: number, soon: number): Condition {
  const [where, ...values] = whereOf(conditions)
  return [
    `SELECT total.*, certify_sends.reference FROM (
      SELECT campaign, subjects, state, results, max(id) AS newest, count(*) AS records,
        ${sum("state = 'sending' AND lease_until <= ?")} AS lapsed, ${sum('expires_at <= ?')} AS expired,
        ${sum('expires_at > ? AND expires_at <= ?')} AS expiring
      FROM certify_sends ${where} GROUP BY campaign, subjects, state, results
    ) AS total JOIN certify_sends ON certify_sends.id = total.newest`,
    now,
    now,
    now,
    soon,
    ...values,
  ]
}

/** Converts one of its rows. A create whose lease has ended is unknown. */
export function groupsOf(row: Row): readonly LedgerGroup[] {
  const subjects = textsIn(String(row['subjects']))
  const ids = (start: string) => subjects.flatMap((each) => (each.startsWith(start) ? [each.slice(start.length)] : []))
  const [records, lapsed, expired, expiring] = ['records', 'lapsed', 'expired', 'expiring'].map((name) =>
    Number(row[name]),
  )
  const group = {
    campaign: isString(row['campaign']) ? textsIn(row['campaign'])[0] : undefined,
    packageId: ids(packageSubject(''))[0],
    quizIds: ids(quizSubject('')),
    state: row['state'] as LedgerState,
    results: textsIn(String(row['results'])),
    records: (records ?? 0) - (lapsed ?? 0),
    expired: expired ?? 0,
    expiring: expiring ?? 0,
    reference: String(row['reference']),
  }
  const unknown = { ...group, state: 'unknown', records: lapsed ?? 0 } as const
  return [group, unknown].filter((each) => each.records > 0)
}

/**
 * Checks what a method of the ledger is given. A misspelt `dryRun` must not remove anything.
 *
 * @throws CertifyError INPUT_INVALID, outcome `not-executed`
 */
export function checkGiven(operation: string, schema: keyof typeof schemas, given: object): void {
  const { issues } = validate(schemas[schema](), given)
  if (issues !== undefined) throw inputInvalid(operation, issues)
}

const STATES: readonly LedgerState[] = ['sending', 'created', 'refused', 'not-executed', 'unknown']

/* No record has other text here, and Postgres refuses it. */
const isText = (value: unknown) => isString(value) && !/[\0\p{Cs}]/u.test(value)

const fields = () => ({
  baseUrl: optional(string()),
  account: optional(string()),
  world: optional(string()),
  email: option(isText, 'must be text'),
  quizId: optional(string()),
  packageId: optional(string()),
  inviteId: optional(string()),
  campaign: optional(string()),
  search: option(
    (value) => isString(value) && value.length <= MAX_SEARCH_LENGTH,
    `must be text of at most ${MAX_SEARCH_LENGTH} characters`,
  ),
  decided: flag(),
  result: optional(string()),
  hasResult: flag(),
  expired: flag(),
  expiringWithinMs: wholeNumber(0),
  state: oneOf(...STATES),
  since: timeOption(),
  references: optional(
    list(
      rule(isText, 'must be text'),
      rule<unknown[]>(({ length }) => length <= 1000, 'must have at most 1,000 references'),
    ),
  ),
})
const counted = once(() => closedObject(fields()))
const listed = once(() =>
  closedObject({
    ...fields(),
    limit: wholeNumber(1),
    before: option(isText, 'must be text'),
    orderBy: oneOf('sent', 'expiry', 'decided'),
  }),
)
const span = once(() => closedObject({ withinMs: wholeNumber(0) }))
const purged = once(() =>
  closedObject(
    {
      email: optional(string()),
      olderThanMs: atLeast(0),
      dryRun: flag(),
    },
    rule<Purge>(
      ({ email, olderThanMs }) => (email === undefined) !== (olderThanMs === undefined),
      'must have one of `email` and `olderThanMs`',
    ),
  ),
)
const imported = once(() =>
  closedObject({
    baseUrl: optional(string()),
    account: optional(string()),
    world: optional(string()),
    dryRun: flag(),
    skipInvalid: flag(),
  }),
)
const moved = once(() => closedObject({ account: string(), to: string() }))
const countOptions = once(() => closedObject({ by: oneOf(...Object.keys(COUNTED)) }))
const schemas = { counted, countOptions, imported, listed, moved, purged, span } as const satisfies Record<
  string,
  () => Schema
>
