import { basename } from 'node:path'
import type { CampaignPlan, CampaignSummary, PlannedRow, RunOptions } from '../../src/campaign/index.ts'
import type { Fetch } from '../../src/index.ts'
import type { Context } from '../commands/command.ts'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import { type OpenedLedger, openToSend } from '../ledger/open.ts'
import type { Terminal } from '../terminal/output.ts'
import { interrupted } from '../terminal/prompts.ts'
import { UsageError } from '../usage-error.ts'
import { endingOf } from './ending.ts'
import { type OutputOptions, Outputs } from './outputs.ts'
import { drawPlan, drawRejected, MOST_TOLD, number, rowsOf } from './plan-text.ts'
import { duration, ProgressLine } from './progress.ts'
import { Reading, type ReadingOptions } from './reading.ts'
import { openSource, type Source } from './source.ts'

/** What `certify bulk` is asked to do. */
export interface BulkOptions extends ReadingOptions, OutputOptions, LedgerFlags {
  readonly skipInvalid: boolean
  readonly concurrency?: number
  readonly ratePerSecond?: number
  readonly maxFailures?: number
  readonly ifUnknown: 'refuse' | 'create'
}

/**
 * Invites the candidates of a file: reads and checks all of it, tells what would be sent, asks, sends, reports.
 *
 * @throws UsageError with the exit code that the rows have come to, CertifyError
 */
