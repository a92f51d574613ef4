import type { InProgressEvent, OutageEvent, PauseEvent, RowEvent } from '../../src/campaign/index.ts'
import type { Io } from '../io.ts'
import { formatDuration, formatNumber, rowCount, wrapFor } from '../terminal/text.ts'
import { say } from '../terminal/output.ts'

/* On a terminal the line is overwritten; in a file it stays. */
const REDRAW_EVERY_MS = 100
const LINE_EVERY_MS = 5_000
/* The first waits of an outage are too short to be worth a line. */
const MIN_WAIT_MS = 4_000
const CLEAR_LINE = '\r\u001B[K'

/** Shows the progress of a run on stderr: one line that is redrawn on a terminal, else, and with --json, a line every few seconds. */
export class Progress {
  readonly #io: Io
  readonly #planned: number
  readonly #redraws: boolean
  readonly #beganAt: number
  #shownAt: number
  #done = 0
  #bad = 0
  #pausedUntil = 0
  #outageSince: string | undefined

  constructor(io: Io, planned: number, json: boolean) {
    this.#io = io
    this.#planned = planned
    this.#redraws = io.stderr.isTTY && !json
    this.#beganAt = io.now()
    this.#shownAt = this.#beganAt
  }

  async row({ status, error }: RowEvent): Promise<void> {
    if (wasPlanned(status, error?.code)) this.#done += 1
    if (status === 'failed' || status === 'refused' || status === 'unknown') this.#bad += 1
    const now = this.#io.now()
    if (now - this.#shownAt < (this.#redraws ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return
    this.#shownAt = now
    /* The last column stays free, because a full line would make the terminal wrap. */
    if (this.#redraws) await say(this.#io.stderr, CLEAR_LINE + this.#text(now).slice(0, this.#io.stderr.columns - 1))
    else await this.print(`${this.#text(now)}.`)
  }

  async event(event: PauseEvent | OutageEvent | InProgressEvent): Promise<void> {
    const text =
      event.type === 'pause' ? this.#pause(event) : event.type === 'outage' ? this.#outage(event) : inProgress(event)
    if (text !== undefined) await this.print(text)
  }

  #pause({ waitMs, error }: PauseEvent): string | undefined {
    const until = this.#io.now() + waitMs
    /* Every worker may report the same pause. */
    if (waitMs < 1000 || until < this.#pausedUntil + 1000) return undefined
    this.#pausedUntil = until
    const why = error.code === 'RATE_LIMITED' ? 'the service limits requests' : 'the service cannot be reached'
    return `${why} (${error.code}): waiting ${Math.ceil(waitMs / 1000)} s.`
  }

  #outage({ state, since, nextProbeAt = since, unknown, error }: OutageEvent): string | undefined {
    const isNew = this.#outageSince !== since
    const probeAt = Date.parse(nextProbeAt)
    this.#outageSince = since
    const rows = `${rowCount(unknown)} unknown`
    if (state === 'over') return `the service is back: the run continues; ${rows}.`
    if (!isNew && probeAt - this.#io.now() < MIN_WAIT_MS) return undefined
    const at = new Date(probeAt).toTimeString().slice(0, 8)
    return `the service is down (${error.code}): next check at ${at}; ${rows}.`
  }

  async print(text: string): Promise<void> {
    await this.end()
    await say(this.#io.stderr, `${wrapFor(text, this.#io.stderr)}\n`)
  }

  async end(): Promise<void> {
    if (this.#redraws) await say(this.#io.stderr, CLEAR_LINE)
  }

  #text(now: number): string {
    const rate = this.#done / Math.max(0.001, (now - this.#beganAt) / 1000)
    const parts = [
      `${formatNumber(this.#done)} of ${formatNumber(this.#planned)}`,
      `${formatNumber(Math.round(rate))}/s`,
      ...(rate > 0 ? [`${formatDuration((this.#planned - this.#done) / rate)} left`] : []),
      ...(this.#bad > 0 ? [`${formatNumber(this.#bad)} failed or unknown`] : []),
    ]
    return parts.join(', ')
  }
}

function inProgress({ rows }: InProgressEvent): string {
  const are = `${rowCount(rows)} ${rows === 1 ? 'is' : 'are'}`
  return `${are} in progress in another run, or in one that was killed: waiting for it, about a minute at most.`
}

/* Rows that were decided beforehand say nothing about the speed. */
function wasPlanned(status: RowEvent['status'], code: string | undefined): boolean {
  if (status === 'already_invited') return code !== undefined
  if (status === 'unknown') return code !== 'PRIOR_OUTCOME_UNKNOWN'
  return status === 'created' || status === 'refused' || status === 'failed'
}
