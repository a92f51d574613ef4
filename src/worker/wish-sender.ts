import { settle } from '../index.ts'
import { backOffMs } from '../campaign/failed-send.ts'
import type { Sender } from '../campaign/sender.ts'
import { attemptsOf } from '../ledger/rules/attempts.ts'
import type { TakenWish, WishQueue } from '../ledger/postgres/wish-queue.ts'
import type { LedgerScope } from '../ledger/rules/entry.ts'
import type { Ledger } from '../ledger/rules/ledger.ts'
import type { WorkerRun } from './worker-run.ts'
import { resultOfEntry, resultOfSend, TAKEN_ELSEWHERE, type WishResult } from './wish-result.ts'

/** What it needs of its worker. */
export interface WishSenderParts {
  readonly ledger: Ledger
  /** In the spelling of keys. */
  readonly scope: LedgerScope
  readonly queue: WishQueue
  readonly sender: Sender
  readonly run: WorkerRun
}

/** Sends wishes that were taken, and records what became of them: in the ledger first, then in the outbox. */
export class WishSender {
  readonly #parts: WishSenderParts

  constructor(parts: WishSenderParts) {
    this.#parts = parts
  }

  /** Sends a wish until its outcome is decided and recorded. A failure that every wish would share ends the worker. */
  async send(taken: TakenWish): Promise<void> {
    const { queue, run } = this.#parts
    try {
      const result = await this.#resultOf(taken)
      if (result === 'lost') return
      /* It is not the reason why the worker ends. */
      if (result === undefined || run.isEndedBy(result.error)) await queue.postpone(taken, 0)
      else await this.#record(taken, result)
    } catch (error) {
      run.end(error)
    }
  }

  /* `lost`: this worker does not have it any more. `undefined`: it was not sent. */
  async #resultOf(taken: TakenWish): Promise<WishResult | 'lost' | undefined> {
    const { sender, run, ledger } = this.#parts
    const { input, campaign, ifInvited, tries } = taken.wish
    const takenAt = ledger.clock.now()
    let result: WishResult | 'lost' | undefined
    let isFirst = true
    const { value, error } = await settle(
      sender.send({
        input,
        campaign,
        although: { invited: ifInvited === 'create' },
        waitForInProgressMs: 0,
        nextReference: async () => {
          const next = await this.#nextReference(taken, takenAt, isFirst)
          isFirst = false
          if (typeof next === 'object' && 'reference' in next) return next.reference
          result = next
          return undefined
        },
        done: (status, found) => {
          result = resultOfSend(taken.wish, status, found)
        },
      }),
    )
    await sender.recorded()
    if (value?.isInFlight === true) return TAKEN_ELSEWHERE
    if (error === undefined || result !== undefined) return result
    /* The packages could not be listed, or the ledger could not be read. */
    if (error.retryable) return { state: 'waiting', dueInMs: error.retryAfterMs ?? backOffMs(tries), error }
    run.end(error)
    return undefined
  }

  /* The reference of the next attempt, or why there is none. */
  async #nextReference(
    taken: TakenWish,
    takenAt: number,
    isFirst: boolean,
  ): Promise<{ readonly reference: string } | WishResult | 'lost'> {
    const { ledger, queue, scope } = this.#parts
    const { reference } = taken.wish
    /* In an outage it may have waited for long: another worker may have taken it, or somebody may have removed it. */
    const isOld = ledger.clock.now() - takenAt > SHORT_MS
    if (isOld && !(await queue.renew(taken))) return 'lost'
    const { last, next } = await attemptsOf(ledger, reference)
    return (last && resultOfEntry(taken, last, { scope, isFirst })) ?? { reference: next }
  }

  async #record(taken: TakenWish, result: WishResult): Promise<void> {
    const { queue, run } = this.#parts
    const { reference, input, campaign } = taken.wish
    const { state, entry, invites = [], error, dueInMs = 0 } = result
    const code = result.code ?? error?.code
    const isMine =
      state === 'waiting'
        ? await queue.postpone(taken, dueInMs, code)
        : await queue.end(taken, { state, entry, code: state === 'created' ? undefined : code })
    if (!isMine) return
    run.notify({
      type: 'wish',
      reference,
      state,
      campaign,
      entry,
      error,
      quizId: 'quizId' in input ? input.quizId : undefined,
      packageId: 'packageId' in input ? input.packageId : undefined,
      invites: invites.map(({ inviteId, expiresAt }) => ({
        inviteId,
        expiresAt,
      })),
      dueInMs: state === 'waiting' ? dueInMs : undefined,
    })
  }
}

/* So soon after it was taken, nobody else has it. */
const SHORT_MS = 5_000
