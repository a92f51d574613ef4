import type { CertifyError } from '../index.ts'
import { type Clock, pause } from '../clock.ts'
import { backOffMs, isServiceResponse, type Verdict } from './failed-send.ts'
import type { OutageEvent, PauseEvent } from './row.ts'

/** What the circuit breaker needs from its run. */
export interface BreakerOptions {
  readonly clock: Clock
  /** How many creates may be on their way. */
  readonly concurrency: number
  /** How long an outage may last, in milliseconds. */
  readonly maxOutageMs: number
  /** The longest Retry-After to wait for, in milliseconds. */
  readonly maxWaitMs: number
  /** How often the first probe may be tried, and how long it may be asked to wait. */
  readonly first: { readonly maxAttempts: number; readonly deadlineMs: number }
  /** Sends the harmless query once. Resolves with its failure, and with `undefined` if it went well. */
  readonly probe: () => Promise<CertifyError | undefined>
  readonly notify: (event: OutageEvent | PauseEvent) => void
  /** Ends the run: aborts `stopping`. */
  readonly end: (error: CertifyError) => void
  readonly stopping: AbortSignal
}

/** The right to send one create. */
export interface Permit {
  /** How many creates had been inconclusive when this one began. */
  readonly generation: number
}

/* From the first inconclusive create to the next conclusive one. */
interface Outage {
  readonly since: number
  /** The same, or since the service last responded to a probe. */
  openSince: number
  unknown: number
  error: CertifyError
  isReported: boolean
  /** Failed probes and failed trials. */
  failures: number
  /** Creates that failed in the half-open state, and those of them whose outcome is unknown. */
  failedTrials: number
  lostTrials: number
}

