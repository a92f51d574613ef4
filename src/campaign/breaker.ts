import type { CertifyError } from '../errors.ts'
import { type Clock, pause } from '../clock.ts'
import { isServiceResponse, type Verdict, waitAfter } from './failed-send.ts'
import type { OutageEvent, PauseEvent } from './row.ts'

/** What the circuit breaker needs from its run. */
export interface BreakerOptions {
  readonly clock: Clock
  /** How many creates may be on their way. */
  readonly concurrency: number
  /** How long an outage may last, in milliseconds. */
  readonly maxOutageMs: number
  /** How often the first probe may be tried, and how long it may be asked to wait. */
  readonly first: { readonly maxAttempts: number; readonly deadlineMs: number }
  /** Sends the harmless query once. Resolves with its failure, and with `undefined` if it went well. */
  readonly probe: () => Promise<CertifyError | undefined>
  readonly notify: (event: OutageEvent | PauseEvent) => void
  /** Ends the run: aborts `stopping`. */
  readonly end: (error: CertifyError) => void
  readonly stopping: AbortSignal
}

/* From the first inconclusive create to the next conclusive one. */
interface Outage {
  readonly since: number
  /** The same, or since the service last responded to a probe. */
  openSince: number
  error: CertifyError
  isReported: boolean
  /** Failed probes, and creates that failed in the half-open state. */
  failures: number
  /** Creates that failed in the half-open state; the second number: those of them whose outcome is unknown. */
  trials: [failed: number, lost: number]
  unknown: number
}

/** Permission to record a create, and then to send it. */
export interface Permit {
  /** How many creates were inconclusive when this one was sent; `undefined`: it is not sent yet. */
  sentAfter: number | undefined
}

/* The same as for a create. */
const MOST_LIMITS = 10
const MOST_FAILED_TRIALS = 10
const MOST_LOST_TRIALS = 3

