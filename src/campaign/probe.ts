import { type CertifyError, isCertifyError } from '../index.ts'
import { clockApart } from '../ledger/rules/errors.ts'
import { MOST_SKEW_MS } from '../ledger/rules/key.ts'
import { isServiceResponse } from './failed-send.ts'
import type { PlanOptions, PlanParts } from './plan.ts'

/** What a probe needs from its run. */
export interface ProbeOptions extends Pick<PlanOptions, 'client'>, Pick<PlanParts, 'ledger'> {
  readonly timeoutMs: number
  readonly allowClockSkew: boolean
  readonly isMock: boolean
  /** Aborted when the run ends. */
  readonly stopping: AbortSignal
  /** Ends the run. */
  readonly end: (error: CertifyError) => void
}

/** The harmless query that shows whether the service responds. */
export class Probe {
  readonly #options: ProbeOptions
  #isClockChecked: boolean

  constructor(options: ProbeOptions) {
    this.#options = options
    this.#isClockChecked = options.allowClockSkew
  }

  /**
   * Sends it once. Resolves with its failure, and with `undefined` if it went well. The first response of the service
   * ends the run if its clock is too far from that of the ledger.
   */
  async send(): Promise<CertifyError | undefined> {
    const { client, timeoutMs, stopping } = this.#options
    let date: string | null = null
    const onResponse = (header: (name: string) => string | null) => {
      date = header('date')
    }
    const call = { retry: false as const, timeoutMs, signal: stopping, onResponse }
    /* No track has this slug: the response is small, and nothing changes. */
    const error = await client.tracks.list({ trackSlug: '-' }, call).then(() => undefined, certifyError)
    if (error === undefined || isServiceResponse(error)) await this.#checkClock(date)
    return error
  }

  async #checkClock(date: string | null): Promise<void> {
    if (this.#isClockChecked) return
    this.#isClockChecked = true
    const { ledger, isMock, end } = this.#options
    /* The clock that decides about leases and expiries, perhaps that of a database. */
    const now = await ledger.now()
    const serviceTime = readDate(date)
    if (serviceTime === undefined || Math.abs(serviceTime - now) <= MOST_SKEW_MS) return
    end(clockApart(now, serviceTime, isMock))
  }
}

function certifyError(error: unknown): CertifyError {
  if (!isCertifyError(error)) throw error
  return error
}

/* The time in a `date` header; `undefined` if it is not in the form that HTTP prescribes. */
function readDate(date: string | null): number | undefined {
  const time = new Date(date ?? '')
  return date !== null && time.toUTCString() === date ? time.getTime() : undefined
}
