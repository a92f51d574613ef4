import { basename } from 'node:path'
import type { CampaignPlan, CampaignSummary } from '../../src/campaign/index.ts'
import { callbackHost, callbacksOf } from '../callbacks/callback-urls.ts'
import type { Context } from '../context.ts'
import { fileError } from '../table/faults.ts'
import { withClient } from '../ledger/open-ledger.ts'
import { rowCount } from '../terminal/text.ts'
import type { Terminal } from '../terminal/output.ts'
import { interrupted, showPlan } from '../terminal/prompts.ts'
import { NO_TARGET, toCampaignRow } from './candidate-row.ts'
import { type BulkOptions, type Guide, planRows, type Run } from './plan.ts'
import { drawFirst, drawPlan, EXPIRED, invalidError, invalidRows, planColumns } from './plan-text.ts'
import { Progress } from './progress.ts'
import { readCandidates } from './read.ts'
import { runErrorOf, showSummary, Tally } from './outcome.ts'
import { Outputs } from './outputs.ts'
import { countsOf } from './report.ts'

/**
 * Invites the candidates of a file: reads and checks it, prints the plan, asks, creates, reports.
 *
 * @param guide if a person can answer questions
 * @throws CliError with the exit code of the run, CertifyError
 */
export async function runBulk(context: Context, path: string, options: BulkOptions, guide?: Guide): Promise<void> {
  const { io, preferences } = context
  const callbacks = await callbacksOf(context, options)
  const outputs = new Outputs(context, path, options)
  try {
    const keeps = options.failedOut !== undefined
    const reading = { ...options, isUnattended: preferences.yes }
    const candidates = await readCandidates(io, path, reading, keeps, toCampaignRow).catch((error: unknown) => {
      throw io.interruption.aborted ? interrupted(io) : error
    })
    outputs.reserve(candidates.count)
    const creates = { tried: 0 }
    const hooks = {
      onAttempt({ operation }: { readonly operation: string }) {
        if (operation.endsWith('.create')) creates.tried += 1
      },
    }
    const { allowClockSkew } = options
    const setting = { callbacks, hooks, allowClockSkew, readOnly: preferences.dryRun }
    await withClient(context, setting, async (sender) => {
      const campaign = path === '-' ? 'stdin' : basename(path)
      const { ifExpired } = options
      const bulk = await planRows(sender, candidates.rows, { campaign, ifExpired, signal: io.interruption }).catch(
        (error: unknown) => {
          throw io.interruption.aborted ? interrupted(io) : error
        },
      )
      const run: Run = { context, sender, candidates, bulk, outputs, options, campaign, creates, guide }
      askBeforePlan(run)
      if (await isConfirmed(run, callbackHost(context, callbacks))) await sendPlan(run)
    })
  } finally {
    outputs.close()
  }
}

/* What the file and the flags leave open. */
function askBeforePlan({ candidates, bulk, options, guide }: Run): void {
  if (guide === undefined) return
  const { counts, rows } = bulk.plan
  if (rows.some(({ issues }) => issues.some(({ rule }) => rule === NO_TARGET))) {
    throw fileError('some rows do not say what to invite to.', 'Give --quiz-id or --package-id.', 'targets')
  }
  if (!guide.isWhole) return
  const emails = 'how do the candidates get their links?'
  const saysWhether = !options.sendEmail || [...candidates.meanings.values()].includes('send_email')
  if (!saysWhether && !guide.answered.has(emails)) {
    throw fileError(emails, 'Give --no-send-email for links without e-mails.', [
      ['the service e-mails them'],
      ['no e-mails: I deliver the links', '--no-send-email'],
    ])
  }
  if (counts.expired > 0 && options.ifExpired === undefined) {
    throw fileError(`${rowCount(counts.expired)}: ${EXPIRED}.`, 'Give --if-expired skip or --if-expired invite.', [
      ['leave them out', '--if-expired', 'skip'],
      ['invite them again', '--if-expired', 'invite'],
    ])
  }
}

/* Shows the plan, and asks. A dry run ends here, and a run with invalid rows. */
async function isConfirmed(run: Run, host: string | undefined): Promise<boolean> {
  const { context, candidates, bulk, options, guide } = run
  const { preferences, output, prompts, connection } = context
  const { counts, emails } = bulk.plan
  const service = connection().baseUrl.value ?? ''
  const asks = await showPlan(context, counts.planned > 0, (terminal) => drawPlan(run, service, host, terminal))
  if (candidates.count === 0 && !preferences.json) {
    await output.warn('the file has no rows: there is nobody to invite.')
  }
  const isRefused = counts.rejected > 0 && options.skipInvalid !== true
  if (guide !== undefined && !guide.answered.has(INVALID) && isRefused) {
    throw fileError(INVALID, 'Fix them, or give --skip-invalid.', [
      ['leave them out', '--skip-invalid'],
      ['stop, so that I can fix them'],
    ])
  }
  if (guide?.command !== undefined) {
    const { command } = guide
    await output.show((terminal) =>
      ['', 'The same without questions:', `  ${terminal.bold(command)}`, '', ''].join('\n'),
    )
  }
  if (preferences.dryRun || isRefused) {
    await endWithPlan(run)
    /* A dry run ends as the run would. */
    if (isRefused) throw invalidError(invalidRows(bulk.plan), countsOf(counts), 'Nothing was sent.')
    await output.remark('Nothing was sent.')
    const failure = runErrorOf(asSent(bulk.plan), run, 0)
    if (failure !== undefined) throw failure
    return false
  }
  if (asks) {
    const mails = emails.sent > 0 ? ' and e-mail them' : ''
    const question = `Create invites for ${rowCount(counts.planned)} at ${new URL(service).host}${mails}?`
    await prompts.confirm(question, 'Give --yes to create them, or --dry-run to see what would be created.')
  }
  return true
}

