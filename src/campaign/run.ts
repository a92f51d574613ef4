import { settle } from '../index.ts'
import type { EntryDetail, Target } from '../ledger/rules/entry.ts'
import { unknownError } from './create.ts'
import { type CampaignPlan, CHUNK, partsOf, targetFor } from './plan.ts'
import { Progress } from './progress.ts'
import type { CampaignEvent, CampaignSummary, PlannedRow, PlannedStatus } from './row.ts'
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
  const { clock } = parts.options.ledger
  const width = Math.max(1, Math.floor(concurrency))
  const sender = new Sender(parts, options, progress, width)
  const began = clock.now()
  const onAbort = () => progress.stop('aborted')
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  await checkRoom(plan, options, progress)
  const rows = rowsToSend(plan, options, progress)
  await Promise.all(Array.from({ length: width }, () => worker(rows, sender, progress)))
  await sender.recorded()
  /* Rows that need no send are reported if they were read, whatever ended the run. Not if the ledger failed. */
  await settle(rows.return(undefined))
  signal?.removeEventListener('abort', onAbort)
  progress.events.end()
  return progress.summary(plan.counts, clock.now() - began)
}

/* A disk that is full is told before the first create. */
async function checkRoom(plan: CampaignPlan, { ifUnknown }: RunOptions, progress: Progress): Promise<void> {
  const { ledger } = partsOf(plan).options
  const { planned, unknown } = plan.counts
  const { error } = await settle(
    ledger.checkRoom?.(planned + (ifUnknown === 'create' ? unknown : 0)) ?? Promise.resolve(),
  )
  if (error !== undefined) progress.end(error)
}

type Rows = AsyncGenerator<PlannedRow, void, undefined>

async function worker(rows: Rows, sender: Sender, progress: Progress): Promise<void> {
  try {
    for (;;) {
      await progress.events.waitForSpace()
      if (progress.stopping.aborted) return
      const { value, done } = await rows.next()
      if (done === true) return
      await sender.send(value)
    }
  } catch (error) {
    progress.end(error)
  }
}

/* The rows to send. The other rows are reported on the way. */
async function* rowsToSend(plan: CampaignPlan, options: RunOptions, progress: Progress): Rows {
  let others: PlannedRow[] = []
  try {
    for await (const row of plan.rows()) {
      if (row.status === 'planned' || (row.status === 'unknown' && options.ifUnknown === 'create')) {
        yield row
        continue
      }
      others.push(row)
      if (others.length < CHUNK) continue
      const full = others
      others = []
      await report(plan, full, progress)
      if (progress.stopping.aborted) return
    }
  } finally {
    if (others.length > 0) await report(plan, others, progress)
  }
}

/* Reports rows that are not sent, with what the ledger has now. */
async function report(plan: CampaignPlan, rows: readonly PlannedRow[], progress: Progress): Promise<void> {
  const { clock } = partsOf(plan).options.ledger
  const invited = new Map([
    ...(await blockingEntries(plan, rows, 'already_invited', 'invites')),
    ...(await blockingEntries(plan, rows, 'partly_invited', 'invites')),
  ])
  const unknown = await blockingEntries(plan, rows, 'unknown', 'entries')
  const now = clock.now()
  for (const row of rows) {
    if (row.status === 'planned') continue
    const entries = unknown.get(row)
    if (entries === undefined) progress.done(row, row.status, { entries: invited.get(row) ?? [] })
    else progress.done(row, row.status, { entries, error: unknownError(row, entries, now) })
  }
  await progress.events.waitForSpace()
}

/* The entries that block the rows of one status. */
async function blockingEntries<Detail extends keyof EntryDetail>(
  plan: CampaignPlan,
  rows: readonly PlannedRow[],
  status: PlannedStatus,
  detail: Detail,
): Promise<Map<PlannedRow, readonly EntryDetail[Detail][]>> {
  const { options, scope, skills } = partsOf(plan)
  const checked: [row: PlannedRow, target: Target][] = []
  for (const row of rows) {
    const target = row.status === status ? await targetFor(row, skills) : undefined
    if (target !== undefined) checked.push([row, target])
  }
  const claims = await options.ledger.lookUp(
    scope,
    checked.map(([, target]) => target),
    detail,
  )
  return new Map(
    checked.map(([row], index) => {
      const claim = claims[index]
      return [row, claim === undefined || claim.kind === 'claimed' ? [] : claim.entries]
    }),
  )
}
