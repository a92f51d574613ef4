import type { CertifyError } from '../index.ts'
import { type Clock, pause } from '../ledger/rules/clock.ts'
import { backOffMs, isServiceResponse, type Verdict } from './failed-send.ts'
import type { OutageEvent, PauseEvent } from './row.ts'

/** What the gate needs from its run. */
export interface OutageOptions {
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
  /** Ends the run. */
  readonly end: (error: CertifyError) => void
  /** Aborted when the run ends. */
  readonly stopping: AbortSignal
}

/** The right to send one create. */
export interface Ticket {
  /** How many creates had been inconclusive when this one began. */
  readonly after: number
}

/* An outage that is not over. */
interface Outage {
  since: number
  /** The same, or since the service last responded to a probe. */
  heldSince: number
  unknown: number
  error: CertifyError
  isReported: boolean
}

/**
 * Lets creates through, as long as the service responds. The creates on their way and the inconclusive ones together never
 * exceed the concurrency. So an outage makes at most so many rows unknown.
 *
 * If as many in a row were inconclusive, no create may be sent. A query probes the service until it responds. Then one create
 * may be sent. Each conclusive one doubles how many may be on their way.
 */
export class OutageGate {
  readonly #options: OutageOptions
  /* The most creates on their way, minus those that were inconclusive. */
  #limit: number
  #onTheirWay = 0
  #inconclusive = 0
  #inconclusiveEver = 0
  #responses = 0
  /* Whether the service responded to the probe, and to no create since. */
  #isTrial = false
  #failedTrials = 0
  /* Those of them whose outcome is unknown. */
  #lostTrials = 0
  /* Failed probes and trials since a create was conclusive. */
  #failures = 0
  #outage: Outage | undefined
  #checking: Promise<void> | undefined
  #changed: Promise<void> | undefined
  #onChange: () => void = () => {}

  constructor(options: OutageOptions) {
    this.#options = options
    this.#limit = options.concurrency
  }

  /** How often the service has responded. */
  get responses(): number {
    return this.#responses
  }

  /** Waits until a create may be sent. Resolves with `undefined` if the run ends before. */
  async enter(): Promise<Ticket | undefined> {
    for (;;) {
      if (this.#options.stopping.aborted) return undefined
      if (this.#responses === 0) await this.#check(() => this.#probeFirst())
      else if (this.#inconclusive >= this.#limit) await this.#check(() => this.#hold())
      else if (this.#onTheirWay + this.#inconclusive < this.#limit) {
        this.#onTheirWay += 1
        return { after: this.#inconclusiveEver }
      } else await this.#change()
    }
  }

  /** A create has ended. */
  leave({ after }: Ticket, verdict: Verdict, error?: CertifyError): void {
    this.#onTheirWay -= 1
    /* A create that began before the last inconclusive one proves nothing about the time since. */
    if (verdict === 'conclusive' && after === this.#inconclusiveEver) this.#resume()
    if (verdict === 'inconclusive' && error !== undefined) this.#note(error)
    this.#onChange()
    this.#changed = undefined
  }

  #resume(): void {
    this.#responses += 1
    this.#inconclusive = 0
    this.#limit = Math.min(this.#options.concurrency, 2 * this.#limit)
    this.#isTrial = false
    this.#failedTrials = 0
    this.#lostTrials = 0
    this.#failures = 0
    const { stopping, notify } = this.#options
    if (this.#outage?.isReported === true && !stopping.aborted) notify({ ...this.#facts(this.#outage), state: 'over' })
    this.#outage = undefined
  }

  #note(error: CertifyError): void {
    const { clock } = this.#options
    this.#inconclusive += 1
    this.#inconclusiveEver += 1
    this.#outage ??= { since: clock.now(), heldSince: clock.now(), unknown: 0, error, isReported: false }
    this.#outage.error = error
    if (error.outcome === 'unknown') this.#outage.unknown += 1
    if (!this.#isTrial) return
    this.#failures += 1
    this.#failedTrials += 1
    if (error.outcome === 'unknown') this.#lostTrials += 1
  }

  /* All workers wait for the same check. */
  #check(check: () => Promise<void>): Promise<void> {
    this.#checking ??= check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
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
        return
      }
      const { retryAfterMs = 0 } = error
      const isLimit = error.code === 'RATE_LIMITED'
      const again = isLimit
        ? attempt < MOST_LIMITS
        : error.retryable && attempt < first.maxAttempts && retryAfterMs < first.deadlineMs
      if (!again || retryAfterMs > maxWaitMs) return end(error)
      const waitMs = error.retryAfterMs ?? backOffMs(attempt)
      notify({ type: 'pause', waitMs, error })
      await pause(clock, waitMs, stopping)
    }
  }

  /* Until the service responds to the query. */
  async #hold(): Promise<void> {
    const { end, probe, stopping } = this.#options
    if (this.#outage === undefined) return
    /* The service responds to the query, but not to creates. Each further create would be one more unknown row. */
    if (this.#lostTrials >= MOST_LOST_TRIALS || this.#failedTrials >= MOST_TRIALS) return end(this.#outage.error)
    let waitMs = this.#failures === 0 ? (this.#outage.error.retryAfterMs ?? 0) : this.#waitMs(this.#outage.error)
    for (;;) {
      if (waitMs > 0 && !(await this.#wait(this.#outage, waitMs))) return
      const error = await probe()
      if (stopping.aborted) return
      if (error === undefined || isServiceResponse(error)) break
      if (error.code === 'CONFIG_INVALID') return end(error)
      this.#failures += 1
      this.#outage.error = error
      waitMs = this.#waitMs(error)
    }
    this.#responses += 1
    this.#inconclusive = 0
    this.#limit = 1
    this.#isTrial = true
    this.#outage.heldSince = this.#options.clock.now()
  }

  #waitMs({ retryAfterMs = 0 }: CertifyError): number {
    return Math.max(retryAfterMs, backOffMs(this.#failures))
  }

  /* Resolves with whether to go on. */
  async #wait(outage: Outage, askedMs: number): Promise<boolean> {
    const { clock, maxOutageMs, maxWaitMs, notify, end, stopping } = this.#options
    const { error } = outage
    const { retryAfterMs = 0 } = error
    const now = clock.now()
    /* The clock may have been set back. */
    outage.heldSince = Math.min(outage.heldSince, now)
    const leftMs = outage.heldSince + maxOutageMs - now
    /* A limit on requests is no outage: its wait may be longer. */
    const isLimit = error.code === 'RATE_LIMITED'
    if (leftMs <= 0 || retryAfterMs > maxWaitMs || (!isLimit && retryAfterMs > leftMs)) {
      end(error)
      return false
    }
    const waitMs = isLimit ? askedMs : Math.min(askedMs, leftMs)
    outage.isReported = true
    notify({ ...this.#facts(outage), state: 'waiting', nextProbeAt: now + waitMs })
    return pause(clock, waitMs, stopping)
  }

  #facts({ since, unknown, error }: Outage): Omit<OutageEvent, 'state'> {
    return { type: 'outage', since, unknown, error, nextProbeAt: undefined }
  }
}

/* The same as for a create. */
const MOST_LIMITS = 10
const MOST_LOST_TRIALS = 3
const MOST_TRIALS = 10
