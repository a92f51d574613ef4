import type { DueEvent, InboxEvent, InboxResult, InboxRow } from '../callbacks/inbox.ts'
import type { Database, Row, Tx } from './database.ts'
import { type Condition, conditionsOf, whereOf } from './filters.ts'
import { columnText, textsIn } from './records.ts'
import type { LedgerInbox } from './rules/ledger-types.ts'

/* A delivery may be repeated for weeks. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1000
const PAGE_ROWS = 200

/* Whoever has a callback URL can post to it as often as they like. */
const MAX_EVENTS = 1000
const MAX_BYTES = 4_000_000

/** The inbox in the database of a ledger. Handled events are kept for 40 days, others until they are handled. */
export function databaseInbox(
  { transaction, clock }: Pick<Database, 'transaction' | 'clock'>,
  learn: LedgerInbox['learn'],
  referencesOf: LedgerInbox['referencesOf'],
): LedgerInbox {
  let removedAt = Number.NEGATIVE_INFINITY

  /* At most once an hour. */
  const removeOld = (tx: Tx) => {
    const now = clock.now()
    if (now - removedAt < 3_600_000) return
    removedAt = now
    tx.run("DELETE FROM certify_events WHERE state = 'handled' AND received_at < ?", now - KEPT_MS)
  }

  return {
    learn,
    referencesOf,

    append: ({ key, reference, deliveryId, body, receivedAt }: InboxEvent) =>
      transaction(async (tx) => {
        removeOld(tx)
        const [, stored] = await Promise.all([
          tx.lock(`events ${reference}`),
          tx.all(INSERT, key, reference, deliveryId, body, receivedAt, receivedAt, body.length, reference),
        ])
        if (stored.length > 0) return 'stored'
        const known = await tx.all('SELECT 1 FROM certify_events WHERE key = ?', key)
        return known.length > 0 ? 'known' : 'full'
      }),

    take: (now: number, leaseMs: number) =>
      transaction(async (tx): Promise<DueEvent | undefined> => {
        const [, [row]] = await Promise.all([tx.lock('inbox'), tx.all(TAKE, now + leaseMs, now, now)])
        return row && { ...eventOf(row), failures: Number(row['failures']) }
      }),

    settle: (key: string, result: InboxResult) =>
      transaction(async (tx) => {
        const { state } = result
        const failures = Number(state !== 'handled')
        const error = state === 'handled' || result.error === undefined ? null : columnText(result.error)
        tx.run(SETTLE, state, 'dueAt' in result ? result.dueAt : 0, failures, error, key)
      }),

    nextDueAt: () =>
      transaction(async (tx) => {
        const [row] = await tx.all(NEXT_DUE)
        const due = row?.['due'] ?? undefined
        return due === undefined ? undefined : Number(due)
      }),

    replay: (key: string, now: number) => transaction(async (tx) => (await tx.all(REPLAY, now, key)).length > 0),

    find: (key: string) =>
      transaction(async (tx) => {
        const [row] = await tx.all('SELECT * FROM certify_events WHERE key = ?', key)
        return row && rowOf(row)
      }),

    async newest({ limit, before, ...filter }: Parameters<LedgerInbox['newest']>[0]) {
      const [where, ...values] = whereOf([
        ...eventsOf(filter),
        ...(before === undefined ? [] : [['id < (SELECT id FROM certify_events WHERE key = ?)', before] as const]),
      ])
      const newest = `SELECT * FROM certify_events ${where} ORDER BY id DESC LIMIT ?`
      const rows = await transaction((tx) => tx.all(newest, ...values, limit))
      return rows.map(rowOf)
    },

    async count(filter: Parameters<LedgerInbox['count']>[0] = {}) {
      const [where, ...values] = whereOf(eventsOf(filter))
      const counted = `SELECT state, count(*) AS events FROM certify_events ${where} GROUP BY state`
      const rows = await transaction((tx) => tx.all(counted, ...values))
      const counts = rows.map(({ state, events }) => [String(state), Number(events)])
      return { waiting: 0, handled: 0, failed: 0, ...Object.fromEntries(counts) }
    },

    async *list(filter: Partial<Pick<InboxRow, 'state'>> = {}) {
      for (let last = 0; ; ) {
        const [where, ...values] = whereOf([['id > ?', last], ...eventsOf(filter)])
        const page = `SELECT * FROM certify_events ${where} ORDER BY id LIMIT ${PAGE_ROWS}`
        const rows = await transaction((tx) => tx.all(page, ...values))
        yield* rows.map(rowOf)
        if (rows.length < PAGE_ROWS) return
        last = Number(rows.at(-1)?.['id'])
      }
    },
  }
}

function eventsOf({
  state,
  account,
  search,
}: Omit<Parameters<LedgerInbox['newest']>[0], 'limit'>): readonly Condition[] {
  const [where, ...values] = whereOf(conditionsOf({ ...(account !== undefined && { account }), search }, 0))
  const isAbout = `EXISTS (SELECT 1 FROM certify_sends ${where} AND certify_sends.reference = certify_events.reference)`
  return [
    ...(state === undefined ? [] : [['state = ?', state] as const]),
    ...(where === '' ? [] : [[isAbout, ...values] as const]),
  ]
}

function rowOf(row: Row): InboxRow {
  const error = row['error'] as string | null
  return {
    ...eventOf(row),
    state: row['state'] as InboxRow['state'],
    failures: Number(row['failures']),
    error: error === null ? null : (textsIn(error)[0] ?? ''),
  }
}

function eventOf(row: Row): InboxEvent {
  return {
    key: row['key'] as string,
    reference: row['reference'] as string,
    deliveryId: row['delivery_id'] as string | null,
    body: new Uint8Array(row['body'] as Uint8Array),
    receivedAt: Number(row['received_at']),
  }
}

const INSERT = `
  INSERT INTO certify_events (key, reference, delivery_id, body, received_at, state, due_at)
  SELECT ?, ?, ?, ?, ?, 'waiting', ? WHERE (
    SELECT count(*) < ${MAX_EVENTS} AND coalesce(sum(length(body)), 0) + ? <= ${MAX_BYTES} FROM certify_events WHERE reference = ?
  ) ON CONFLICT (key) DO NOTHING RETURNING id`

/* The first waiting event of each reference. */
const IS_HEAD = `state = 'waiting' AND NOT EXISTS (SELECT 1 FROM certify_events AS earlier
  WHERE earlier.reference = certify_events.reference AND earlier.state = 'waiting' AND earlier.id < certify_events.id)`

const TAKE = `
  UPDATE certify_events SET lease_until = ? WHERE id = (
    SELECT id FROM certify_events WHERE due_at <= ? AND lease_until <= ? AND ${IS_HEAD}
    ORDER BY id LIMIT 1)
  RETURNING *`

const SETTLE = `UPDATE certify_events
  SET state = ?, due_at = ?, lease_until = 0, failures = failures + ?, error = ? WHERE key = ?`

const NEXT_DUE = `
  SELECT min(CASE WHEN due_at > lease_until THEN due_at ELSE lease_until END) AS due
  FROM certify_events WHERE ${IS_HEAD}`

const REPLAY = `UPDATE certify_events
  SET state = 'waiting', due_at = ?, lease_until = 0, failures = 0 WHERE key = ? RETURNING id`
