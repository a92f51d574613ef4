import { ANSWERING } from '../../src/ledger/records.ts'
import type { Value } from '../../src/ledger/database.ts'
import type { NewRecord } from '../../src/ledger/rules/record.ts'
import { hashOf } from './hash.ts'

/** The rows of the ledger at one moment. Immutable: a write returns new ones. */
export interface Tables {
  /** Ordered by id. */
  readonly sends: readonly SendRow[]
  readonly invites: readonly InviteRow[]
}

/** A row of `certify_sends`: the columns that a query searches, and the record. */
export interface SendRow {
  readonly id: number
  readonly reference: Value
  readonly scope: Value
  readonly email_key: Value
  readonly record: string
  /** The record, parsed. */
  readonly send: NewRecord
  /** Of the record, without the id: only its order counts. */
  readonly hash: number
}

interface InviteRow {
  readonly invite_id: Value
  readonly send: number
}

/** @returns `undefined` for a second row with a unique value */
export type Write = (tables: Tables) => Tables | undefined

interface Query {
  readonly what: string
  readonly rows: (tables: Tables, values: readonly Value[]) => readonly SendRow[]
}

/** @throws Error for a statement that is not simulated */
export function queryOf(sql: string): Query {
  return known(QUERIES, sql)
}

/** @param nextId takes the id of a new row @throws Error for a statement that is not simulated */
export function writeOf(sql: string, values: readonly Value[], nextId: () => number): Write {
  return known(WRITES, sql)(values, nextId)
}

function known<Statement>(statements: Readonly<Record<string, Statement>>, sql: string): Statement {
  const statement = statements[plain(sql)]
  if (statement === undefined) throw new Error(`test/exploration/tables.ts does not know this statement: ${plain(sql)}`)
  return statement
}

const PLAIN = new Map<string, string>()

/* On one line, and with one placeholder for a list of any length. */
function plain(sql: string): string {
  const text = PLAIN.get(sql) ?? sql.replaceAll(/\s+/g, ' ').replaceAll(/\((\?, )*\?\)/g, '(…)')
  PLAIN.set(sql, text)
  return text
}

const SELECT = 'SELECT id, record FROM certify_sends WHERE'
/* No create here ends with the invite of another one: each record answers its own reference. */
const ITS = plain(ANSWERING)

const QUERIES: Readonly<Record<string, Query>> = {
  [`${SELECT} (email_key = ? AND scope = ?) OR id = ${ITS} OR id = (SELECT max(id) FROM certify_sends) ORDER BY id`]: {
    what: 'reads the candidate',
    rows: ({ sends }, [email, scope, reference]) =>
      sends.filter(
        (row, at) =>
          (row.email_key === email && row.scope === scope) || row.reference === reference || at === sends.length - 1,
      ),
  },
  [`${SELECT} id = ${ITS}`]: {
    what: 'reads the send',
    rows: ({ sends }, [reference]) => sends.filter((row) => row.reference === reference),
  },
  [`SELECT 'candidate ' || email_key AS name FROM certify_sends WHERE id = ${ITS}`]: {
    what: 'finds the send',
    rows: ({ sends }, [reference]) => sends.filter((row) => row.reference === reference),
  },
  [`${SELECT} id <> ${ITS} AND scope = (SELECT scope FROM certify_sends WHERE id = ${ITS}) AND id IN (SELECT send FROM certify_invites WHERE invite_id IN (…))`]:
    {
      what: 'reads the other sends with its invites',
      rows: ({ sends, invites }, [reference, , , , ...inviteIds]) =>
        sends.filter(
          (row) =>
            row.reference !== reference &&
            row.scope === sends.find((each) => each.reference === reference)?.scope &&
            invites.some(({ invite_id, send }) => send === row.id && inviteIds.includes(invite_id)),
        ),
    },
  'SELECT id, record FROM certify_sends ORDER BY id LIMIT ?': {
    what: 'reads all',
    rows: ({ sends }, [limit]) => sends.slice(0, Number(limit)),
  },
  [`${SELECT} id > ? ORDER BY id LIMIT ?`]: {
    what: 'reads on',
    rows: ({ sends }, [after, limit]) => sends.filter(({ id }) => id > Number(after)).slice(0, Number(limit)),
  },
  'SELECT id, record FROM certify_sends ORDER BY id DESC LIMIT ?': {
    what: 'reads a page',
    rows: ({ sends }, [limit]) => lastOf(sends, limit),
  },
  [`${SELECT} state IN ('sending', 'unknown') AND CASE WHEN state = 'sending' AND lease_until <= ? THEN 'unknown' ELSE state END = ? ORDER BY id DESC LIMIT ?`]:
    {
      what: 'reads a page of what is pending',
      rows: ({ sends }, [now, asked, limit]) => {
        const isAsked = ({ send: { state, leaseUntil } }: SendRow) =>
          (state === 'sending' && leaseUntil <= Number(now) ? 'unknown' : state) === asked
        return lastOf(sends.filter(isAsked), limit)
      },
    },
}

function lastOf(sends: readonly SendRow[], limit: Value | undefined): readonly SendRow[] {
  return sends.toReversed().slice(0, Number(limit))
}

const WRITES: Readonly<Record<string, (values: readonly Value[], nextId: () => number) => Write>> = {
  'INSERT INTO certify_sends (reference, scope, email_key, lease_until, sent_at, account, world, base_url, campaign, state, expires_at, subjects, results, decided_at, untitled, search, record) VALUES (…)':
    ([reference = '', scope = '', email_key = '', ...values], nextId) => {
      const row = withRecord({ id: nextId(), reference, scope, email_key }, values.at(-1))
      return ({ sends, invites }) =>
        sends.some((each) => each.reference === reference)
          ? undefined
          : { invites, sends: [...sends, row].toSorted((one, other) => one.id - other.id) }
    },
  'UPDATE certify_sends SET state = ?, expires_at = ?, subjects = ?, results = ?, decided_at = ?, untitled = ?, search = ?, record = ? WHERE id = ?':
    ([, , , , , , , record, id]) =>
    ({ sends, invites }) => ({ invites, sends: sends.map((row) => (row.id === id ? withRecord(row, record) : row)) }),
  'DELETE FROM certify_sends WHERE id = ?':
    ([id]) =>
    ({ sends, invites }) => ({
      sends: sends.filter((row) => row.id !== id),
      invites: invites.filter(({ send }) => send !== id),
    }),
  'DELETE FROM certify_invites WHERE invite_id = ? AND send = ?':
    ([invite_id, send]) =>
    ({ sends, invites }) => ({
      sends,
      invites: invites.filter((each) => each.invite_id !== invite_id || each.send !== send),
    }),
  'INSERT INTO certify_invites (invite_id, send) SELECT ?, id FROM certify_sends WHERE reference = ? ON CONFLICT DO NOTHING':
    ([invite_id = '', reference]) =>
    ({ sends, invites }) => {
      const found = sends.find((each) => each.reference === reference)
      return found === undefined || invites.some((each) => each.invite_id === invite_id && each.send === found.id)
        ? { sends, invites }
        : { sends, invites: [...invites, { invite_id, send: found.id }] }
    },
}

const READ = new Map<string, Pick<SendRow, 'send' | 'hash'>>()

function withRecord(row: Omit<SendRow, 'record' | 'send' | 'hash'>, value: Value | undefined): SendRow {
  const record = String(value)
  const read = READ.get(record) ?? { send: JSON.parse(record) as NewRecord, hash: hashOf(record) }
  READ.set(record, read)
  return { ...row, record, ...read }
}
