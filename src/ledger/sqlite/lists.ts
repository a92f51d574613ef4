import type { LedgerFilter } from '../rules/entry.ts'
import { accountKey, baseUrlKey, emailKey, idKey, quizSubject } from '../rules/key.ts'
import type { Row, Value } from './driver.ts'
import { SELECT_SENDS } from './rows.ts'
import type { Statements } from './statements.ts'

/** The number of entries in a page. */
const PAGE = 200

/** A page of matching entries, newest first, after the last row of the previous page. */
export function newestPage(statements: Statements, filter: LedgerFilter, last: Row | undefined): Row[] {
  const { conditions, values } = conditionsOf(filter)
  if (last !== undefined) add(conditions, values, 'sends.id < ?', last['id'] ?? null)
  return statements.all(`${SELECT_SENDS}${whereAll(conditions)} ORDER BY sends.id DESC LIMIT ${PAGE}`, ...values)
}

/** A page of all sends, the earliest first, after the last one of the previous page. */
export function earliestPage(statements: Statements, last: number): Row[] {
  return statements.all(`${SELECT_SENDS} WHERE sends.id > ? ORDER BY sends.id LIMIT ${PAGE}`, last)
}

/** As {@link newestPage}, of created entries that are open and expire by a time. The earliest expiry comes first. */
export function expiringPage(
  statements: Statements,
  filter: LedgerFilter,
  { from, until }: { readonly from: number; readonly until: number },
  last: Row | undefined,
): Row[] {
  const { conditions, values } = conditionsOf(filter)
  add(conditions, values, "sends.state = 'created' AND sends.expires_at > ? AND sends.expires_at <= ?", from, until)
  if (last !== undefined) {
    add(conditions, values, '(sends.expires_at, sends.id) > (?, ?)', last['expires_at'] ?? null, last['id'] ?? null)
  }
  const sql = `${SELECT_SENDS}${whereAll(conditions)} ORDER BY sends.expires_at, sends.id LIMIT ${PAGE}`
  return statements.all(sql, ...values)
}

function conditionsOf(filter: LedgerFilter): { conditions: string[]; values: Value[] } {
  const conditions: string[] = []
  const values: Value[] = []
  const given: readonly (readonly [sql: string, value: Value | undefined])[] = [
    ['base_url = ?', keyOf(baseUrlKey, filter.baseUrl)],
    ['account = ?', keyOf(accountKey, filter.account)],
    ['world = ?', filter.world],
    ['sends.email_key = ?', keyOf(emailKey, filter.email)],
    [
      'sends.id IN (SELECT send FROM keys WHERE keys.email_key = sends.email_key AND subject = ?)',
      keyOf(quizSubject, filter.quizId),
    ],
    ['sends.package_id = ?', keyOf(idKey, filter.packageId)],
    [`sends.id IN (SELECT send FROM (${NAMED_INVITES}) WHERE invite_id = ?)`, filter.inviteId],
    ['sends.state = ?', filter.state],
    ['EXISTS (SELECT 1 FROM learned WHERE learned.send = sends.id AND learned.result = ?)', filter.result],
    ['sends.sent_at >= ?', filter.since],
    ['sends.campaign = ?', filter.campaign],
  ]
  for (const [sql, value] of given) if (value !== undefined) add(conditions, values, sql, value)
  return { conditions, values }
}

const NAMED_INVITES = 'SELECT send, invite_id FROM invites UNION ALL SELECT send, invite_id FROM learned'

/* A filter may use another spelling than the record. */
function keyOf(key: (value: string) => string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : key(value)
}

function add(conditions: string[], values: Value[], sql: string, ...more: readonly Value[]): void {
  conditions.push(sql)
  values.push(...more)
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}