export async function bulk(context: Context, file: string, options: BulkOptions): Promise<void> {
  const { io, preferences } = context
  const closing: (() => unknown)[] = []
  try {
    const outputs = new Outputs(io, preferences, file, options)
    closing.push(() => outputs.close())
    const prepared = await prepare(context, file, options, closing).catch((error: unknown) => {
      throw io.interruption.aborted ? interrupted(io) : error
    })
    const { plan, source, reading } = prepared
    outputs.reserve(reading.rows - reading.elsewhere, source.sizeBytes)
    const rejected = await firstOf(plan.rows('rejected'), MOST_TOLD)
    const asks = !preferences.yes.value && !preferences.dryRun.value && plan.counts.planned + resent(plan, options) > 0
    if (!preferences.json.value || asks) {
      await context.output.show((terminal) => draw(context, file, options, prepared, rejected, terminal))
    }
    const isStopped = plan.counts.rejected > 0 && !options.skipInvalid && !preferences.dryRun.value
    if (preferences.dryRun.value || isStopped) {
      await tellPlan(prepared, outputs, !isStopped)
      if (outputs.error !== undefined) throw outputs.error
      if (isStopped) throw invalidRows(plan, rejected, preferences.json.value)
      return
    }
    if (asks) await confirm(context, prepared, options)
    await run(context, prepared, outputs, options)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

interface Prepared {
  readonly name: string
  readonly source: Source
  readonly reading: Reading
  readonly opened: OpenedLedger
  readonly plan: CampaignPlan
  readonly requests: Requests
}

/* Everything up to the plan. Nothing of it sends an invite. */
async function prepare(
  context: Context,
  file: string,
  options: BulkOptions,
  closing: (() => unknown)[],
): Promise<Prepared> {
  const { io, program } = context
  const place = readLedgerPlace(io, program.root.opts(), options)
  const requests = new Requests()
  /* A plan asks for the packages in a dry run too. That one never gets as far as a create. */
  const client = await context.client('read', { around: (fetch) => requests.counted(fetch) })
  const source = await openSource(io, file, options.failedOut !== undefined)
  closing.push(() => source.close())
  const reading = await Reading.open(source, options)
  const opened = await openToSend(context, place)
  closing.push(() => opened.ledger.close())
  const name = file === '-' ? 'stdin' : basename(file)
  const { planCampaign } = await import('../../src/campaign/index.ts')
  const signal = io.interruption
  const plan = await planCampaign(reading.campaignRows(), { client, ...opened, campaign: name, signal })
  closing.push(() => plan.close())
  requests.count = 0
  return { name, source, reading, opened, plan, requests }
}

/* How many requests have left. */
class Requests {
  count = 0

  counted(fetch: Fetch): Fetch {
    return (url, init) => {
      this.count += 1
      return fetch(url, init)
    }
  }
}

function draw(
  { connection }: Context,
  file: string,
  options: BulkOptions,
  { plan, reading, opened }: Prepared,
  rejected: readonly PlannedRow[],
  terminal: Terminal,
): string {
  const { ledger, account } = opened
  const baseUrl = connection().baseUrl.value ?? ''
  const name = file === '-' ? 'stdin' : file
  return drawPlan(plan, { name, reading, options, baseUrl, ledger: ledger.path, account, rejected }, terminal)
}

/* The plan is all there is to tell. */
async function tellPlan({ plan, name, opened, source, reading }: Prepared, outputs: Outputs, isPrinted: boolean) {
  for await (const row of plan.rows()) {
    if (isPrinted) await outputs.row(row)
    else outputs.note(row)
    if (outputs.error !== undefined) break
  }
  const { counts, emails, callbackHosts } = plan
  const summary = {
    type: 'summary',
    dryRun: true,
    campaign: name,
    ledger: opened.ledger.path,
    counts,
    emails,
    callbackHosts,
  }
  await outputs.end(summary, source, reading, isPrinted)
}

function invalidRows({ counts }: CampaignPlan, rejected: readonly PlannedRow[], isTold: boolean): UsageError {
  const told = isTold ? `\n${drawRejected(rejected, counts.rejected)}` : ''
  return new UsageError({
    code: 'ROWS_INVALID',
    message: `${rowsOf(counts.rejected)} ${counts.rejected === 1 ? 'is' : 'are'} not valid. Nothing was sent.${told}`,
    hint: 'Mend them and run it again, or give --skip-invalid to send the others.',
  })
}

async function confirm({ prompts, connection }: Context, { plan }: Prepared, options: BulkOptions): Promise<void> {
  const count = plan.counts.planned + resent(plan, options)
  const mails = plan.emails.sent > 0 ? '; e-mails go out' : ''
  const question = `Send the invites of ${rowsOf(count)} to ${new URL(connection().baseUrl.value ?? '').host}${mails}?`
  await prompts.confirm(question, 'Give --yes to send, or --dry-run to see what would be sent.')
}

function resent({ counts }: CampaignPlan, { ifUnknown }: BulkOptions): number {
  return ifUnknown === 'create' ? counts.unknown : 0
}

async function run(context: Context, prepared: Prepared, outputs: Outputs, options: BulkOptions): Promise<void> {
  const { io, preferences, connection } = context
  const { plan, name, opened, source, reading, requests } = prepared
  const { runCampaign } = await import('../../src/campaign/index.ts')
  const stopping = new AbortController()
  const signal = AbortSignal.any([io.interruption, stopping.signal])
  const { concurrency, ratePerSecond, maxFailures, ifUnknown } = options
  const timeoutMs = connection().timeoutMs.value
  const settings: RunOptions = { concurrency, ratePerSecond, maxFailures, ifUnknown, timeoutMs, signal }
  const isSilent = preferences.json.value
  const progress = new ProgressLine(io, plan.counts, ifUnknown === 'create')
  const onInterruption = () => void (isSilent ? undefined : progress.tell(DRAINING))
  io.interruption.addEventListener('abort', onInterruption, { once: true })
  let summary: CampaignSummary | undefined
  let linksKept = 0
  for await (const event of runCampaign(plan, settings)) {
    if (event.type === 'finished') summary = event.summary
    else if (event.type === 'pause') await (isSilent ? undefined : progress.pause(event))
    else {
      await outputs.row(event)
      if (outputs.error !== undefined) stopping.abort()
      if (event.status === 'created' && event.input?.sendInviteEmail === false) linksKept += event.invites.length
      if (!isSilent) await progress.row(event)
    }
  }
  io.interruption.removeEventListener('abort', onInterruption)
  await progress.end()
  if (summary === undefined) return
  const { error, ...figures } = summary
  const told = {
    type: 'summary',
    dryRun: false,
    campaign: name,
    ledger: opened.ledger.path,
    ...figures,
    code: error?.code,
  }
  await outputs.end(told, source, reading, true)
  if (!isSilent) {
    const lines = (terminal: Terminal) => drawSummary(figures, options, terminal)
    await context.output.show(lines)
  }
  await warn(context, figures.emailsNotSent, options.includeLinks ? 0 : linksKept)
  const { failedOut } = options
  const ending = endingOf(summary, {
    interruption: io.interruption,
    sent: requests.count,
    outputError: outputs.error,
    failedOut,
  })
  if (ending !== undefined) throw ending
}

const DRAINING =
  'interrupted: no further row is begun, and what is on its way is waited for. Once more ends it at once, and leaves ' +
  'that unknown.'

function drawSummary(
  { counts, remaining, durationMs }: Omit<CampaignSummary, 'error'>,
  { report, failedOut }: BulkOptions,
  terminal: Terminal,
) {
  const shown = Object.entries(counts).filter(([status, count]) => count > 0 || status === 'created')
  return terminal.fields([
    ...shown.map(([status, count]) => [status.replaceAll('_', ' '), number(count)] as const),
    ...(remaining > 0 ? [['not come to', number(remaining)] as const] : []),
    ['took', duration(durationMs / 1000)],
    ...(report === undefined ? [] : [['report', report] as const]),
    ...(failedOut === undefined
      ? []
      : [['to be mended', `${failedOut}: ${rowsOf(counts.failed + counts.refused + counts.rejected)}`] as const]),
  ])
}

async function warn({ output }: Context, emailsNotSent: number, linksKept: number): Promise<void> {
  if (emailsNotSent > 0) {
    await output.warn(
      `e-mails were asked for, but the service says that it did not send ${number(emailsNotSent)} of them. Deliver those ` +
        'links yourself: email_sent is false in the report, and `certify invites view <invite-id> --show-links` has the link.',
    )
  }
  if (linksKept > 0) {
    await output.warn(
      `${number(linksKept)} invites were created without an e-mail. Their links are in the ledger alone: \`certify invites ` +
        'list --show-links` shows them, and --include-links would have put them into the report.',
    )
  }
}

async function firstOf<T>(rows: AsyncIterable<T>, most: number): Promise<readonly T[]> {
  const first: T[] = []
  for await (const row of rows) {
    first.push(row)
    if (first.length >= most) break
  }
  return first
}
