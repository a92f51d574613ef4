import type { CertifyError } from '../index.ts'
import type { OutageTrials, SharedOutage } from '../ledger/rules/shared-pace.ts'
import { pause } from '../pause.ts'
import { backOffMs, isServiceResponse, type Verdict } from './failed-send.ts'
import { foundByAnother, type OutageOptions, type Ticket } from './outage-options.ts'
import type { OutageEvent } from './row.ts'

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
  /* Whether this run probes for others, and whether another one does. */
  #probesForAll = false
  #isHeldByAnother = false
  #hasWaitedForAnother = false
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
      else if (this.#isHeldByAnother) await this.#check(() => this.#waitForAnother())
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

  /** Another run has found an outage. */
  heldByAnother(outage: SharedOutage): void {
    this.#isHeldByAnother = true
    this.#noteShared(outage)
  }

  /** No create is sent any more. */
  async close(): Promise<void> {
    if (this.#probesForAll) await this.#release(false)
  }

  #resume(): void {
    this.#responses += 1
    this.#limit = Math.min(this.#options.concurrency, 2 * this.#limit)
    if (this.#isHeldByAnother) return
    if (this.#probesForAll) void this.#release(true)
    this.#end()
  }

  #end(): void {
    this.#inconclusive = 0
    this.#hasWaitedForAnother = false
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
    if (this.#outage === undefined || !(await this.#holdAll(this.#outage))) return
    /* The service responds to the query, but not to creates. Each further create would be one more unknown row. */
    if (this.#lostTrials >= MOST_LOST_TRIALS || this.#failedTrials >= MOST_TRIALS) return end(this.#outage.error)
    let waitMs = this.#failures === 0 ? (this.#outage.error.retryAfterMs ?? 0) : this.#waitMs(this.#outage.error)
    for (;;) {
      if (waitMs > 0 && !(await this.#wait(this.#outage, waitMs))) return
      if (!(await this.#holdAll(this.#outage))) return
      const error = await probe()
      if (stopping.aborted) return
      if (error === undefined || isServiceResponse(error)) break
      if (error.code === 'CONFIG_INVALID') return end(error)
      this.#failures += 1
      this.#outage.error = error
      waitMs = this.#waitMs(error)
    }
    if (!(await this.#holdAll(this.#outage))) return
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
    if (!(await this.#holdAll(outage, waitMs))) return false
    return pause(clock, waitMs, stopping)
  }

  /* Resolves with whether this run probes. Then it may take so long, and the lease, to the next call. */
  async #holdAll({ error }: Outage, waitMs = 0): Promise<boolean> {
    const { ofAll } = this.#options
    if (ofAll === undefined) return true
    const trials = this.#trials(error)
    this.#probesForAll = await ofAll.pace.hold(ofAll.leaseMs + waitMs, trials)
    if (!this.#probesForAll) this.heldByAnother({ probedBy: 'another', trials })
    return this.#probesForAll
  }

  /* Until the run that probes has found that the outage is over, or has ended. */
  async #waitForAnother(): Promise<void> {
    const { clock, ofAll, maxOutageMs, end, notify, stopping } = this.#options
    for (;;) {
      const { outage: shared } = (await ofAll?.pace.read()) ?? {}
      if (stopping.aborted) return
      if (shared === undefined) {
        this.#isHeldByAnother = false
        /* As carefully as the run that probed. */
        this.#limit = 1
        return this.#end()
      }
      const outage = this.#noteShared(shared)
      if (shared.probedBy !== 'another') {
        this.#isHeldByAnother = false
        this.#inconclusive = Math.max(this.#inconclusive, this.#limit)
        return
      }
      const now = clock.now()
      if (now - outage.heldSince >= maxOutageMs) return end(outage.error)
      if (!outage.isReported) notify({ ...this.#facts(outage), state: 'waiting', nextProbeAt: now + LOOK_MS })
      outage.isReported = true
      if (!(await pause(clock, LOOK_MS, stopping))) return
    }
  }

  #noteShared({ probedBy, trials: { failed, lost, code } }: SharedOutage): Outage {
    /* What a run has found out that ended before this one began may be old. */
    if (probedBy === 'another') this.#hasWaitedForAnother = true
    if (this.#hasWaitedForAnother) {
      this.#failedTrials = failed
      this.#lostTrials = lost
    }
    const now = this.#options.clock.now()
    this.#outage ??= { since: now, heldSince: now, unknown: 0, error: foundByAnother(code), isReported: false }
    return this.#outage
  }

  #trials({ code }: CertifyError): OutageTrials {
    return { failed: this.#failedTrials, lost: this.#lostTrials, code }
  }

  async #release(isOver: boolean): Promise<void> {
    this.#probesForAll = false
    const { ofAll, end } = this.#options
    const trials = this.#trials(this.#outage?.error ?? foundByAnother('SERVER_FAULT'))
    await ofAll?.pace.release(isOver, trials).catch(end)
  }

  #facts({ since, unknown, error }: Outage): Omit<OutageEvent, 'state'> {
    return { type: 'outage', since, unknown, error, nextProbeAt: undefined }
  }
}

/* How often to look whether the outage is over. */
const LOOK_MS = 500
/* The same as for a create. */
const MOST_LIMITS = 10
const MOST_LOST_TRIALS = 3
const MOST_TRIALS = 10
