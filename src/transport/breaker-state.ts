import { backOffMs } from '../clock.ts'
import { type CertifyError, type CertifyErrorCode, isCertifyError } from '../errors.ts'
import { FAILURES, isServiceResponse } from './failures.ts'

/** From an inconclusive create to the next conclusive one that began after it. Times are Unix milliseconds. */
export interface Outage {
  readonly since: number
  /** When the service last responded to a probe; otherwise its begin. */
  readonly openSince: number
  /** Whether the breaker has opened: no create was let through any more. */
  readonly hasOpened: boolean
  /** How many probes failed. */
  readonly failures: number
  /** How many half-open creates were not sent, and how many have an unknown outcome. */
  readonly unsent: number
  readonly lost: number
  /** How many creates have an unknown outcome. */
  readonly unknown: number
  readonly error: CertifyError
}

/** A create that may be sent. */
export interface Permit {
  /** The number of the last event before it: an inconclusive create, or a response to a probe. */
  readonly after: number
  /** When the deadline of the create is, in Unix milliseconds. */
  readonly endsAt: number
}

/** A time without creates and probes. */
export interface Pause {
  readonly ms: number
  /** In Unix milliseconds. */
  readonly until: number
  /** Callers with a longer limit for a probe need not wait: the last one was ended by a limit. */
  readonly probeMs: number
}

/**
 * What a create may do. `wait`: until another one ends. `probe`: the harmless query is due. `late`: nothing, for lack of time. A
 * number: milliseconds until the next probe.
 */
export type Admission = Permit | 'wait' | 'probe' | 'late' | number

/* As for a query. */
const INITIAL_PROBE_MS = 500
const MAX_PROBE_MS = 30_000
/* The service responds to queries, and yet creates are lost: every one of them, or some. Each may cost a person's time. */
const INITIAL_LOST_MS = 5000
const INITIAL_AGAIN_MS = 1000
const MAX_PAUSE_MS = 300_000
/* As long as fewer than one in twelve creates is lost, losses are forgotten faster than they happen. */
const FORGETS_AFTER = 8
const FRESH_MS = 5000

/**
 * The state of a circuit breaker. Its half-open probe is a query that changes nothing, because a lost create costs a person's
 * time.
 *
 * Normally it limits nothing. Otherwise it controls how many creates may be in flight, as congestion control does: an
 * inconclusive create halves the limit, and as many conclusive ones as the limit double it. The creates in flight with an
 * inconclusive one are a round: each that is inconclusive too takes one place more, and lost creates are remembered once for a
 * round. Eight conclusive creates in a row forget a round; with none left, nothing is limited any more.
 *
 * It opens when no place is left, or when a round is lost while another is remembered. After a pause, which doubles with what
 * is remembered, a response to the query lets one create through.
 */
export class BreakerState {
  #limit = Number.POSITIVE_INFINITY
  readonly #inFlight = new Set<Permit>()
  /* How many rounds. */
  #remembered = 0
  /* Conclusive creates since the last inconclusive one, and since the limit has changed. */
  #inRow = 0
  #grown = 0
  /* See `Permit`. What began before `from` belongs to the round; before the last response, it says nothing. */
  #event = 0
  #round = { from: 0, isRemembered: false }
  #lastResponse = 0
  #pause: Changing<Pause> = NO_PAUSE
  /* The last response, and how long it took. */
  #responded = { at: Number.NEGATIVE_INFINITY, tookMs: 0 }
  #outage: Changing<Outage> | undefined
  /** How often the service has responded, and the code of the last failure that was inconclusive. */
  responses = 0
  lastCode: CertifyErrorCode | undefined

  get outage(): Outage | undefined {
    return this.#outage
  }

  get pause(): Pause {
    return this.#pause
  }

