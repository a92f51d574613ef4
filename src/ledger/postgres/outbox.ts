import { CertifyError } from '../../index.ts'
import { LedgerError } from '../rules/errors.ts'
import type { SendInput } from '../rules/entry.ts'
import { accountKey, emailKey } from '../rules/key.ts'
import type { Purge } from '../rules/ledger.ts'
import type { PostgresClient } from './client.ts'
import type { PostgresConnection, Statement } from './connection.ts'
import { checkSame, newWish } from './new-wish.ts'
import { CHANGE, COUNTS, ENQUEUE, FIND, LIST, PURGE } from './outbox-statements.ts'
import { failureOf, unusableBy } from './postgres-errors.ts'
import { runOn } from './run-statement.ts'
import { type EnqueueOptions, readWish, type StoredWish, type Wish, type WishCounts, type WishFilter } from './wish.ts'

/** What is to be sent, and what became of it. */
export interface Outbox {
  /** The wish with a reference. */
  readonly find: (reference: string) => Promise<Wish | undefined>
  /** Wishes, the newest first, read in pages: the list may be long. */
  readonly list: (filter?: WishFilter) => AsyncIterable<Wish>
  /** Counts for monitoring. They do not count what ended well. */
  readonly counts: (filter?: Pick<WishFilter, 'account'>) => Promise<WishCounts>
  /**
   * Cancels a wish that is waiting. Resolves with it.
   *
   * @throws CertifyError INPUT_INVALID, outcome `not-executed`, if there is no such wish, or it is not waiting
   */
  readonly cancel: (reference: string) => Promise<Wish>
  /**
   * Makes a wish wait again that is `refused`, `failed` or `unknown`. If its entry is still unknown, nothing is sent and it
   * ends `unknown` again: resolve the entry first.
   *
   * @throws CertifyError INPUT_INVALID, outcome `not-executed`, if there is no such wish, or it is in another state
   */
  readonly retry: (reference: string) => Promise<Wish>
}

/** The outbox of a ledger, with its writes. */
export class PostgresOutbox implements Outbox {
  readonly #connection: PostgresConnection

  constructor(connection: PostgresConnection) {
    this.#connection = connection
  }

  readonly enqueue = async (tx: PostgresClient, input: SendInput, options: EnqueueOptions): Promise<string> => {
    const wish = newWish(input, options)
    for (;;) {
      const { added, known } = await this.#runIn<{ added: boolean; known: StoredWish | null }>(tx, ENQUEUE, {
        ...wish,
        ...this.#time(),
      })
      if (added) return wish.reference
      if (known === null) continue
      checkSame(wish, readWish(known))
      return wish.reference
    }
  }

  readonly find = async (reference: string) => {
    const wish = await this.#connection.read<StoredWish | undefined>(FIND, { reference, ...this.#time() })
    return wish === undefined ? undefined : readWish(wish)
  }

  async *list({ state, account, campaign, email }: WishFilter = {}): AsyncGenerator<Wish, void, undefined> {
    const filter = {
      state,
      campaign,
      account: account === undefined ? undefined : accountKey(account),
      emailKey: email === undefined ? undefined : emailKey(email),
    }
    for (let before: string | undefined; ; ) {
      const page: readonly StoredWish[] = await this.#connection.read(LIST, { ...filter, before, ...this.#time() })
      for (const wish of page) yield readWish(wish)
      before = page.at(-1)?.id
      if (before === undefined) return
    }
  }

  readonly counts = ({ account }: Pick<WishFilter, 'account'> = {}) =>
    this.#connection.read<WishCounts>(COUNTS, {
      account: account === undefined ? undefined : accountKey(account),
      ...this.#time(),
    })

  readonly cancel = (reference: string) => this.#change('cancel', reference, ['waiting'], 'cancelled')

  readonly retry = (reference: string) => this.#change('retry', reference, ['refused', 'failed', 'unknown'], 'waiting')

  /** Removes wishes as {@link Ledger.purge} removes entries. Call it before that, and after. */
  async purge({ email, olderThanMs }: Purge): Promise<void> {
    const what = { olderThanMs, emailKey: email === undefined ? undefined : emailKey(email) }
    await this.#connection.read(PURGE, { ...what, ...this.#time() }, true)
  }

  /* A transaction of the caller's: it is not repeated, and the caller may need the code of the database. */
  async #runIn<Result>(tx: PostgresClient, statement: Statement, argument: object): Promise<Result> {
    try {
      return await runOn<Result>(tx, statement(this.#connection.schema), argument)
    } catch (error) {
      const failure = failureOf(error)
      const { message, hint } = unusableBy(failure, this.#connection.path)
      const { code } = failure
      const cause = code === undefined ? undefined : Object.assign(new Error(`SQLSTATE ${code}`), { code })
      throw new LedgerError({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed', message, hint, cause })
    }
  }

  async #change(what: 'cancel' | 'retry', reference: string, from: readonly string[], to: string): Promise<Wish> {
    for (;;) {
      const result = await this.#connection.write<{ readonly wish: StoredWish | null }>(CHANGE, {
        reference,
        from,
        to,
        ...this.#time(),
      })
      if (result !== 'unclear' && result.wish !== null) return readWish(result.wish)
      const wish = await this.find(reference)
      /* The change may have been made without an answer. */
      if (result === 'unclear' && wish?.state === to) return wish
      if (result !== 'unclear') throw notChanged(what, reference, from, wish)
    }
  }

  #time(): { readonly now: number | undefined } {
    return { now: this.#connection.ownTime() }
  }
}

function notChanged(what: string, reference: string, from: readonly string[], wish: Wish | undefined): CertifyError {
  const why = wish === undefined ? 'the outbox has no such reference' : `that wish is ${wish.state}`
  return new CertifyError({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    operation: `ledger.outbox.${what}`,
    reference,
    message: `ledger.outbox.${what}: ${why}. Nothing was changed.`,
    hint: `It is possible for wishes that are ${from.join(', ')}.`,
    issues: [{ path: 'reference', rule: `must be that of a wish that is ${from.join(' or ')}` }],
  })
}
