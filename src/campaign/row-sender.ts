import type { SendInput } from '../ledger/rules/entry.ts'
import type { Send } from './create.ts'
import { type QuizResult, resultOf, singleInput } from './overlap.ts'
import type { Progress } from './progress.ts'
import type { PlannedRow } from './row.ts'
import type { RunOptions } from './run-options.ts'
import type { Sender } from './sender.ts'

/** Sends the rows of a campaign, and reports each. */
export class RowSender {
  readonly #sender: Sender
  readonly #progress: Progress
  readonly #sendsUnknown: boolean

  constructor(sender: Sender, progress: Progress, { ifUnknown }: Pick<RunOptions, 'ifUnknown'>) {
    this.#sender = sender
    this.#progress = progress
    this.#sendsUnknown = ifUnknown === 'create'
  }

  /**
   * Sends a row. Resolves when the next one may be sent. The outcome of this one may not be recorded yet. If several processes
   * share the ledger and another one is sending the row, it resolves with `in-flight` at once.
   */
  async send(planned: PlannedRow): Promise<'in-flight' | undefined> {
    const { row, input, missingQuizIds } = planned
    if (input === undefined) return undefined
    const done: Send['done'] = (status, found) => this.#progress.done(planned, status, found)
    const send: Send = {
      row,
      input,
      done,
      although: this.#although(planned),
      ...(this.#sender.isShared && { waitForInProgressMs: 0 }),
    }
    const { missing, isInFlight = false } =
      missingQuizIds === undefined ? await this.#sender.send(send) : { missing: missingQuizIds }
    if (missing !== undefined) await this.#fill(planned, input, missing)
    return isInFlight ? 'in-flight' : undefined
  }

  /* Another process may have lost an answer since the plan: that was not asked for. */
  #although({ status }: PlannedRow): Send['although'] {
    return { unknown: this.#sendsUnknown && (!this.#sender.isShared || status === 'unknown') }
  }

  /* Each missing quiz is claimed for itself: a run that was ended in between is resumed at the next one. */
  async #fill(planned: PlannedRow, input: SendInput, quizIds: readonly string[]): Promise<void> {
    const results: QuizResult[] = []
    for (const quizId of quizIds) {
      const done: Send['done'] = (status, found) => results.push({ quizId, status, found })
      await this.#sender.send({
        row: planned.row,
        input: singleInput(input, quizId),
        done,
        although: this.#although(planned),
      })
    }
    await this.#sender.recorded()
    if (results.length === 0) return
    const { row, status, found } = resultOf(planned, quizIds, results)
    this.#progress.done(row, status, found)
  }
}