  /**
   * A permit counts at once: several creates may wait for the same probe.
   *
   * @param leftMs how much time is left until the deadline of the create
   * @param timeoutMs the limit for its request
   * @param probeMs the limit for a probe of its caller
   */
  admit(now: number, leftMs = Number.POSITIVE_INFINITY, timeoutMs = leftMs, probeMs = 0): Admission {
    if (this.#inFlight.size >= this.#limit) this.#forgetVanished(now)
    if (this.#inFlight.size < this.#limit) {
      if (this.#isTooLate(now, Math.min(leftMs, timeoutMs))) return 'late'
      const permit = { after: this.#event, endsAt: now + leftMs }
      this.#inFlight.add(permit)
      return permit
    }
    if (this.#limit > 0) return 'wait'
    /* The clock may have been set back. */
    this.#pause.until = Math.min(this.#pause.until, now + this.#pause.ms)
    const isDue = this.#pause.until <= now || probeMs > this.#pause.probeMs
    return isDue ? 'probe' : this.#pause.until - now
  }

  /* Some runtimes end a request of a server with everything that it awaits, so that a create never ends. */
  #forgetVanished(now: number): void {
    for (const permit of this.#inFlight) if (permit.endsAt < now) this.#inFlight.delete(permit)
  }

  /* Its response would probably be lost. The service may be faster meanwhile: what was seen counts for a short time. */
  #isTooLate(now: number, leftMs: number): boolean {
    if (this.#limit === Number.POSITIVE_INFINITY) return false
    const { at, tookMs } = this.#responded
    return leftMs <= 0 || (leftMs < tookMs && Math.abs(now - at) < FRESH_MS)
  }

  /** A create has ended. Returns the outage that has now opened, or is now over. */
  ended(permit: Permit, error: unknown, now: number, tookMs = 0): Outage | undefined {
    this.#inFlight.delete(permit)
    if (error !== undefined) {
      if (!isCertifyError(error)) return undefined
      if (isInconclusive(error)) return this.#failed(permit, error, now)
      if (!isConclusiveFailure(error)) return undefined
    }
    this.responses += 1
    /* A create that began before the last inconclusive one proves nothing about the time since. */
    if (permit.after !== this.#event || this.#limit === Number.POSITIVE_INFINITY) return undefined
    const over = this.#outage
    this.#outage = undefined
    this.#responded = { at: now, tookMs }
    this.#grow()
    return over?.hasOpened === true ? over : undefined
  }

  #grow(): void {
    this.#grown += 1
    if (this.#grown === this.#limit) {
      this.#limit *= 2
      this.#grown = 0
    }
    this.#inRow += 1
    if (this.#inRow % FORGETS_AFTER > 0) return
    this.#remembered = Math.max(0, this.#remembered - 1)
    if (this.#remembered === 0) this.#limit = Number.POSITIVE_INFINITY
  }

  #failed({ after }: Permit, error: CertifyError, now: number): Outage | undefined {
    const isUnknown = error.outcome === 'unknown'
    /* A straggler from before the last response to a probe: that response is newer. */
    const isOld = after < this.#lastResponse
    if (isOld && this.#outage === undefined) return undefined
    const outage = (this.#outage ??= begin(error, now))
    outage.unknown += Number(isUnknown)
    if (isOld) return undefined
    outage.error = error
    this.lastCode = error.code
    const isHalfOpen = outage.hasOpened && this.#limit > 0
    outage.lost += Number(isHalfOpen && isUnknown)
    outage.unsent += Number(isHalfOpen && !isUnknown)
    const isNewRound = after >= this.#round.from || this.#limit === Number.POSITIVE_INFINITY
    this.#event += 1
    this.#inRow = 0
    this.#grown = 0
    if (isNewRound) {
      this.#round = { from: this.#event, isRemembered: false }
      /* It was in flight, too. */
      this.#limit = Math.floor(Math.min(this.#limit, this.#inFlight.size + 1) / 2)
    } else this.#limit = Math.max(0, this.#limit - 1)
    if (isUnknown && !this.#round.isRemembered) {
      this.#round.isRemembered = true
      this.#remembered += 1
    }
    const isAgain = isUnknown && this.#remembered > 1
    if (isAgain) this.#limit = 0
    if (this.#limit > 0 || (outage.hasOpened && !isNewRound)) return undefined
    const lostMs = isHalfOpen && isUnknown ? backOffMs(outage.lost, INITIAL_LOST_MS, MAX_PAUSE_MS) : 0
    const againMs = isAgain ? backOffMs(this.#remembered - 1, INITIAL_AGAIN_MS, MAX_PAUSE_MS) : 0
    this.#pauseFor(error, Math.max(lostMs, againMs), now)
    const opens = !outage.hasOpened
    outage.hasOpened = true
    return opens ? outage : undefined
  }

  /**
   * The query has ended. Returns whether that says anything about the service.
   *
   * @param limitMs how long it might have taken
   */
  probed(error: unknown, now: number, tookMs = 0, limitMs = Number.POSITIVE_INFINITY): boolean {
    const outage = this.#outage
    if (error !== undefined && (!isCertifyError(error) || CALLERS_OWN.has(error.code))) return false
    if (outage === undefined) return true
    if (error === undefined || isServiceResponse(error)) {
      this.responses += 1
      this.#event += 1
      this.#lastResponse = this.#event
      this.#round = { from: this.#event, isRemembered: false }
      this.#limit = 1
      /* What still hangs from before must not delay the half-open create. */
      this.#inFlight.clear()
      this.#responded = { at: now, tookMs }
      outage.openSince = now
    } else {
      outage.failures += 1
      outage.error = error
      this.lastCode = error.code
      const probeMs = error.code === 'TIMED_OUT' ? limitMs : undefined
      this.#pauseFor(error, backOffMs(outage.failures, INITIAL_PROBE_MS, MAX_PROBE_MS), now, probeMs)
    }
    return true
  }

  /* A query is harmless, so one is sent after the longest pause, whatever the service asks. */
  #pauseFor(
    { retryAfterMs = 0 }: CertifyError,
    atLeastMs: number,
    now: number,
    probeMs = Number.POSITIVE_INFINITY,
  ): void {
    const ms = Math.min(Math.max(retryAfterMs, atLeastMs), MAX_PAUSE_MS)
    this.#pause = { ms, until: now + ms, probeMs }
  }

  /** A caller has waited through a pause: unless there is a newer one, it is over, whatever the clock says. */
  endPause(pause: Pause): void {
    if (pause === this.#pause) this.#pause = NO_PAUSE
  }
}

const NO_PAUSE: Pause = { ms: 0, until: 0, probeMs: 0 }

type Changing<Of> = { -readonly [Key in keyof Of]: Of[Key] }

function begin(error: CertifyError, now: number): Changing<Outage> {
  return { since: now, openSince: now, hasOpened: false, failures: 0, unsent: 0, lost: 0, unknown: 0, error }
}

/* The service may be down. */
function isInconclusive({ outcome, code }: CertifyError): boolean {
  return outcome === 'unknown' || code === 'UNREACHABLE' || code === 'TIMED_OUT'
}

/* Of those that are not inconclusive: whatever else a request can end with. Errors of input and ledger come before it. */
function isConclusiveFailure({ code }: CertifyError): boolean {
  if (code === 'RATE_LIMITED' || CALLERS_OWN.has(code)) return false
  return Object.values(FAILURES).some((failure) => failure.code === code)
}

const CALLERS_OWN: ReadonlySet<CertifyErrorCode> = new Set(['ABORTED', 'CREDENTIALS_UNAVAILABLE', 'CONFIG_INVALID'])
