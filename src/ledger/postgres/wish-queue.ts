import type { CertifyErrorCode } from '../../index.ts'
import { accountKey } from '../rules/key.ts'
import type { PostgresConnection, Statement } from './connection.ts'
import type { Listener } from './listener.ts'
import { CHANNEL, END, IS_WAITING, POSTPONE, RENEW, TAKE } from './outbox-statements.ts'
import { readWish, type StoredWish, type Wish, type WishState } from './wish.ts'

/** How a wish ended. */
export interface WishEnd {
  readonly state: Exclude<WishState, 'waiting' | 'sending' | 'cancelled'>
  readonly entry?: string | undefined
  readonly code?: CertifyErrorCode | undefined
}

/** A wish that a worker has taken. */
export interface TakenWish {
  readonly wish: Wish
  /** Who has it: this worker, by this take. */
  readonly owner: string
  /** Whether another worker had it, and is gone: it may have been sent. */
  readonly wasSending: boolean
}

/**
 * The wishes of one account, as a worker takes them. A worker has what it took until its lease is over. Every change says
 * whether it still had the wish: if not, nothing was changed.
 */
export class WishQueue {
  readonly #connection: PostgresConnection
  readonly #account: string
  readonly #leaseMs: number

  /** @param leaseMs how long a worker has a wish, in milliseconds */
  constructor(connection: PostgresConnection, account: string, leaseMs: number) {
    this.#connection = connection
    this.#account = accountKey(account)
    this.#leaseMs = leaseMs
  }

  /** Takes at most so many due wishes. The one that has been due for the longest time comes first. */
  async take(most: number): Promise<readonly TakenWish[]> {
    const owner = crypto.randomUUID()
    const taken = await this.#write<readonly { readonly wish: StoredWish; readonly wasSending: boolean }[]>(TAKE, {
      most,
      owner,
    })
    /* If nobody knows whether they were taken, they are due again when the lease is over. */
    return taken === 'unclear' ? [] : taken.map(({ wish, ...rest }) => ({ ...rest, owner, wish: readWish(wish) }))
  }

  /** Begins the lease again. */
  renew(taken: TakenWish): Promise<boolean> {
    return this.#change(RENEW, taken, {}, false)
  }

  end(taken: TakenWish, end: WishEnd): Promise<boolean> {
    return this.#change(END, taken, end)
  }

  /** Makes it wait again, and be due after so many milliseconds. */
  postpone(taken: TakenWish, delayMs: number, code?: CertifyErrorCode): Promise<boolean> {
    return this.#change(POSTPONE, taken, { delayMs, code })
  }

  /** Whether a wish is due, is with a worker, or waits for another try. Not one that nobody may send yet. */
  async isWaiting(): Promise<boolean> {
    const { isWaiting } = await this.#connection.read<{ readonly isWaiting: boolean }>(IS_WAITING, this.#facts())
    return isWaiting
  }

  /** Calls back at each notification of new wishes. `undefined`: the client cannot listen. */
  listen(onNotification: () => void): Listener | undefined {
    const { schema } = this.#connection
    return this.#connection.listen(CHANNEL, (payload) => {
      if (payload === schema) onNotification()
    })
  }

  /* After an unclear change that gives it away, this worker has it no more, because of that change. */
  async #change(
    statement: Statement,
    { wish: { reference }, owner }: TakenWish,
    facts: object,
    givesAway = true,
  ): Promise<boolean> {
    for (let isUnclear = false; ; isUnclear = true) {
      const result = await this.#write<{ readonly isMine: boolean }>(statement, {
        reference,
        owner,
        ...facts,
      })
      if (result !== 'unclear') return result.isMine || (isUnclear && givesAway)
    }
  }

  #write<Result>(statement: Statement, facts: object): Promise<Result | 'unclear'> {
    return this.#connection.write<Result>(statement, this.#facts(facts))
  }

  #facts(facts: object = {}): object {
    const { ownTime } = this.#connection
    return { ...facts, account: this.#account, leaseMs: this.#leaseMs, now: ownTime() }
  }
}

const CONNECTIONS = new WeakMap<object, PostgresConnection>()

/** Makes {@link wishQueueOf} know a ledger. */
export function withWishQueue<Of extends object>(ledger: Of, connection: PostgresConnection): Of {
  CONNECTIONS.set(ledger, connection)
  return ledger
}

/** @throws TypeError if the ledger is not from `openPostgresLedger` of this package */
export function wishQueueOf(ledger: object, account: string, leaseMs: number): WishQueue {
  const connection = CONNECTIONS.get(ledger)
  if (connection === undefined) throw new TypeError('The ledger must be from openPostgresLedger.')
  return new WishQueue(connection, account, leaseMs)
}
