import type { DueEvent, InboxEvent, InboxResult, InboxRow } from '../../callbacks/inbox.ts'
import type { OpenInbox } from '../sqlite/sqlite-inbox.ts'
import { PostgresConnection, type PostgresOptions, type Statement } from './connection.ts'
import { APPEND, FIND, KNOWS, NEXT_DUE, PAGE, REMOVE_OLD, REPLAY, SETTLE, TAKE } from './inbox-statements.ts'
import { checkSchema, migrate } from './schema.ts'

/** The options of an inbox on Postgres: see {@link openPostgresInbox}. */
export interface PostgresInboxOptions extends PostgresOptions {
  /** Whether to create or change the tables. With `false` they have to be there. Default: `true`. */
  readonly migrate?: boolean | undefined
}

/* A delivery may be repeated for weeks. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1000

/**
 * Opens the inbox in the schema of a ledger on Postgres, for the handler of `certify-sdk/callbacks`. An event is committed
 * before it is answered. Several machines may use it at the same time. Handled events are kept for 40 days, others until they
 * are handled. A purge of a candidate removes the events of their invites too.
 *
 * @throws CertifyError CONFIG_INVALID, LEDGER_UNUSABLE, outcome `not-executed`, as {@link openPostgresLedger}
 * @example
 * ```ts
 * const inbox = await openPostgresInbox({ url: 'postgres://certify@db.internal/hiring' })
 * const handler = createCallbackHandler({ urls, inbox, ledger, onEvent })
 * ```
 */
export async function openPostgresInbox(options: PostgresInboxOptions): Promise<OpenInbox> {
  const connection = await PostgresConnection.open(options)
  try {
    await (options.migrate === false ? checkSchema : migrate)(connection)
    const before = connection.clock.now() - KEPT_MS
    await connection.read(REMOVE_OLD, { before }, true)
    return new PostgresInbox(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
}

class PostgresInbox implements OpenInbox {
  readonly path: string
  readonly #connection: PostgresConnection
  readonly #settling = new Set<Promise<void>>()

  constructor(connection: PostgresConnection) {
    this.path = connection.path
    this.#connection = connection
  }

  readonly append = async (event: InboxEvent) => {
    const stored = { ...event, body: Buffer.from(event.body).toString('base64') }
    const result = await this.#connection.write<{ readonly isNew: boolean }>(APPEND, stored)
    if (result !== 'unclear') return result.isNew
    /* It may be from the first time: so it counts as new. */
    await this.#connection.read(APPEND, stored)
    return true
  }

  readonly take = async (now: number, leaseMs: number): Promise<DueEvent | undefined> => {
    /* On another connection it could be faster than these, and miss what they make due. */
    await Promise.allSettled(this.#settling)
    const { event } = await this.#connection.read<{ readonly event: EventRow | null }>(TAKE, { now, leaseMs })
    return event === null
      ? undefined
      : { ...eventOf(event), failures: event.failures, wasParked: event.state === 'parked' }
  }

  readonly settle = async (key: string, result: InboxResult) => {
    const settling = this.#settle(key, result)
    this.#settling.add(settling)
    try {
      await settling
    } finally {
      this.#settling.delete(settling)
    }
  }

  readonly knows = (reference: string, inviteId: string) => this.#is(KNOWS, { reference, inviteId })

  readonly nextDueAt = async () => {
    const { dueAt } = await this.#connection.read<{ readonly dueAt: number | null }>(NEXT_DUE, {})
    return dueAt ?? undefined
  }

  readonly replay = (key: string, now: number) => this.#is(REPLAY, { key, now })

  readonly find = async (key: string) => {
    const { event } = await this.#connection.read<{ readonly event: EventRow | null }>(FIND, { key })
    return event === null ? undefined : rowOf(event)
  }

  async *list({ state }: { readonly state?: InboxResult['state'] } = {}): AsyncGenerator<InboxRow, void, undefined> {
    for (let last: number | undefined = 0; last !== undefined; ) {
      const { events }: { readonly events: readonly EventRow[] } = await this.#connection.read(
        PAGE,
        { last, state },
        true,
      )
      for (const event of events) yield rowOf(event)
      last = events.at(-1)?.id
    }
  }

  readonly close = () => this.#connection.close()

  async #settle(key: string, result: InboxResult): Promise<void> {
    const { state } = result
    const argument = {
      key,
      state,
      dueAt: 'dueAt' in result ? result.dueAt : 0,
      inviteId: state === 'parked' ? result.inviteId : state === 'handled' ? result.introduces : undefined,
    }
    const failures = Number(state === 'failed' || state === 'waiting')
    const settled = await this.#connection.write(SETTLE, { ...argument, failures })
    /* A failure must not count twice. */
    if (settled === 'unclear') await this.#connection.read(SETTLE, { ...argument, failures: 0 })
  }

  async #is(statement: Statement, argument: object): Promise<boolean> {
    const { is } = await this.#connection.read<{ readonly is: boolean }>(statement, argument)
    return is
  }
}

interface EventRow {
  readonly id: number
  readonly key: string
  readonly reference: string
  readonly deliveryId: string | null
  /** In base64. */
  readonly body: string
  readonly receivedAt: number
  readonly state: InboxResult['state']
  readonly failures: number
}

function rowOf(row: EventRow): InboxRow {
  return { ...eventOf(row), state: row.state, failures: row.failures }
}

function eventOf({ key, reference, deliveryId, body, receivedAt }: EventRow): InboxEvent {
  return { key, reference, deliveryId, body: new Uint8Array(Buffer.from(body, 'base64')), receivedAt }
}
