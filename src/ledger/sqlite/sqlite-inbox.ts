import type { DueEvent, Inbox, InboxEvent, InboxResult, InboxRow } from '../../callbacks/inbox.ts'
import { type Connection, type ConnectionOptions, connect } from './connection.ts'
import type { Row } from './driver.ts'
import type { Statements } from './statements.ts'

/** The options of an inbox in the file of a ledger: see {@link openInbox}. */
export type InboxOptions = ConnectionOptions

/** An inbox that has to be closed. */
export interface OpenInbox extends Inbox {
  readonly path: string
  /** The event with this key; `undefined` if there is none. */
  readonly find: (key: string) => Promise<InboxRow | undefined>
  /** Waits for all writes, and closes the file. */
  readonly close: () => Promise<void>
}

/* A delivery may be repeated for weeks. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1000
const PAGE_ROWS = 500

/**
 * Opens the inbox in the file of a ledger, for the handler of `certify-sdk/callbacks`. An event is on the disk before it is
 * answered. Several processes may use it at the same time. Handled events are kept for 40 days, others until they are
 * handled. A purge of a candidate removes the events of their invites too.
 *
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`, as {@link openLedger}
 * @example
 * ```ts
 * const inbox = await openInbox({ path: 'invites.ledger' })
 * const handler = createCallbackHandler({ urls, inbox, ledger, onEvent })
 * ```
 */
export async function openInbox(options: InboxOptions): Promise<OpenInbox> {
  const inbox = new SqliteInbox(await connect(options))
  try {
    await inbox.removeOld()
    return inbox
  } catch (error) {
    await inbox.close()
    throw error
  }
}

class SqliteInbox implements OpenInbox {
  readonly path: string
  readonly #connection: Connection
  readonly #statements: Statements

  constructor(connection: Connection) {
    this.path = connection.path
    this.#connection = connection
    this.#statements = connection.statements
  }

  readonly append = ({ key, reference, deliveryId, body, receivedAt }: InboxEvent) =>
    this.#connection.write(
      () => this.#statements.run(INSERT, key, reference, deliveryId, body, receivedAt, receivedAt) > 0,
    )

  readonly take = (now: number, leaseMs: number) =>
    this.#connection.write((): DueEvent | undefined => {
      const row = this.#statements.one(TAKE, now + leaseMs, now, now)
      return row && { ...eventOf(row), failures: row['failures'] as number, wasParked: row['state'] === 'parked' }
    })

  readonly settle = (key: string, result: InboxResult) =>
    this.#connection.write(() => {
      const { state } = result
      const dueAt = 'dueAt' in result ? result.dueAt : 0
      const inviteId =
        (state === 'parked' ? result.inviteId : state === 'handled' ? result.introduces : undefined) ?? null
      const failures = Number(state === 'failed' || state === 'waiting')
      this.#statements.run(SETTLE, state, dueAt, inviteId, failures, key)
      if (state === 'handled' && inviteId !== null) this.#statements.run(RELEASE, key, inviteId)
    })

  readonly knows = (reference: string, inviteId: string) =>
    this.#connection.read(() => this.#statements.one(KNOWS, reference, inviteId) !== undefined)

  readonly nextDueAt = () =>
    this.#connection.read(() => (this.#statements.one(NEXT_DUE)?.['due'] ?? undefined) as number | undefined)

  readonly replay = (key: string, now: number) =>
    this.#connection.write(() => this.#statements.run(REPLAY, now, key) > 0)

  readonly find = (key: string) =>
    this.#connection.read((): InboxRow | undefined => {
      const row = this.#statements.one(FIND, key)
      return row && rowOf(row)
    })

  async *list({ state }: { readonly state?: InboxResult['state'] } = {}): AsyncGenerator<InboxRow, void, undefined> {
    for (let last = 0; ; ) {
      const rows = await this.#connection.read(() =>
        this.#statements.all(PAGE, last, state ?? null, state ?? null, PAGE_ROWS),
      )
      for (const row of rows) yield rowOf(row)
      if (rows.length < PAGE_ROWS) return
      last = rows.at(-1)?.['id'] as number
    }
  }

  readonly close = () => this.#connection.close()

  removeOld(): Promise<unknown> {
    return this.#connection.write(() => this.#statements.run(REMOVE_OLD, this.#connection.clock.now() - KEPT_MS))
  }
}

function rowOf(row: Row): InboxRow {
  return { ...eventOf(row), state: row['state'] as InboxRow['state'], failures: row['failures'] as number }
}

function eventOf(row: Row): InboxEvent {
  return {
    key: row['key'] as string,
    reference: row['reference'] as string,
    deliveryId: row['delivery_id'] as string | null,
    body: new Uint8Array(row['body'] as Uint8Array),
    receivedAt: row['received_at'] as number,
  }
}

const INSERT = `
  INSERT INTO events (key, reference, delivery_id, body, received_at, state, due_at)
  VALUES (?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT (key) DO NOTHING`

/* Parked events, and the first waiting event of each reference. */
const IS_HEAD = `(state = 'parked' OR state = 'waiting' AND NOT EXISTS (SELECT 1 FROM events AS earlier
  WHERE earlier.reference = events.reference AND earlier.state = 'waiting' AND earlier.id < events.id))`

const TAKE = `
  UPDATE events SET lease_until = ? WHERE id = (
    SELECT id FROM events WHERE state IN ('waiting', 'parked') AND due_at <= ? AND lease_until <= ? AND ${IS_HEAD}
    ORDER BY id LIMIT 1)
  RETURNING *`

const SETTLE =
  'UPDATE events SET state = ?, due_at = ?, lease_until = 0, invite_id = ?, failures = failures + ? WHERE key = ?'

const RELEASE = `
  UPDATE events SET state = 'waiting', due_at = 0
  WHERE state = 'parked' AND reference = (SELECT reference FROM events WHERE key = ?) AND invite_id = ?`

const KNOWS = "SELECT 1 FROM events WHERE state = 'handled' AND reference = ? AND invite_id = ?"

const NEXT_DUE = `
  SELECT min(max(due_at, lease_until)) AS due FROM events WHERE state IN ('waiting', 'parked') AND ${IS_HEAD}`

const REPLAY = "UPDATE events SET state = 'waiting', due_at = ?, lease_until = 0, failures = 0 WHERE key = ?"

const FIND = 'SELECT * FROM events WHERE key = ?'

const PAGE = 'SELECT * FROM events WHERE id > ? AND (? IS NULL OR state = ?) ORDER BY id LIMIT ?'

const REMOVE_OLD = "DELETE FROM events WHERE state = 'handled' AND received_at < ?"
