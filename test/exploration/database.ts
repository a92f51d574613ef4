import type { Database, Tx } from '../../src/ledger/database.ts'
import { isCertifyError } from '../../src/index.ts'
import type { Clock } from '../../src/clock.ts'
import { ledgerUnusable } from '../../src/ledger/rules/errors.ts'
import type { Actor, Choice } from './actor.ts'
import type { Store } from './store.ts'
import { queryOf, type SendRow, type Tables, type Write, writeOf } from './tables.ts'

/**
 * How a process reaches the database.
 *
 * - `statements`: each statement waits for the scheduler, as in Postgres with READ COMMITTED
 * - `transactions`: a transaction is one step, as in SQLite
 * - `at once`: without a scheduler
 */
export type Steps = 'statements' | 'transactions' | 'at once'

/** `readAt` is the time on which the decision was based. */
type OnCommit = (before: Tables, readAt: number) => void

/** The database as one process reaches it. */
export function databaseOf(
  store: Store,
  actor: Actor,
  clock: Clock,
  steps: Steps,
  onCommit: OnCommit = () => {},
): Database {
  return {
    path: 'simulated',
    revision: '',
    driver: 'simulated',
    clock,
    problems: async () => [],
    close: async () => {},
    async transaction(work, until) {
      const { history } = actor
      try {
        if (steps === 'transactions') await actor.ask(() => begin(actor))
        if (until?.aborted === true) throw until.reason
        for (;;) {
          const attempt = new Attempt(store, actor, steps === 'statements', onCommit)
          const result = await work(attempt.tx)
          if (!(await attempt.commit())) continue
          actor.keepOnly(history, result)
          return result
        }
      } catch (error) {
        actor.keepOnly(history, isCertifyError(error) && error.code)
        throw error
      } finally {
        store.unlock(actor)
      }
    },
  }
}

function begin(actor: Actor): readonly Choice[] {
  const label = `${actor.name} runs its transaction`
  return [
    { label, cost: 0, take: () => actor.resolve(undefined, '') },
    { label: `${label}: it fails`, cost: 1, take: () => actor.reject(unreachable()) },
  ]
}

/* One attempt at a transaction. */
class Attempt {
  readonly #store: Store
  readonly #actor: Actor
  readonly #isScheduled: boolean
  readonly #onCommit: OnCommit
  readonly #writes: Write[] = []
  #wanted: string[] = []
  #hasBegun = false
  #readAt = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: Store, actor: Actor, isScheduled: boolean, onCommit: OnCommit) {
    this.#store = store
    this.#onCommit = onCommit
    this.#actor = actor
    this.#isScheduled = isScheduled
  }

  readonly tx: Tx = {
    now: () =>
      this.#inTurn('reads the time', String, () => {
        this.#readAt = this.#store.time
        return this.#readAt
      }),
    all: (sql, ...values) => {
      /* All use the same service, so it is no step. */
      if (sql.includes('certify_accounts')) return Promise.resolve([{ service: 'https://certify.test', former: '[]' }])
      const { what, rows } = queryOf(sql)
      const seen = (found: readonly SendRow[]) => found.map(({ hash }) => hash).join()
      return this.#inTurn(what, seen, () => rows(this.#tables() ?? this.#store.tables, values)) as Promise<never>
    },
    /* Invisible to others before the commit. */
    run: (sql, ...values) => {
      const nextId = () => {
        const id = this.#store.nextId()
        /* Another transaction may take the next id, and commit first. */
        this.#actor.receive(id)
        return id
      }
      this.#writes.push(writeOf(sql, values, nextId))
    },
    /* Unobservable until the next statement: so both are one step. */
    lock: async (name) => {
      this.#wanted.push(name)
    },
    lockFound: (sql, ...values) => {
      const { what, rows } = queryOf(sql)
      const found = () => rows(this.#store.tables, values).map(({ email_key }) => `candidate ${String(email_key)}`)
      return this.#inTurn(what, String, () => found()[0], found)
    },
  }

  /** Resolves with whether it was committed, as far as the process knows. */
  async commit(): Promise<boolean> {
    /* A read-only transaction: unobservable. */
    if (this.#writes.length === 0) return true
    if (this.#isScheduled) return this.#actor.ask(() => this.#endings())
    return this.#apply()
  }

  /* Statements are pipelined. */
  #inTurn<Value>(
    what: string,
    seen: (value: Value) => string,
    run: () => Value,
    locks: () => readonly string[] = () => [],
  ): Promise<Value> {
    if (!this.#isScheduled) return Promise.resolve(run())
    const asked = this.#last.then(() => this.#actor.ask<Value>(() => this.#choices(what, seen, run, locks())))
    this.#last = asked
    return asked
  }

  #choices<Value>(
    what: string,
    seen: (value: Value) => string,
    run: () => Value,
    locks: readonly string[],
  ): readonly Choice[] {
    const actor = this.#actor
    const wanted = [...locks, ...this.#wanted]
    const label = `${actor.name} ${wanted.map((name) => `locks ${name} and `).join('')}${what}`
    const take = () => {
      this.#hasBegun = true
      this.#store.lock(actor, wanted)
      this.#wanted = []
      const value = run()
      actor.resolve(value, seen(value))
    }
    const isFree = this.#store.canLock(actor, wanted)
    return [
      ...(isFree ? [{ label, cost: 0, take } as const] : []),
      /* A later loss is the same as one at the commit: nothing was observable before that. */
      ...(this.#hasBegun
        ? []
        : [{ label: `${label}: no connection`, cost: 1, take: () => actor.reject(unreachable()) } as const]),
    ]
  }

  #endings(): readonly Choice[] {
    const actor = this.#actor
    const ends = (how: string, cost: 0 | 1, isCommitted: boolean, end: () => void): Choice => ({
      label: `${actor.name} commits${how}`,
      cost,
      take: () => {
        if (isCommitted) this.#apply()
        this.#store.unlock(actor)
        end()
      },
    })
    const tell = (isKnown: boolean) => () => actor.resolve(isKnown, String(isKnown))
    /* Another transaction has added the same reference. */
    if (this.#tables() === undefined) return [ends(': conflict', 0, false, tell(false))]
    return [
      ends('', 0, true, tell(true)),
      ends(': not committed, and nobody knows', 1, false, tell(false)),
      ends(': committed, and nobody knows', 1, true, tell(false)),
      ends(': committed, and no connection after it', 1, true, () => actor.reject(unreachable())),
    ]
  }

  /* As this transaction sees them; `undefined` after a conflict. */
  #tables(): Tables | undefined {
    return this.#writes.reduce<Tables | undefined>((tables, write) => tables && write(tables), this.#store.tables)
  }

  #apply(): boolean {
    const [before, tables] = [this.#store.tables, this.#tables()]
    if (tables === undefined) return false
    this.#store.tables = tables
    this.#onCommit(before, this.#readAt)
    return true
  }
}

function unreachable(): Error {
  return ledgerUnusable('the database cannot be reached', '')
}
