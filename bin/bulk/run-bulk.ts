import type { CampaignPlan, PlannedRow } from '../../src/campaign/index.ts'
import { CliError } from '../cli-error.ts'
import { readLedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import { rowsOf } from '../terminal/numbers.ts'
import type { Terminal } from '../terminal/output.ts'
import { interrupted } from '../terminal/prompts.ts'
import { type BulkOptions, type Prepared, prepare } from './plan/plan-file.ts'
import { drawPlan, drawRejected, MOST_SHOWN, sendsOf } from './plan/plan-text.ts'
import { Outputs } from './report/outputs.ts'
import { run } from './send/send-plan.ts'

/**
 * Invites the candidates of a file: reads and checks all of it, prints the plan, asks, sends, reports.
 *
 * @throws CliError with the exit code that the rows have come to, CertifyError
 */
export async function bulk(context: Context, file: string, options: BulkOptions): Promise<void> {
  const { io, preferences, program } = context
  const place = readLedgerPlace(io, program.root.opts(), options)
  const closing: (() => unknown)[] = []
  try {
    const outputs = new Outputs(io, preferences, { input: file, ledger: place.path.value }, options)
    closing.push(() => outputs.close())
    const prepared = await prepare(context, file, options, place, closing).catch((error: unknown) => {
      throw io.interruption.aborted ? interrupted(io) : error
    })
    const { plan, source, reading } = prepared
    outputs.reserve(reading.rows - reading.elsewhere, source.sizeBytes)
    const rejected = await firstOf(plan.rows('rejected'), MOST_SHOWN)
    const resends = options.ifUnknown === 'create'
    const asks = !preferences.yes.value && !preferences.dryRun.value && sendsOf(plan, resends).count > 0
    if (!preferences.json.value || asks) {
      await context.output.show((terminal) => draw(context, file, options, prepared, rejected, terminal))
    }
    if (reading.rows === 0 && !preferences.json.value)
      await context.output.warn('the file has no rows: there is nobody to invite.')
    const isStopped = plan.counts.rejected > 0 && !options.skipInvalid && !preferences.dryRun.value
    if (preferences.dryRun.value || isStopped) {
      await writePlan(prepared, outputs, !isStopped)
      if (outputs.error !== undefined) throw outputs.error
      if (isStopped) throw invalidRows(plan, rejected, preferences.json.value)
      await context.output.remark(dryEnding(plan, options))
      return
    }
    if (asks) await confirm(context, prepared, options)
    await run(context, prepared, outputs, options)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

function draw(
  { connection }: Context,
  file: string,
  options: BulkOptions,
  { plan, reading, opened, isLedgerEmpty }: Prepared,
  rejected: readonly PlannedRow[],
  terminal: Terminal,
): string {
  const { ledger, account } = opened
  const about = {
    name: file === '-' ? 'stdin' : file,
    reading,
    options,
    baseUrl: connection().baseUrl.value ?? '',
    ledger: ledger.path,
    account,
    isLedgerEmpty,
    resends: options.ifUnknown === 'create',
    rejected,
  }
  return drawPlan(plan, about, terminal)
}

/* Nothing follows: the plan is the output. */
async function writePlan({ plan, name, opened, source, reading }: Prepared, outputs: Outputs, isPrinted: boolean) {
  for await (const row of plan.rows()) {
    if (isPrinted) await outputs.row(row)
    else outputs.note(row)
    if (outputs.error !== undefined) break
  }
  const { counts, emails, callbackHosts, hasUnreadPackages } = plan
  const summary = {
    type: 'summary',
    dryRun: true,
    campaign: name,
    ledger: opened.ledger.path,
    counts,
    emails,
    targets: Object.fromEntries(plan.targets),
    callbackHosts,
    hasUnreadPackages,
  }
  await outputs.end(summary, source, reading, isPrinted)
}

function invalidRows({ counts }: CampaignPlan, rejected: readonly PlannedRow[], isListed: boolean): CliError {
  const list = isListed ? `\n${drawRejected(rejected, counts.rejected)}` : ''
  return new CliError(
    `${rowsOf(counts.rejected)} ${counts.rejected === 1 ? 'is' : 'are'} not valid. Nothing was sent.${list}`,
    'Fix them and run it again, or give --skip-invalid to send the others.',
    { code: 'ROWS_INVALID' },
  )
}

async function confirm({ prompts, connection }: Context, { plan }: Prepared, options: BulkOptions): Promise<void> {
  const { count, emails } = sendsOf(plan, options.ifUnknown === 'create')
  const mails = emails.sent > 0 ? '; e-mails go out' : ''
  const question = `Send the invites of ${rowsOf(count)} to ${new URL(connection().baseUrl.value ?? '').host}${mails}?`
  await prompts.confirm(question, 'Give --yes to send, or --dry-run to see what would be sent.')
}

/* The last word where nothing follows: the plan alone does not say that it would be refused. */
function dryEnding({ counts }: CampaignPlan, { skipInvalid }: BulkOptions): string {
  if (counts.rejected === 0 || skipInvalid) return 'Nothing was sent.'
  const [are, them] = counts.rejected === 1 ? ['is', 'it'] : ['are', 'them']
  return `Nothing was sent. The run will refuse: ${rowsOf(counts.rejected)} ${are} not valid; --skip-invalid leaves ${them} out.`
}

async function firstOf<T>(rows: AsyncIterable<T>, most: number): Promise<readonly T[]> {
  const first: T[] = []
  for await (const row of rows) {
    first.push(row)
    if (first.length >= most) break
  }
  return first
}
