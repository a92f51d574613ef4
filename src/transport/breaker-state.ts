import { backOffMs } from '../clock.ts'
import { type CertifyError, type CertifyErrorCode, isCertifyError } from '../errors.ts'
import { FAILURES } from './failures.ts'

/** From an inconclusive create to the next conclusive one that began after it. Times are Unix milliseconds. */
export interface Outage {
  readonly since: number
  /** When the service last responded to a probe; otherwise its begin. */
  openSince: number
  nextProbeAt: number
  pauseMs: number
  /** Whether as many creates were inconclusive as were in flight when the first one failed. */
  hasOpened: boolean
  /** How many probes failed. */
  failures: number
  /** How many half-open creates were not sent, and how many have an unknown outcome. */
  unsent: number
  lost: number
  /** How many creates have an unknown outcome. */
  unknown: number
  error: CertifyError
}

/** A create that may be sent. */
export interface Permit {
  /** How many creates had been inconclusive by then. */
  readonly after: number
}

/** `probe`: the caller has to send the harmless query first. A number: how long nobody may, in milliseconds. */
export type Admission = Permit | 'wait' | 'probe' | number

/* As for a query. */
const FIRST_PROBE_MS = 500
const LONGEST_PROBE_MS = 30_000
/* The service responds to queries, and yet a create was lost. Each one may cost a person's time. */
const FIRST_LOST_MS = 5000
const LONGEST_LOST_MS = 300_000

/**
 * The state of a circuit breaker. Its half-open probe is a query that changes nothing, because a lost create costs a person's
 * time.
 *
 * Normally it limits nothing. From an inconclusive create to the next conclusive one that began after it, those in flight and the
 * inconclusive ones together never exceed those that were in flight when the first one failed. Once all of them are
 * inconclusive it is open, until the service responds to a query. Then it lets one create through; if that is
 * conclusive, two, four and so on.
 */
export class BreakerState {
  #limit = Number.POSITIVE_INFINITY
  #inFlight = 0
  /* Since the last conclusive create or the last response to a probe; and ever. */
  #inconclusive = 0
  #everInconclusive = 0
  #isProbing = false
  outage: Outage | undefined
  /** How often the service has responded. */
  responses = 0

  /** A permit counts at once: several creates may wait for the same probe. */
  admit(now: number): Admission {
    const { outage } = this
    if (this.#inFlight + this.#inconclusive < this.#limit) {
      this.#inFlight += 1
      return { after: this.#everInconclusive }
    }
    if (this.#inconclusive < this.#limit || outage === undefined || this.#isProbing) return 'wait'
    /* The clock may have been set back. */
    outage.nextProbeAt = Math.min(outage.nextProbeAt, now + outage.pauseMs)
    if (outage.nextProbeAt > now) return outage.nextProbeAt - now
    this.#isProbing = true
    return 'probe'
  }

  /** A create has ended. Returns the outage that has now opened, or is now over. */
  ended({ after }: Permit, error: unknown, now: number): Outage | undefined {
    const outage = isCertifyError(error) && isInconclusive(error) ? this.#failed(error, now) : undefined
    this.#inFlight -= 1
    if (outage !== undefined) {
      const opens = !outage.hasOpened && this.#inconclusive >= this.#limit
      outage.hasOpened ||= opens
      return opens ? outage : undefined
    }
    const isConclusive = error === undefined || (isCertifyError(error) && isConclusiveFailure(error))
    if (!isConclusive) return undefined
    this.responses += 1
    /* A create that began before the last inconclusive one proves nothing about the time since. */
    if (after !== this.#everInconclusive) return undefined
    const over = this.outage
    this.outage = undefined
    this.#inconclusive = 0
    this.#limit *= 2
    return over?.hasOpened === true ? over : undefined
  }

  #failed(error: CertifyError, now: number): Outage {
    const outage = (this.outage ??= {
      since: now,
      openSince: now,
      nextProbeAt: now,
      pauseMs: 0,
      hasOpened: false,
      failures: 0,
      unsent: 0,
      lost: 0,
      unknown: 0,
      error,
    })
    if (this.#inconclusive === 0) this.#limit = Math.min(this.#limit, this.#inFlight)
    const isHalfOpen = outage.hasOpened && this.#inconclusive === 0
    const isUnknown = error.outcome === 'unknown'
    this.#inconclusive += 1
    this.#everInconclusive += 1
    outage.unknown += Number(isUnknown)
    outage.lost += Number(isHalfOpen && isUnknown)
    outage.unsent += Number(isHalfOpen && !isUnknown)
    const isLost = isHalfOpen && isUnknown
    pauseFor(outage, error, isLost ? backOffMs(outage.lost, FIRST_LOST_MS, LONGEST_LOST_MS) : 0, now)
    return outage
  }

  /** The query of a caller that had to probe has ended. Returns whether that says anything about the service. */
  probed(error: unknown, now: number): boolean {
    this.#isProbing = false
    const { outage } = this
    if (error !== undefined && (!isCertifyError(error) || CALLERS_OWN.has(error.code))) return false
    if (outage === undefined) return true
    if (error === undefined || isServiceResponse(error)) {
      this.responses += 1
      this.#inconclusive = 0
      this.#limit = 1
      outage.openSince = now
    } else {
      outage.failures += 1
      pauseFor(outage, error, backOffMs(outage.failures, FIRST_PROBE_MS, LONGEST_PROBE_MS), now)
    }
    return true
  }
}

function pauseFor(outage: Outage, error: CertifyError, ms: number, now: number): void {
  outage.error = error
  outage.pauseMs = Math.max(error.retryAfterMs ?? 0, ms)
  outage.nextProbeAt = now + outage.pauseMs
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

/** Whether a failed query had a response of the service: a GraphQL result, or a refusal of the credentials. */
export function isServiceResponse({ code }: CertifyError): boolean {
  return RESPONSES.has(code)
}

const RESPONSES: ReadonlySet<CertifyErrorCode> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'API_ERROR',
  'RESPONSE_UNEXPECTED',
])

const CALLERS_OWN: ReadonlySet<CertifyErrorCode> = new Set(['ABORTED', 'CREDENTIALS_UNAVAILABLE', 'CONFIG_INVALID'])
