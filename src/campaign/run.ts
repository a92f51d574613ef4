import { isCertifyError } from '../index.ts'
import { pause } from '../clock.ts'
import { type CampaignPlan, CHUNK, partsOf } from './plan.ts'
import { Progress } from './progress.ts'
import type { CampaignEvent, CampaignSummary, PlannedRow } from './row.ts'
import { type Rows, rowsToSend } from './rows-to-send.ts'
import type { RunOptions } from './run-options.ts'
import { Sender } from './sender.ts'

/**
 * Runs a plan: one event for each finished row, and the summary at the end. Nothing happens before you read the first
 * event. If you leave the loop early, the run ends as with its signal. To resume, plan and run the same rows again.
 *
 * If the service limits requests, all workers wait as long as it asks. A failure that every row would share ends the
 * run.
 *
 * Before the first create a query is sent. If what answers is not the service, or its clock differs by more than five
 * minutes, the run ends, and nothing was sent. If as many creates in a row as the concurrency end without a clear answer, all creates wait until the service answers a query. So
 * an outage makes at most so many rows `unknown`.
 *
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
  const progress = new Progress(MOST_UNREAD, options.maxFailures)
  const working = work(plan, options, progress)
  /* Awaited below, perhaps much later. If it fails at once, nothing else would end the events. */
  void working.catch(() => {}).finally(() => progress.events.end())
  try {
    yield* progress.events
    yield { type: 'finished', summary: await working }
  } finally {
    progress.stop('aborted')
    progress.events.end()
    await working
  }
}

/* How far the workers may be ahead of the reader. */
const MOST_UNREAD = 2 * CHUNK

async function work(plan: CampaignPlan, options: RunOptions, progress: Progress): Promise<CampaignSummary> {
  const { signal, concurrency = 8 } = options
  const parts = partsOf(plan)
  const { clock } = parts.ledger
  const width = Math.max(1, Math.floor(concurrency))
  const sender = new Sender(parts, options, progress, width)
  const began = clock.now()
  const onAbort = () => progress.stop('aborted')
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  await sendRows(plan, options, sender, progress)
  await sender.recorded()
  signal?.removeEventListener('abort', onAbort)
  progress.events.end()
  return progress.summary(plan.counts, clock.now() - began)
}

/* Until every row that the run can reach is done. Rows that another process is sending come last. */
async function sendRows(plan: CampaignPlan, options: RunOptions, sender: Sender, progress: Progress): Promise<void> {
  const { clock } = partsOf(plan).ledger
  let inFlight = await sendAll(rowsToSend(plan, options, progress), options, sender, progress)
  for (let waitMs = SHORTEST_LOOK_MS; inFlight.length > 0; waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS)) {
    if (waitMs === SHORTEST_LOOK_MS) progress.notify({ type: 'in-progress', rows: inFlight.length })
    if (!(await pause(clock, waitMs, progress.stopping))) return
    inFlight = await sendAll(each(inFlight), options, sender, progress)
  }
}

/* How long to wait before the rows that another process was sending are looked at again. */
const SHORTEST_LOOK_MS = 250
const LONGEST_LOOK_MS = 2_000

async function* each(rows: readonly PlannedRow[]): Rows {
  yield* rows
}

/* Resolves with the rows that another process is sending, in order. */
async function sendAll(
  rows: Rows,
  { concurrency = 8 }: RunOptions,
  sender: Sender,
  progress: Progress,
): Promise<PlannedRow[]> {
  const inFlight: PlannedRow[] = []
  const sendInTurn = async () => {
    try {
      for (;;) {
        await progress.events.waitForSpace()
        if (progress.stopping.aborted) return
        const { value, done } = await rows.next()
        if (done === true) return
        if ((await sender.send(value)) === 'in-flight') inFlight.push(value)
      }
    } catch (error) {
      progress.end(error)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(concurrency)) }, sendInTurn))
  /* Rows that need no send are reported if they were read, whatever ended the run. Not if the ledger failed. */
  await rows.return(undefined).catch(unlessCertifyError)
  return inFlight.toSorted((one, other) => one.row - other.row)
}

function unlessCertifyError(error: unknown): void {
  if (!isCertifyError(error)) throw error
}