/**
 * A circuit breaker whose half-open probe is a harmless query, because a lost create costs a person's time.
 *
 * An inconclusive create keeps its permit until a later one is conclusive. So the creates on their way and the inconclusive
 * ones together never exceed the concurrency, and an outage makes at most so many rows unknown. If all permits are lost, the
 * breaker opens, and the query probes the service until it responds. Then, half-open, one create is sent; if that is
 * conclusive, two, four and so on. It is open at the start, too: the first probe precedes the first create.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions
  #state: 'closed' | 'open' | 'half-open' = 'open'
  #limit: number
  #onTheirWay = 0
  /* Since the last conclusive create, and ever. */
  #inconclusive = 0
  #generation = 0
  #responses = 0
  #outage: Outage | undefined
  #probing: Promise<void> | undefined
  #changed: Promise<void> | undefined
  #onChange: () => void = () => {}

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#limit = options.concurrency
  }

  /** How often the service has responded. */
  get responses(): number {
    return this.#responses
  }

  /** Waits until a create may be sent. Resolves with `undefined` if the run ends before. */
  async enter(): Promise<Permit | undefined> {
    for (;;) {
      if (this.#options.stopping.aborted) return undefined
      if (this.#state === 'open') await this.#probe()
      else if (this.#onTheirWay + this.#inconclusive < this.#limit) {
        this.#onTheirWay += 1
        return { generation: this.#generation }
      } else await this.#change()
    }
  }

  /** A create has ended. */
  leave({ generation }: Permit, verdict: Verdict, error?: CertifyError): void {
    this.#onTheirWay -= 1
    /* A create that began before the last inconclusive one proves nothing about the time since. */
    if (verdict === 'conclusive' && generation === this.#generation) this.#close()
    if (verdict === 'inconclusive' && error !== undefined) this.#fail(error)
    this.#onChange()
    this.#changed = undefined
  }

  #close(): void {
    const { concurrency, notify, stopping } = this.#options
    const outage = this.#outage
    this.#state = 'closed'
    this.#responses += 1
    this.#limit = Math.min(concurrency, 2 * this.#limit)
    this.#inconclusive = 0
    this.#outage = undefined
    if (outage?.isReported === true && !stopping.aborted) notify(eventOf(outage, 'over'))
  }

  #fail(error: CertifyError): void {
    const now = this.#options.clock.now()
    const isLost = error.outcome === 'unknown'
    this.#outage ??= { since: now, openSince: now, error, ...NEW_OUTAGE }
    this.#outage.error = error
    this.#outage.unknown += Number(isLost)
    this.#inconclusive += 1
    this.#generation += 1
    if (this.#state === 'half-open') {
      this.#outage.failures += 1
      this.#outage.failedTrials += 1
      this.#outage.lostTrials += Number(isLost)
    }
    if (this.#inconclusive >= this.#limit) this.#state = 'open'
  }

  /* All workers wait for the same probe. */
  #probe(): Promise<void> {
    this.#probing ??= (
      this.#outage === undefined ? this.#probeFirst() : this.#probeUntilItResponds(this.#outage)
    ).finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  #change(): Promise<void> {
    this.#changed ??= new Promise((resolve) => {
      this.#onChange = resolve
    })
    return this.#changed
  }

  /* Before the first create. If nothing responds now, the URL may be wrong. */
  async #probeFirst(): Promise<void> {
    const { clock, first, maxWaitMs, probe, notify, end, stopping } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      const error = await probe()
      if (stopping.aborted) return
      if (error === undefined || isServiceResponse(error)) {
        this.#responses += 1
        this.#state = 'closed'
        return
      }
      const { retryAfterMs = 0 } = error
      const mayTryAgain =
        error.code === 'RATE_LIMITED'
          ? attempt < MOST_LIMITS
          : error.retryable && attempt < first.maxAttempts && retryAfterMs < first.deadlineMs
      if (!mayTryAgain || retryAfterMs > maxWaitMs) return end(error)
      const waitMs = error.retryAfterMs ?? backOffMs(attempt)
      notify({ type: 'pause', waitMs, error })
      await pause(clock, waitMs, stopping)
    }
  }

  async #probeUntilItResponds(outage: Outage): Promise<void> {
    const { clock, end, probe, stopping } = this.#options
    /* The service responds to the query, but not to creates. Each further create would be one more unknown row. */
    if (outage.lostTrials >= MOST_LOST_TRIALS || outage.failedTrials >= MOST_TRIALS) return end(outage.error)
    for (;;) {
      const { retryAfterMs = 0 } = outage.error
      const waitMs = outage.failures === 0 ? retryAfterMs : Math.max(retryAfterMs, backOffMs(outage.failures))
      if (waitMs > 0 && !(await this.#wait(outage, waitMs))) return
      const error = await probe()
      if (stopping.aborted) return
      if (error === undefined || isServiceResponse(error)) break
      if (error.code === 'CONFIG_INVALID') return end(error)
      outage.failures += 1
      outage.error = error
    }
    this.#state = 'half-open'
    this.#responses += 1
    this.#inconclusive = 0
    this.#limit = 1
    outage.openSince = clock.now()
  }

  /* Resolves with whether to go on. */
  async #wait(outage: Outage, askedMs: number): Promise<boolean> {
    const { clock, maxOutageMs, maxWaitMs, notify, end, stopping } = this.#options
    const { retryAfterMs = 0, code } = outage.error
    const now = clock.now()
    /* The clock may have been set back. */
    outage.openSince = Math.min(outage.openSince, now)
    const leftMs = outage.openSince + maxOutageMs - now
    /* A limit on requests is no outage: its wait may be longer. */
    const isLimit = code === 'RATE_LIMITED'
    if (leftMs <= 0 || retryAfterMs > maxWaitMs || (!isLimit && retryAfterMs > leftMs)) {
      end(outage.error)
      return false
    }
    const waitMs = isLimit ? askedMs : Math.min(askedMs, leftMs)
    outage.isReported = true
    notify(eventOf(outage, 'waiting', now + waitMs))
    return pause(clock, waitMs, stopping)
  }
}

const NEW_OUTAGE = { unknown: 0, isReported: false, failures: 0, failedTrials: 0, lostTrials: 0 }

function eventOf({ since, unknown, error }: Outage, state: OutageEvent['state'], nextProbeAt?: number): OutageEvent {
  return { type: 'outage', state, since, nextProbeAt, unknown, error }
}

/* The same as for a create. */
const MOST_LIMITS = 10
const MOST_LOST_TRIALS = 3
const MOST_TRIALS = 10
