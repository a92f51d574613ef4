import type { Clock, Runtime } from '../clock.ts'
import { MOST_SKEW_MS } from './rules/key.ts'

/** The service's time, by the `Date` of its last response to one client and the time since then. */
export class ServiceClock {
  readonly #clock: Clock
  readonly #elapsed: Runtime['elapsed']
  #seen: { readonly date: number | undefined; readonly now: number; readonly elapsed: number } | undefined

  /**
   * @param clock the ledger's: somebody may set it
   * @param elapsed monotonic: it may stand still while the machine sleeps
   */
  constructor(clock: Clock, elapsed: Runtime['elapsed']) {
    this.#clock = clock
    this.#elapsed = elapsed
  }

  /** A response has arrived. A date counts only in the format that HTTP prescribes; without one, an earlier one is kept. */
  saw(header: string | null): void {
    const date = new Date(header ?? '')
    const isDate = date.toUTCString() === header
    if (!isDate && this.isCurrent()) return
    this.#seen = { date: isDate ? date.getTime() : undefined, now: this.#clock.now(), elapsed: this.#elapsed() }
  }

  /** Whether a response has arrived, and both clocks agree on the time since then. */
  isCurrent(): boolean {
    return this.now() !== Number.NEGATIVE_INFINITY
  }

  /** `undefined` if the service does not tell its time; `-Infinity` if it is not known. */
  now(): number | undefined {
    const { date, now = Number.NaN, elapsed = 0 } = this.#seen ?? {}
    const [byClock, byElapsed] = [this.#clock.now() - now, this.#elapsed() - elapsed]
    if (!(Math.abs(byClock - byElapsed) <= MOST_SKEW_MS)) return Number.NEGATIVE_INFINITY
    return date && date + Math.min(byClock, byElapsed)
  }
}
