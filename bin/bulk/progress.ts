import type { InProgressEvent, OutageEvent, PauseEvent, RowEvent } from '../../src/campaign/index.ts'
import type { Io } from '../io.ts'
import { formatDuration, formatNumber, rowCount } from '../terminal/numbers.ts'
import { say } from '../terminal/output.ts'
import { wrapFor } from '../terminal/wrap.ts'

/* A bar is overwritten, a line stays. */
const BAR_EVERY_MS = 100
const LINE_EVERY_MS = 5_000

/** Shows the progress of a run on stderr: a bar on a terminal, else a line every few seconds. */
export class Progress {
  readonly #io: Io
  readonly #planned: number
  readonly #isSilent: boolean
  readonly #beganAt: number
  #shownAt: number
  #done = 0
  #bad = 0
  #pausedUntil = 0
  #outageSince: string | undefined
  #isDrawn = false

  constructor(io: Io, planned: number, isSilent: boolean) {
    this.#io = io
    this.#planned = planned
    this.#isSilent = isSilent
    this.#beganAt = io.now()
    this.#shownAt = this.#beganAt
  }

  async row({ status, error }: RowEvent): Promise<void> {
    if (wasPlanned(status, error?.code)) this.#done += 1
    if (status === 'failed' || status === 'refused' || status === 'unknown') this.#bad += 1
    const everyMs = this.#io.stderr.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS
    if (this.#io.now() - this.#shownAt >= everyMs) await this.#draw()
  }

  async event(event: PauseEvent | OutageEvent | InProgressEvent): Promise<void> {
    if (event.type === 'pause') await this.#pause(event)
    else if (event.type === 'outage') await this.#outage(event)
    else {
      await this.print(
        `${rowCount(event.rows)} ${event.rows === 1 ? 'is' : 'are'} in progress in another run, or in one that was killed: ` +
          'waiting for it, about a minute at most.',
      )
    }
  }

  async #pause({ waitMs, error }: PauseEvent): Promise<void> {
    const until = this.#io.now() + waitMs
    /* Each worker may report the same pause. */
    if (waitMs < 1000 || until < this.#pausedUntil + 1000) return
    this.#pausedUntil = until
    const why = error.code === 'RATE_LIMITED' ? 'the service limits requests' : 'the service cannot be reached'
    await this.print(`${why} (${error.code}): waiting ${Math.ceil(waitMs / 1000)} s.`)
  }

  async #outage({ state, since, nextProbeAt = since, unknown, error }: OutageEvent): Promise<void> {
    const isNew = this.#outageSince !== since
    const waitMs = Date.parse(nextProbeAt) - this.#io.now()
    this.#outageSince = since
    const rows = `${rowCount(unknown)} unknown`
    if (state === 'over') return this.print(`the service works again: the run continues; ${rows}.`)
    /* The first waits are short. */
    if (!isNew && waitMs < TOLD_WAIT_MS) return
    const at = timeOf(Date.parse(nextProbeAt))
    await this.print(`the service does not work (${error.code}): next check at ${at}; ${rows}.`)
  }

  async print(text: string): Promise<void> {
    if (this.#isSilent) return
    await this.end()
    await say(this.#io.stderr, `${wrapFor(text, this.#io.stderr)}\n`)
  }

  async end(): Promise<void> {
    if (this.#isDrawn) await say(this.#io.stderr, `\r${CLEAR}`)
    this.#isDrawn = false
  }

  async #draw(): Promise<void> {
    if (this.#isSilent) return
    const now = this.#io.now()
    this.#shownAt = now
    const { stderr } = this.#io
    const rate = this.#done / Math.max(0.001, (now - this.#beganAt) / 1000)
    const parts = [
      `${formatNumber(this.#done)} of ${formatNumber(this.#planned)}`,
      `${formatNumber(Math.round(rate))}/s`,
      ...(rate > 0 ? [`${formatDuration((this.#planned - this.#done) / rate)} left`] : []),
      ...(this.#bad > 0 ? [`${formatNumber(this.#bad)} failed or unknown`] : []),
    ]
    if (!stderr.isTTY) return this.print(`${parts.join(', ')}.`)
    await say(stderr, `\r${bar(this.#done / Math.max(1, this.#planned), parts, stderr.columns)}${CLEAR}`)
    this.#isDrawn = true
  }
}

const TOLD_WAIT_MS = 4_000

/* The time of day, as the clock of this machine shows it. */
function timeOf(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8)
}

/* Rows that were known before say nothing about the speed. */
function wasPlanned(status: RowEvent['status'], code: string | undefined): boolean {
  if (status === 'already_invited') return code !== undefined
  if (status === 'unknown') return code !== 'PRIOR_OUTCOME_UNKNOWN'
  return status === 'created' || status === 'refused' || status === 'failed'
}

/* Clears to the end of the line. */
const CLEAR = '\u001B[K'
const LONGEST_BAR = 30
const SHORTEST_BAR = 5

/* Parts that do not fit are left out from the end. The last column stays free: else the terminal would begin a new line. */
function bar(share: number, parts: readonly string[], columns: number): string {
  const most = columns - 1
  let shown = [...parts]
  while (shown.length > 1 && shown.join('  ').length > most) shown = shown.slice(0, -1)
  const text = shown.join('  ')
  const width = Math.min(LONGEST_BAR, most - text.length - 4)
  if (width < SHORTEST_BAR) return text.slice(0, most)
  const full = Math.min(width, Math.round(share * width))
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]  ${text}`
}
