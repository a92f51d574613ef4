import { decideClaim, newSend, viewOf } from '../rules/claiming.ts'
import type { Claim, ClaimRequest, EntryDetail, LedgerScope, LookedUp, Target } from '../rules/entry.ts'
import { emailKey, scopeKey, subjectsOf } from '../rules/key.ts'
import { lookedUp } from '../rules/looking-up.ts'
import { entryOf, invitesOf, type SendRecord } from '../rules/record.ts'
import { lapsed } from '../rules/settling.ts'
import type { Row } from './driver.ts'
import { advanceTo } from './latest-time.ts'
import { isLeaseOver } from './owner.ts'
import { findSend, invitesIn, namedIn, recordOf, type SendState, SELECT_SENDS, stateOf } from './rows.ts'
import type { Statements } from './statements.ts'
import { addSend, replaceSend, scopeNumber } from './write-rows.ts'

/**
 * Records a send, or returns the recorded sends that block it. `used`: another send has its reference. Call it inside a
 * transaction.
 */
export function claim(
  statements: Statements,
  request: ClaimRequest,
  owner: string,
  now: number,
): Claim | { readonly kind: 'used' } {
  const own = newSend(request, owner, now)
  const place = scopeNumber(statements, own.scope)
  const rows = place === undefined ? [] : recordedRows(statements, place, own, 'entries')
  const recorded = rows.map((row) => recordOf(statements, row, own.scope))
  const decision = decideClaim(request, recorded, (send) => isLeaseOver(send, now), now)
  const ended = new Map(decision.lapsed.map((send) => [send.id, send]))
  for (const each of recorded) replaceSend(statements, each, ended.get(each.id) ?? each)
  if (decision.blocked !== undefined) return decision.blocked
  if (findSend(statements, own.reference) !== undefined) return { kind: 'used' }
  addSend(statements, own, place)
  advanceTo(statements, now)
  return { kind: 'claimed' }
}

/** What there is for each target; `undefined` if nothing. Changes nothing. */
export function lookUp<Detail extends keyof EntryDetail>(
  statements: Statements,
  wanted: LedgerScope,
  targets: readonly Target[],
  detail: Detail,
  now: number,
): (LookedUp<EntryDetail[Detail]> | undefined)[] {
  const scope = scopeKey(wanted)
  const id = scopeNumber(statements, scope)
  if (id === undefined) return targets.map(() => undefined)
  const readers: { readonly [Each in keyof EntryDetail]: (found: FoundSend) => readonly EntryDetail[Each][] } = {
    entries: ({ row, record }) => [entryOf(record ?? recordOf(statements, row, scope))],
    invites: ({ row, record, id: send, expiresAt }) => {
      const known = record ?? {
        expiresAt,
        invites: invitesIn(statements, send, expiresAt),
        named: namedIn(statements, send),
      }
      return [{ reference: row['reference'] as string, invites: invitesOf(known) }]
    },
    kinds: () => [],
  }
  const read = readers[detail]
  return targets.map((target) => {
    const rows = recordedRows(statements, id, keysOf(target), detail)
    const found = rows.map((row) => viewOf(foundSend(statements, row, now), now))
    return lookedUp(found, ({ send }) => read(send))
  })
}

/* By few columns. A whole record only if its lease has ended. */
interface FoundSend extends SendState {
  readonly record?: SendRecord
}

function foundSend(statements: Statements, row: Row, now: number): FoundSend {
  const state = stateOf(row)
  if (!isLeaseOver(state, now)) return state
  const [whole = row] = statements.all(`${SELECT_SENDS} WHERE sends.id = ?`, state.id)
  const record = lapsed(recordOf(statements, whole), now)
  return { ...record, row, record }
}

type Keys = Pick<SendRecord, 'emailKey' | 'subjects'>

function keysOf(target: Target): Keys {
  return { emailKey: emailKey(target.email), subjects: subjectsOf(target) }
}

/* A package and a single invite of one of its quizzes share the key of that quiz. */
function recordedRows(
  statements: Statements,
  scope: number,
  { emailKey: key, subjects }: Keys,
  detail: keyof EntryDetail,
): Row[] {
  const rows = subjects.flatMap((subject) => statements.all(RECORDED[detail], scope, key, subject))
  if (subjects.length === 1) return rows
  const found = new Map(rows.map((row) => [row['id'] as number, row]))
  return [...found].toSorted(([one], [other]) => one - other).map(([, row]) => row)
}

const recordedSql = (columns: string) => `
  SELECT ${columns} FROM keys
  JOIN sends ON sends.id = keys.send
  WHERE keys.scope = ? AND keys.email_key = ? AND keys.subject = ?
    AND sends.state IN ('sending', 'created', 'unknown')
  ORDER BY keys.send`

/* Campaigns look up every row: fewer columns are faster. */
const RECORDED: { readonly [Detail in keyof EntryDetail]: string } = {
  kinds: recordedSql('sends.id, quiz_id, package_id, state, owner, lease_until, expires_at'),
  invites: recordedSql('sends.id, quiz_id, package_id, state, owner, lease_until, expires_at, reference'),
  entries: recordedSql('sends.*'),
}
