import type { LookedUp, Target } from '../ledger/rules/entry.ts'
import { alreadyInvited } from '../ledger/rules/errors.ts'
import { operationOf, unknownError } from './create.ts'
import { type CampaignPlan, partsOf, targetFor } from './plan.ts'
import type { Progress } from './progress.ts'
import type { PlannedRow } from './row.ts'
import { isToSend, report, type Rows } from './rows-to-send.ts'
import type { RunOptions } from './run-options.ts'

/*
 * Several processes send the rows of one plan. Each takes them in chunks, in an order of its own, so that they seldom meet.
 */

/** The number of rows that are looked up at once. Two processes that meet waste a few claims of a chunk. */
const SHARED_CHUNK = 25

/**
 * The rows of a plan that are sent, if other processes send the same ones. What is done by the time of its chunk is reported.
 *
 * @param inFlight takes the rows that another process is sending
 */
export async function* sharedRows(
  plan: CampaignPlan,
  options: RunOptions,
  progress: Progress,
  inFlight: PlannedRow[],
): Rows {
  const { pageOf } = partsOf(plan)
  const rows = Object.values(plan.counts).reduce((sum, count) => sum + count, 0)
  const chunks = Array.from({ length: Math.ceil(rows / SHARED_CHUNK) }, (_, index) => index)
  for (const chunk of shuffled(chunks)) {
    if (progress.stopping.aborted) return
    const page = pageOf(chunk * SHARED_CHUNK, SHARED_CHUNK)
    await report(
      plan,
      page.filter((row) => !isToSend(row, options)),
      progress,
    )
    yield* rowsAgain(
      plan,
      options,
      progress,
      page.filter((row) => isToSend(row, options)),
      inFlight,
    )
  }
}

/** Rows that are sent, without those that are done. Those that another process is sending are added to `inFlight`. */
export async function* rowsAgain(
  plan: CampaignPlan,
  options: RunOptions,
  progress: Progress,
  rows: readonly PlannedRow[],
  inFlight: PlannedRow[],
): Rows {
  for (let from = 0; from < rows.length; from += SHARED_CHUNK) {
    const chunk = rows.slice(from, from + SHARED_CHUNK)
    const found = await lookUp(plan, chunk)
    const free: PlannedRow[] = []
    for (const row of shuffled(chunk)) {
      const kept = found.get(row)
      if (kept?.kind === 'in-flight') inFlight.push(row)
      else if (kept === undefined || !isDone(plan, row, kept, options, progress)) free.push(row)
    }
    await progress.events.waitForSpace()
    yield* free
  }
}

/* Whether a row is decided by what the ledger has. Then it is reported. For a package the claim decides. */
function isDone(
  plan: CampaignPlan,
  row: PlannedRow,
  found: LookedUp,
  { ifUnknown }: RunOptions,
  progress: Progress,
): boolean {
  const { input } = row
  if (input === undefined || 'packageId' in input || found.kind === 'claimed') return false
  const { kind, entries } = found
  const now = partsOf(plan).options.ledger.clock.now()
  if (kind === 'invited')
    progress.done(row, 'already_invited', { entries, error: alreadyInvited(operationOf(input), entries, now) })
  else if (kind === 'unknown' && !(row.status === 'unknown' && ifUnknown === 'create')) {
    progress.done(row, 'unknown', { entries, error: unknownError(row.input, entries, now) })
  } else return false
  return true
}

async function lookUp(plan: CampaignPlan, rows: readonly PlannedRow[]) {
  const { options, scope, skills } = partsOf(plan)
  const targets: [row: PlannedRow, target: Target][] = []
  for (const row of rows) {
    const target = await targetFor(row, skills)
    if (target !== undefined) targets.push([row, target])
  }
  const found = await options.ledger.lookUp(
    scope,
    targets.map(([, target]) => target),
  )
  return new Map(targets.map(([row], index) => [row, found[index]]))
}

function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const [one, two] = [mixed[last] as Item, mixed[other] as Item]
    mixed[last] = two
    mixed[other] = one
  }
  return mixed
}
