import { backOffMs, onAbort, pause } from '../clock.ts'
import { priorUnknown } from '../ledger/rules/errors.ts'
import { createOf } from '../operations.ts'
import { type CampaignPlan, CHUNK, lookUpRows, type PlanParts, partsOf } from './plan.ts'
import { Progress } from './progress.ts'
import type { CampaignEvent, CampaignSummary, PlannedRow } from './row.ts'
import { checkOptions } from '../validation.ts'
import { type RunOptions, runOptions, Sender } from './sender.ts'

/**
 * Runs a plan: one event for each finished row, and the summary at the end. Nothing happens before you read the first
 * event. Leaving the loop early ends the run like an abort. To resume, plan and run the same rows again.
 *
 * If the service limits requests, all workers wait for as long as it asks. A failure that every row would share ends
 * the run.
 *
 * A query precedes the first create. If something other than the service responds to it, the run ends with nothing sent. The
 * client's circuit breaker sends fewer creates at a time once one ends without a clear response, and none until the service
 * has responded to a query if that goes on. So a complete outage makes at most as many rows `unknown` as the concurrency, and a
 * partial one a few.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, at the first event
 * @example
 * ```ts
 * for await (const event of runCampaign(plan, { concurrency: 16, signal })) {
 *   if (event.type === 'row') report(event)
 *   else if (event.type === 'finished') console.log(event.summary.counts)
 * }
 * ```
 */
export async function* runCampaign(
  plan: CampaignPlan,
  options: RunOptions = {},
): AsyncGenerator<CampaignEvent, void, undefined> {
  checkOptions('runCampaign', runOptions, options)
  const progress = new Progress(MAX_UNREAD, options.maxFailures)
  const working = work(plan, options, progress)
  /* Awaited below, perhaps much later. If it fails before that, nothing else ends the events. */
  void working.catch(() => {}).finally(() => progress.endEvents())
  try {
    yield* progress.events()
    yield { type: 'finished', summary: await working }
  } finally {
    progress.stop('aborted')
    progress.endEvents()
    await working
  }
}

/* How far the workers may be ahead of the reader. */
const MAX_UNREAD = 2 * CHUNK

async function work(plan: CampaignPlan, options: RunOptions, progress: Progress): Promise<CampaignSummary> {
  const { signal, concurrency = 8 } = options
  const parts = partsOf(plan)
  const { clock } = parts.recording.ledger
  const sender = new Sender(parts, options, progress)
  const began = clock.now()
  const forgetSignal = onAbort(signal, () => progress.stop('aborted'))
  let inFlight = await sendAll(rowsToSend(plan.rows, parts, options, progress), sender, concurrency, progress)
  /* Rows that another process is sending come last. */
  if (inFlight.length > 0) progress.notify({ type: 'in-progress', rows: inFlight.length })
  for (let tries = 1; inFlight.length > 0; tries += 1) {
    if (!(await pause(clock, backOffMs(tries, INITIAL_BACKOFF_MS, MAX_BACKOFF_MS), progress.stopping))) break
    inFlight = await sendAll(inFlight, sender, concurrency, progress)
  }
  await sender.recorded()
  forgetSignal()
  return progress.summary(plan.counts, clock.now() - began)
}

/* How long to wait before looking again at rows that another process was sending. */
const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 2_000

/* The rows to send, in order. The other rows are reported on the way. */
async function* rowsToSend(
  rows: readonly PlannedRow[],
  parts: PlanParts,
  { ifUnknown }: RunOptions,
  progress: Progress,
): AsyncGenerator<PlannedRow, void, undefined> {
  const isToSend = ({ status }: PlannedRow) => status === 'planned' || (status === 'unknown' && ifUnknown === 'create')
  for (let from = 0; from < rows.length; from += CHUNK) {
    const chunk = rows.slice(from, from + CHUNK)
    await report(
      chunk.filter((row) => !isToSend(row)),
      parts,
      progress,
    )
    yield* chunk.filter(isToSend)
  }
}

/* Reports rows that are not sent, with what the ledger has now. */
async function report(rows: readonly PlannedRow[], parts: PlanParts, progress: Progress): Promise<void> {
  const now = parts.recording.ledger.clock.now()
  for (const { row, found } of await lookUpRows(parts, rows)) {
    const { input, status } = row
    if (status === 'planned') continue
    const records = found !== undefined && 'records' in found ? found.records : []
    const isUnknown = status === 'unknown' && records.length > 0
    const error = isUnknown ? priorUnknown(createOf(input).name, records, now, records[0]?.reference) : undefined
    progress.done(row, status, { records, error })
  }
  await progress.waitForReader()
}

/* Resolves with the rows that another process is sending, in order. */
async function sendAll(
  rows: AsyncIterable<PlannedRow> | Iterable<PlannedRow>,
  sender: Sender,
  workers: number,
  progress: Progress,
): Promise<PlannedRow[]> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  const inFlight: PlannedRow[] = []
  const sendInTurn = async () => {
    try {
      for (;;) {
        await progress.waitForReader()
        if (progress.stopping.aborted) return
        const { value, done } = await iterator.next()
        if (done === true) return
        if ((await sender.send(value)) === 'in-flight') inFlight.push(value)
      }
    } catch (error) {
      progress.end(error)
    }
  }
  await Promise.all(Array.from({ length: workers }, sendInTurn))
  return inFlight.toSorted((one, other) => one.row - other.row)
}
