import type { CampaignPlan, PlannedRow } from '../../src/campaign/index.ts'
import { CliError } from '../cli-error.ts'
import { fileOf, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import { rowCount } from '../terminal/numbers.ts'
import { interrupted } from '../terminal/prompts.ts'
import type { BulkOptions } from './options/bulk-options.ts'
import { type BulkPlan, planFile } from './plan/plan-file.ts'
import { drawPlan, MOST_SHOWN, sendsOf } from './plan/plan-text.ts'
import { Outputs } from './report/output-files.ts'
import { planErrorOf } from './send/run-error.ts'
import { sendPlan } from './send/send-plan.ts'

/**
 * Invites the candidates of a file: reads and checks it, prints the plan, asks, sends, reports.
 *
 * @throws CliError with the exit code of the run, CertifyError
 */
export async function runBulk(context: Context, file: string, options: BulkOptions): Promise<void> {
  const { io, preferences, output, program } = context
  const isDryRun = preferences.dryRun.value
  refuseHiddenLinks(context, options)
  const place = readLedgerPlace(io, program.root.opts(), options)
  refuseShardOfFile(place, options)
  const closing: (() => unknown)[] = []
  try {
    const outputs = new Outputs(io, preferences, { file, ledger: fileOf(place) }, options)
    closing.push(() => outputs.close())
    const bulkPlan = await planFile(context, file, options, place, closing).catch(async (error: unknown) => {
      throw io.interruption.aborted ? interrupted(io) : await planErrorOf(error)
    })
    const { plan, input } = bulkPlan
    outputs.begin(input)
    const rejected = plan.rows.filter(({ status }) => status === 'rejected').slice(0, MOST_SHOWN)
    const asks = !preferences.yes.value && !isDryRun && sendsOf(plan, options).count > 0
    if (!(preferences.json.value || preferences.quiet.value) || asks) {
      await output.show((terminal) => drawPlan(bulkPlan, options, rejected, terminal))
    }
    if (input.rows === 0 && !preferences.json.value)
      await output.warn('the file has no rows: there is nobody to invite.')
    const isRefused = plan.counts.rejected > 0 && options.skipInvalid !== true
    if (isDryRun || isRefused) {
      await writePlan(bulkPlan, outputs, isDryRun)
      const { earlierReport } = outputs.written
      if (earlierReport !== undefined && !preferences.json.value)
        await output.show((terminal) => terminal.fields([['earlier report', earlierReport]]))
      if (outputs.error !== undefined) throw outputs.error
      if (!isDryRun) throw invalidRows(plan, rejected)
      await output.remark(isRefused ? willRefuse(plan) : 'Nothing was sent.')
      return
    }
    if (asks) await confirm(context, bulkPlan, options)
    await sendPlan(context, bulkPlan, outputs, options)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

/* With a file each part knows only its own invites, and the parts change with their number. */
function refuseShardOfFile({ path, databaseUrl }: LedgerPlace, { shard }: BulkOptions): void {
  if (shard === undefined || databaseUrl !== undefined) return
  throw new CliError(
    `--shard needs a ledger that all parts share, and ${path.value} (${path.origin}) is a file. Nothing was sent.`,
    'Give the database of all parts: --ledger postgres://<host>/<database>, or CERTIFY_LEDGER. Or leave out --shard.',
  )
}

/* Links that appear nowhere were asked for in vain. */
function refuseHiddenLinks({ io, preferences: { quiet, json } }: Context, { includeLinks, report }: BulkOptions): void {
  if (includeLinks !== true || report !== undefined || json.value || (!quiet.value && !io.stdout.isTTY)) return
  const why = quiet.value ? `${quiet.origin} would leave them out` : 'a terminal shows only the summary'
  throw new CliError(`with --include-links the output has the links, but ${why}.`, 'Give --report or --json as well.')
}

/* Without sends the plan is the output. */
async function writePlan(
  { plan, name, opened, input, comparison, callbackHosts }: BulkPlan,
  outputs: Outputs,
  isPrinted: boolean,
) {
  for (const row of plan.rows) {
    if (isPrinted) await outputs.row(row)
    else outputs.note(row)
    if (outputs.error !== undefined) break
  }
  const { counts, lapsed, emails, hasUnreadPackages } = plan
  const summary = {
    type: 'summary',
    dryRun: true,
    campaign: name,
    ledger: opened.ledger.path,
    counts,
    lapsed,
    emails,
    targets: Object.fromEntries(plan.targets),
    callbackHosts: callbackHosts(plan),
    hasUnreadPackages,
    unlisted: comparison.unlisted,
    sheet: input.sheet,
  }
  await outputs.end(summary, input, isPrinted)
}

/* Without --json, the plan has listed the rows. */
function invalidRows({ counts }: CampaignPlan, rejected: readonly PlannedRow[]): CliError {
  return new CliError(
    `${areInvalid(counts.rejected)}. Nothing was sent.`,
    'Fix them and run it again, or give --skip-invalid to send the others.',
    { code: 'ROWS_INVALID', details: { counts, rows: rejected.map(({ row, issues }) => ({ row, issues })) } },
  )
}

function areInvalid(count: number): string {
  return `${rowCount(count)} ${count === 1 ? 'is' : 'are'} not valid`
}

async function confirm({ prompts, connection }: Context, { plan }: BulkPlan, options: BulkOptions): Promise<void> {
  const { count, emails } = sendsOf(plan, options)
  const mails = emails.sent > 0 ? '; e-mails go out' : ''
  const question = `Send the invites of ${rowCount(count)} to ${new URL(connection().baseUrl.value ?? '').host}${mails}?`
  await prompts.confirm(question, 'Give --yes to send, or --dry-run to see what would be sent.')
}

/* A plan alone does not say that it would be refused. */
function willRefuse({ counts: { rejected } }: CampaignPlan): string {
  const them = rejected === 1 ? 'it' : 'them'
  return `Nothing was sent. The run will refuse: ${areInvalid(rejected)}; --skip-invalid leaves ${them} out.`
}