/**
 * A circuit breaker whose half-open probe is a harmless query, because a lost create costs a person's time.
 *
 * An inconclusive create counts until a later one is conclusive. So the creates on their way and the inconclusive ones
 * together never exceed the concurrency, and an outage makes at most that many rows unknown. If that many are inconclusive,
 * the breaker opens, and the query probes the service until it responds. Then, half-open, one create is sent; if that is
 * conclusive, two, four and so on. It is open at the start, too: the first probe precedes the first create.
 *
 * Meanwhile a quarter as many of the next creates may be recorded in advance, so that no free slot waits for the disk.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions
  #state: 'closed' | 'open' | 'half-open' = 'open'
  #limit: number
  #permits = 0
  #onTheirWay = 0
  /* Since the last conclusive create, and ever. */
  #inconclusive = 0
  #everInconclusive = 0
  #outage: Outage | undefined
  #probing: Promise<void> | undefined
  #waiting: (() => void)[] = []
  /** How often the service has responded. */
  responses = 0

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#limit = options.concurrency
  }

  /** How many creates may have a permit. */
  static permitsFor(concurrency: number): number {
    return concurrency + Math.floor(concurrency / 4)
  }

  /** Waits until a create may be recorded. Resolves with a permit, and with `undefined` if the run ends before. */
  async enter(): Promise<Permit | undefined> {
    while (!this.#options.stopping.aborted) {
      if (this.#state === 'open') await this.#probe()
      else if (this.#permits + this.#inconclusive < CircuitBreaker.permitsFor(this.#limit)) {
        this.#permits += 1
        return { sentAfter: undefined }
      } else await this.#change()
    }
    return undefined
  }

  /** Waits until a recorded create may be sent. Resolves with `false` if the breaker opens, or the run ends, before. */
  async send(permit: Permit): Promise<boolean> {
    while (this.#state !== 'open' && !this.#options.stopping.aborted) {
      if (this.#onTheirWay + this.#inconclusive < this.#limit) {
        this.#onTheirWay += 1
        permit.sentAfter = this.#everInconclusive
        return true
      }
      await this.#change()
    }
    return false
  }

  /** A create has ended, or is not sent. */
  leave({ sentAfter }: Permit, verdict: Verdict, error?: CertifyError): void {
    this.#permits -= 1
    if (sentAfter !== undefined) this.#onTheirWay -= 1
    /* A create that began before the last inconclusive one proves nothing about the time since. */
    if (verdict === 'conclusive' && sentAfter === this.#everInconclusive) this.#close()
    if (verdict === 'inconclusive' && error !== undefined) this.#fail(error)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #close(): void {
    const outage = this.#outage
    this.#state = 'closed'
    this.#limit = Math.min(this.#options.concurrency, 2 * this.#limit)
    this.#inconclusive = 0
    this.#outage = undefined
    this.responses += 1
    if (outage?.isReported === true && !this.#options.stopping.aborted) this.#report(outage, 'over')
  }

  #fail(error: CertifyError): void {
    const now = this.#options.clock.now()
    const lost = Number(error.outcome === 'unknown')
    this.#outage ??= { since: now, openSince: now, error, isReported: false, failures: 0, trials: [0, 0], unknown: 0 }
    this.#outage.error = error
    this.#outage.unknown += lost
    this.#inconclusive += 1
    this.#everInconclusive += 1
    if (this.#state === 'half-open') {
      const [failed, alsoLost] = this.#outage.trials
      this.#outage.trials = [failed + 1, alsoLost + lost]
      this.#outage.failures += 1
    }
    if (this.#inconclusive >= this.#limit) this.#state = 'open'
  }

  /* All workers wait for the same probe. */
  #probe(): Promise<void> {
    this.#probing ??= (this.#outage === undefined ? this.#probeFirst() : this.#probeAgain(this.#outage)).finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  /* Before the first create. If nothing responds now, the URL may be wrong. */
  async #probeFirst(): Promise<void> {
    const { clock, first, probe, notify, end, stopping } = this.#options
    for (let attempt = 1; !stopping.aborted; attempt += 1) {
      const error = await probe()
      if (error === undefined || isServiceResponse(error)) return this.#responded('closed')
      const { retryAfterMs = 0, retryable } = error
      const mayTryAgain =
        error.code === 'RATE_LIMITED'
          ? attempt < MOST_LIMITS
          : retryable && attempt < first.maxAttempts && retryAfterMs < first.deadlineMs
      if (!mayTryAgain) return end(error)
      const waitMs = error.retryAfterMs ?? waitAfter(attempt)
      notify({ type: 'pause', waitMs, error })
      await pause(clock, waitMs, stopping)
    }
  }

  async #probeAgain(outage: Outage): Promise<void> {
    const { clock, end, probe, stopping } = this.#options
    /* The service responds to the query, but not to creates. Each further create would be one more unknown row. */
    const [failed, lost] = outage.trials
    if (failed >= MOST_FAILED_TRIALS || lost >= MOST_LOST_TRIALS) return end(outage.error)
    while (await this.#waitForProbe(outage)) {
      const error = await probe()
      if (stopping.aborted) return
      if (error === undefined || isServiceResponse(error)) {
        this.#inconclusive = 0
        this.#limit = 1
        outage.openSince = clock.now()
        return this.#responded('half-open')
      }
      if (error.code === 'CONFIG_INVALID' || error.code === 'CLOCK_SKEW') return end(error)
      outage.failures += 1
      outage.error = error
    }
  }

  #responded(state: 'closed' | 'half-open'): void {
    this.#state = state
    this.responses += 1
  }

  /* Resolves with whether to go on. */
  async #waitForProbe(outage: Outage): Promise<boolean> {
    const { clock, maxOutageMs, end, stopping } = this.#options
    const { retryAfterMs = 0, code } = outage.error
    const askedMs = Math.max(retryAfterMs, outage.failures === 0 ? 0 : waitAfter(outage.failures))
    if (askedMs === 0) return true
    const now = clock.now()
    /* The clock may have been set back. */
    outage.openSince = Math.min(outage.openSince, now)
    const leftMs = outage.openSince + maxOutageMs - now
    /* A limit on requests is no outage: its wait may be longer. */
    const isLimit = code === 'RATE_LIMITED'
    if (leftMs <= 0 || (!isLimit && retryAfterMs > leftMs)) {
      end(outage.error)
      return false
    }
    const waitMs = isLimit ? askedMs : Math.min(askedMs, leftMs)
    outage.isReported = true
    this.#report(outage, 'waiting', now + waitMs)
    return pause(clock, waitMs, stopping)
  }

  #report({ since, unknown, error }: Outage, state: OutageEvent['state'], nextProbe?: number): void {
    const nextProbeAt = nextProbe === undefined ? undefined : new Date(nextProbe).toISOString()
    this.#options.notify({ type: 'outage', state, since: new Date(since).toISOString(), nextProbeAt, unknown, error })
  }
}
