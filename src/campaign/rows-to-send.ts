import type { EntryDetail, Target } from '../ledger/rules/entry.ts'
import { type CampaignPlan, CHUNK, partsOf, targetFor } from './plan.ts'
import type { Progress } from './progress.ts'
import type { PlannedRow, PlannedStatus } from './row.ts'
import type { RunOptions } from './run-options.ts'
import { unknownError } from './sender.ts'

/** Rows for the workers of a run. */
export type Rows = AsyncGenerator<PlannedRow, void, undefined>

/** The rows to send, in order. The other rows are reported on the way. */
export async function* rowsToSend(plan: CampaignPlan, options: RunOptions, progress: Progress): Rows {
  let others: PlannedRow[] = []
  try {
    for (const row of plan.rows) {
      if (isToSend(row, options)) {
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
  const { clock } = partsOf(plan).ledger
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
    else progress.done(row, row.status, { entries, error: unknownError(row.input, entries, now) })
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
  const { ledger, scope, skills } = partsOf(plan)
  const checked: [row: PlannedRow, target: Target][] = []
  for (const row of rows) {
    const target = row.status === status ? await targetFor(row, skills) : undefined
    if (target !== undefined) checked.push([row, target])
  }
  const claims = await ledger.lookUp(
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

/* Whether a row of a plan is sent. */
function isToSend({ status }: PlannedRow, { ifUnknown }: RunOptions): boolean {
  return status === 'planned' || (status === 'unknown' && ifUnknown === 'create')
}