const INVALID = 'some rows are invalid.'

/* The summary of a run in which all planned rows are created. */
function asSent({ counts: { planned, ...counts } }: CampaignPlan): CampaignSummary {
  const none = { remaining: 0, emailsNotSent: 0, stopped: undefined, error: undefined, durationMs: 0 }
  return { counts: { ...counts, created: planned, refused: 0, failed: 0 }, ...none }
}

/* Without creates, the plan is the output. */
async function endWithPlan(run: Run): Promise<void> {
  const { context, outputs, bulk, candidates } = run
  const { preferences, output, io } = context
  const { plan, unlisted } = bulk
  const isForPeople = io.stdout.isTTY && !preferences.json && !preferences.quiet
  if (preferences.dryRun && isForPeople) {
    const columns = planColumns(bulk)
    const draw = (terminal: Terminal) => drawFirst(columns, plan.rows, terminal)
    await output.data({ value: undefined, columns, rows: plan.rows, draw })
  }
  for (const row of plan.rows) {
    if (preferences.dryRun) await outputs.row(row)
    else outputs.note(row)
    if (outputs.error !== undefined) break
  }
  const summary = {
    ...headOf(run, true),
    counts: countsOf(plan.counts),
    lapsed: plan.lapsed,
    emails: plan.emails,
    targets: Object.fromEntries(plan.targets),
    hasUnreadPackages: plan.hasUnreadPackages,
    unlisted,
    sheet: candidates.file.sheet,
  }
  await outputs.end(summary, candidates, preferences.dryRun)
  const { earlierReport } = outputs.written
  if (earlierReport !== undefined && !preferences.json) {
    await output.show((terminal) => terminal.fields([['earlier report', earlierReport]]))
  }
  if (outputs.error !== undefined) throw outputs.error
}

function headOf({ campaign, sender, bulk }: Run, isDryRun: boolean) {
  const { path } = sender.place
  return { type: 'summary', dryRun: isDryRun, campaign, ledger: path.value, doubts: Object.fromEntries(bulk.doubts) }
}

async function sendPlan(run: Run): Promise<void> {
  const { context, candidates, bulk, outputs, options } = run
  const { io, preferences } = context
  const { interruption } = io
  const { plan } = bulk
  const progress = new Progress(io, plan.counts.planned, preferences.json)
  const onInterruption = () => void progress.print(DRAINING)
  interruption.addEventListener('abort', onInterruption, { once: true })
  const { runCampaign } = await import('../../src/campaign/index.ts')
  const { concurrency, rate: ratePerSecond, maxFailures, maxOutage: maxOutageMs } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([interruption, stopping.signal])
  const limits = { concurrency, ratePerSecond, maxFailures, maxOutageMs }
  let summary: CampaignSummary | undefined
  const tally = new Tally()
  for await (const event of runCampaign(plan, { ...limits, signal })) {
    if (event.type === 'finished') summary = event.summary
    else if (event.type === 'row') {
      await outputs.row(event)
      if (outputs.error !== undefined) stopping.abort()
      tally.note(event)
      await progress.row(event)
    } else await progress.event(event)
  }
  interruption.removeEventListener('abort', onInterruption)
  await progress.end()
  if (summary === undefined) return
  for (const row of plan.rows) {
    if (outputs.has(row.row)) continue
    const isDecided = row.status === 'rejected' || row.status === 'duplicate'
    await outputs.row(row, isDecided ? undefined : 'not_started')
  }
  const { error, counts, ...figures } = summary
  const head = { ...headOf(run, false), lapsed: plan.lapsed, counts: countsOf(counts) }
  await outputs.end({ ...head, ...figures, code: error?.code }, candidates, true)
  if (!preferences.json) await showSummary(run, summary, tally)
  const failure = runErrorOf(summary, run, tally.unread)
  if (failure !== undefined) throw failure
}

const DRAINING =
  'interrupted: no further row is started, and requests in progress are completed. A second signal ends it at once: their ' +
  'outcome is then unknown.'
