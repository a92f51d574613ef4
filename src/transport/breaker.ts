import { type Clock, pause, type Runtime, timeLimit, raceWithAbort } from '../clock.ts'
import { type CertifyError, isCertifyError, refusal } from '../errors.ts'
import { type Admission, BreakerState, type Outage, type Permit } from './breaker-state.ts'
import type { SendOptions } from './call.ts'
import { type Hooks, notify } from './observe.ts'

/** A create that may have to wait. */
export interface Waiting extends Pick<SendOptions, 'signal'> {
  readonly operation: string
  readonly runtime: Runtime
  /** When its deadline is, by the monotonic clock. */
  readonly endsAt: number
  /** The limit for one attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Sends the harmless query, within the limits of the client, not of this create. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>
  /** How long that may take, in milliseconds. */
  readonly probeMs: number
}

/** The query that was sent, until it ends. */
interface Probe {
  readonly controller: AbortController
  /** What is left of its time, in milliseconds. */
  readonly leftMs: () => number
}

/**
 * The circuit breaker of the creates that clients with one ledger send to one endpoint for one account; or of one client without a
 * ledger.
 */
export class CircuitBreaker {
  readonly #clock: Clock
  readonly #state = new BreakerState()
  /* By their time limits. */
  readonly #waiting = new Map<AbortSignal, () => void>()
  /* How many creates ask just now. */
  #asking = 0
  #probe: Probe | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get outage(): Outage | undefined {
    return this.#state.outage
  }

  /** How often the service has responded. */
  get responses(): number {
    return this.#state.responses
  }

  /**
   * Waits until a create may be sent: then {@link record} it, or {@link release} its permit. `undefined`: its signal was
   * aborted. If the harmless query is due, this sends it, once for all who wait.
   *
   * @throws CertifyError SERVICE_UNAVAILABLE, outcome `not-executed`; or the failure of the query, if that is its client's own
   */
  async admit(waiting: Waiting): Promise<Permit | undefined> {
    const { operation, runtime, endsAt, timeoutMs, probeMs, signal } = waiting
    let ownFailure: Error | undefined
    this.#asking += 1
    try {
      for (;;) {
        if (signal?.aborted === true) return undefined
        if (ownFailure !== undefined) throw ownFailure
        const leftMs = endsAt - runtime.elapsed()
        const admission = this.#state.admit(this.#clock.now(), leftMs, timeoutMs, probeMs)
        if (typeof admission === 'object') return admission
        let mayWaitMs = admission === 'wait' ? leftMs : 0
        if (admission === 'probe') {
          const probe = this.#probing(waiting, (failure) => {
            ownFailure = failure
          })
          mayWaitMs = Math.min(leftMs, probe.leftMs())
        }
        if (mayWaitMs <= 0) throw unavailable(operation, this.#state, admission)
        await this.#change(runtime, mayWaitMs, signal)
      }
    } finally {
      this.#asking -= 1
      /* It must not keep a program running that was told to end. */
      if (this.#asking === 0 && signal?.aborted === true) this.#probe?.controller.abort()
    }
  }

  /* Until something has changed, or the time is up. */
  async #change(runtime: Runtime, ms: number, signal: SendOptions['signal']): Promise<void> {
    const limit = timeLimit(runtime, ms, signal)
    const change = new Promise<void>((resolve) => this.#waiting.set(limit.signal, resolve))
    await raceWithAbort(change, limit.signal).catch(() => {})
    this.#waiting.delete(limit.signal)
    limit.stop()
  }

  /* The query that is being sent, or a new one: where a runtime has ended the request of a server, its query never settles. */
  #probing({ runtime, probe: send, probeMs }: Waiting, onOwnFailure: (failure: Error) => void): Probe {
    if (this.#probe !== undefined && this.#probe.leftMs() > 0) return this.#probe
    const began = this.#clock.now()
    const settlesAt = runtime.elapsed() + probeMs + SETTLES_MS
    const controller = new AbortController()
    const probe: Probe = { controller, leftMs: () => settlesAt - runtime.elapsed() }
    this.#probe = probe
    /* How it ends counts, whether or not its caller still waits. */
    const ended = (error?: Error) => {
      if (this.#probe !== probe) return
      this.#probe = undefined
      const now = this.#clock.now()
      const isOwn = !this.#state.probed(error, now, now - began, probeMs)
      if (isOwn && error !== undefined && !(isCertifyError(error) && error.code === 'ABORTED')) onOwnFailure(error)
      this.#wake()
    }
    void send(controller.signal).then(() => ended(), ended)
    return probe
  }

  /** Waits through the pause before the next probe, which is due then, whatever the clock says. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    const before = this.#state.pause
    if (await pause(this.#clock, ms, signal)) this.#state.endPause(before)
  }

  /** Counts the outcome of a create, and returns its result or rethrows its error. */
  async record<Result>(permit: Permit | undefined, sent: Promise<Result>, hooks: Hooks): Promise<Result> {
    const began = this.#clock.now()
    let error: unknown
    try {
      return await sent
    } catch (thrown) {
      error = thrown
      throw thrown
    } finally {
      if (permit !== undefined) this.#ended(permit, error, hooks, this.#clock.now() - began)
    }
  }

  /** A create is not sent after all. */
  release(permit: Permit): void {
    this.#ended(permit, null, {}, 0)
  }

  #ended(permit: Permit, error: unknown, { onBreakerOpened, onBreakerClosed }: Hooks, tookMs: number): void {
    const outage = this.#state.ended(permit, error, this.#clock.now(), tookMs)
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
    for (const wake of this.#waiting.values()) wake()
  }
}

function unavailable(operation: string, { lastCode }: BreakerState, admission: Admission): CertifyError {
  const isLate = admission === 'late'
  const last = `the last creates had no clear response (${lastCode})`
  return refusal({
    code: 'SERVICE_UNAVAILABLE',
    operation,
    retryable: true,
    retryAfterMs: typeof admission === 'number' ? admission : LOOK_AGAIN_MS,
    message: `${operation}: ${last}${isLate ? ', and this one has less time left than the service needs' : ''}. Nothing was sent.`,
    hint: isLate ? 'Call again with a longer `deadlineMs` or `timeoutMs`.' : 'Call again after `retryAfterMs`.',
  })
}

/* The service is being probed, or has just responded. */
const LOOK_AGAIN_MS = 1000
/* A query whose time is up has this long to settle. */
const SETTLES_MS = 1000
