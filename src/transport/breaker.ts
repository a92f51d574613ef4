import { type Clock, type Runtime, timeLimit, untilAborted } from '../clock.ts'
import { CertifyError, isCertifyError } from '../errors.ts'
import { BreakerState, type Outage, type Permit } from './breaker-state.ts'
import type { SendOptions } from './call.ts'
import { type Hooks, notify } from './hooks.ts'

/** A create that may have to wait. */
export interface Waiting extends Pick<SendOptions, 'signal'> {
  readonly operation: string
  readonly runtime: Runtime
  /** When its deadline is, by the monotonic clock. */
  readonly endsAt: number
}

/** The circuit breaker of the creates that clients with one ledger send to one endpoint, or of one client without a ledger. */
export class CircuitBreaker {
  readonly #now: Clock['now']
  readonly #state = new BreakerState()
  #waiting: (() => void)[] = []

  constructor({ now }: Pick<Clock, 'now'>) {
    this.#now = now
  }

  get outage(): Outage | undefined {
    return this.#state.outage
  }

  /** How often the service has responded. */
  get responses(): number {
    return this.#state.responses
  }

  /**
   * Waits until a create may be sent: then {@link record} it, or {@link release} its permit. `probe`: the caller first sends
   * the harmless query, passes it to {@link probed}, and asks again. `undefined`: its signal was aborted.
   *
   * @throws CertifyError SERVICE_UNAVAILABLE, outcome `not-executed`
   */
  async admit({ operation, runtime, endsAt, signal }: Waiting): Promise<Permit | 'probe' | undefined> {
    for (;;) {
      if (signal?.aborted === true) return undefined
      const admission = this.#state.admit(this.#now())
      if (admission !== 'wait' && typeof admission !== 'number') return admission
      const leftMs = endsAt - runtime.elapsed()
      if (admission !== 'wait' || leftMs <= 0) throw unavailable(operation, this.outage, admission)
      const limit = timeLimit(runtime, leftMs, signal)
      const change = new Promise<void>((resolve) => this.#waiting.push(resolve))
      await untilAborted(change, limit.signal).catch(() => {})
      limit.stop()
    }
  }

  /** Counts how the query of a probe ends. @throws its failure, if that is the caller's own */
  async probed(query: Promise<unknown>): Promise<void> {
    const error: unknown = await query.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    const isOwn = !this.#state.probed(error, this.#now())
    this.#wake()
    /* After an abort, the create ends by the same signal. */
    if (isOwn && !(isCertifyError(error) && error.code === 'ABORTED')) throw error
  }

  /** Counts how a create ends, and ends likewise. */
  async record<Result>(permit: Permit | undefined, sent: Promise<Result>, hooks: Hooks): Promise<Result> {
    let error: unknown
    try {
      return await sent
    } catch (thrown) {
      error = thrown
      throw thrown
    } finally {
      if (permit !== undefined) this.#ended(permit, error, hooks)
    }
  }

  /** A create is not sent after all. */
  release(permit: Permit): void {
    this.#ended(permit, null, {})
  }

  #ended(permit: Permit, error: unknown, { onBreakerOpened, onBreakerClosed }: Hooks): void {
    const outage = this.#state.ended(permit, error, this.#now())
    if (outage !== undefined) {
      const { since, unknown, error: last } = outage
      notify(outage === this.outage ? onBreakerOpened : onBreakerClosed, () => ({
        since: new Date(since).toISOString(),
        unknown,
        code: last.code,
        status: last.status,
      }))
    }
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

function unavailable(operation: string, outage: Outage | undefined, retryAfterMs: number | 'wait'): CertifyError {
  return new CertifyError({
    code: 'SERVICE_UNAVAILABLE',
    outcome: 'not-executed',
    operation,
    retryable: true,
    retryAfterMs: retryAfterMs === 'wait' ? LOOK_AGAIN_MS : retryAfterMs,
    message: `${operation}: the last creates had no clear response (${outage?.error.code}). Nothing was sent.`,
    hint: 'Call again after `retryAfterMs`.',
  })
}

/* Another create probes the service. */
const LOOK_AGAIN_MS = 1000
