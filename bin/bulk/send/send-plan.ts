import type { CampaignSummary, RowEvent } from '../../../src/campaign/index.ts'
import type { LedgerPlace } from '../../config/ledger.ts'
import type { Context } from '../../context.ts'
import { ledgerFlag } from '../../ledger/resolve-hints.ts'
import { formatDuration, formatNumber, rowCount } from '../../terminal/numbers.ts'
import type { Fields } from '../../terminal/output.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import type { BulkPlan } from '../plan/plan-file.ts'
import { sendsOf } from '../plan/plan-text.ts'
import type { Outputs } from '../report/output-files.ts'
import { isUnrecorded, toReportedRow } from '../report/reported-row.ts'
import { ProgressLine } from './progress.ts'
import { runErrorOf } from './run-error.ts'

/** Sends a plan, and reports each row. @throws CliError with the exit code of the run */
export async function sendPlan(
  context: Context,
  { plan, name, place, opened, input, creates }: BulkPlan,
  outputs: Outputs,
  options: BulkOptions,
): Promise<void> {
  const { io, preferences, output, connection } = context
  const { interruption } = io
  const isSilent = preferences.json.value
  const stopping = new AbortController()
  const progress = new ProgressLine(io, sendsOf(plan, options).count)
  const onInterruption = () => void (isSilent ? undefined : progress.print(DRAINING))
  interruption.addEventListener('abort', onInterruption, { once: true })
  const { runCampaign } = await import('../../../src/campaign/index.ts')
  const {
    concurrency,
    rate: ratePerSecond,
    maxFailures,
    ifUnknown,
    allowClockSkew,
    maxOutage: maxOutageMs,
    maxWait: maxWaitMs,
  } = options
  const timeoutMs = connection().timeoutMs.value
  const signal = AbortSignal.any([interruption, stopping.signal])
  let summary: CampaignSummary | undefined
  const tally = new RunTally()
  for await (const event of runCampaign(plan, {
    concurrency,
    ratePerSecond,
    maxFailures,
    ifUnknown,
    allowClockSkew,
    maxOutageMs,
    maxWaitMs,
    timeoutMs,
    signal,
  })) {
    if (event.type === 'finished') summary = event.summary
    else if (event.type === 'pause') await (isSilent ? undefined : progress.pause(event))
    else if (event.type === 'outage') await (isSilent ? undefined : progress.outage(event))
    else if (event.type === 'in-progress') await (isSilent ? undefined : progress.inProgress(event))
    else {
      await outputs.row(event)
      if (outputs.error !== undefined) stopping.abort()
      tally.note(event)
      if (!isSilent) await progress.row(event)
    }
  }
  interruption.removeEventListener('abort', onInterruption)
  await progress.end()
  if (summary === undefined) return
  const { error, ...figures } = summary
  const head = { type: 'summary', dryRun: false, campaign: name, ledger: opened.ledger.path, lapsed: plan.lapsed }
  await outputs.end({ ...head, ...figures, code: error?.code }, input, true)
  if (!isSilent) {
    await output.show((terminal) => terminal.fields(summaryFields(figures, tally, outputs.written)))
    for (const row of tally.unrecorded) await output.warn(unrecordedText(row, place))
    if (figures.emailsNotSent > 0) await output.warn(notEmailedText(figures.emailsNotSent, place))
    if (tally.unsentLinks > 0 && options.includeLinks !== true)
      await output.warn(unsentLinksText(tally.unsentLinks, place))
  }
  const failure = runErrorOf(summary, {
    interruption,
    maxWaitMs,
    sent: creates.count,
    unread: tally.unread,
    outputError: outputs.error,
    failedOut: outputs.written.failedOut,
    ledger: ledgerFlag(place),
    profileFlag: place.profileFlag,
  })
  if (failure !== undefined) throw failure
}

const DRAINING =
  'interrupted: no further row is started, and requests in progress are completed. A second signal ends it at once: their ' +
  'outcome is then unknown.'

/* What the counts of a summary do not show. */
class RunTally {
  unsentLinks = 0
  /** Created rows whose response could not be read completely. */
  unread = 0
  /** At most as many as the concurrency. */
  readonly unrecorded: RowEvent[] = []
  readonly #reasons = new Map<string, Map<string, { count: number; readonly row: number }>>()

  note(event: RowEvent): void {
    const { status, input, invites, error, row } = event
    if (isUnrecorded(event)) this.unrecorded.push(event)
    else if (status === 'created') {
      if (input?.sendInviteEmail === false) this.unsentLinks += invites.length
      if (error !== undefined) this.unread += 1
    }
    if (error === undefined || status === 'created' || status === 'already_invited') return
    const byCode = this.#reasons.get(status) ?? new Map<string, { count: number; readonly row: number }>()
    const reason = byCode.get(error.code) ?? { count: 0, row }
    reason.count += 1
    this.#reasons.set(status, byCode.set(error.code, reason))
  }

  /** The codes of the rows of a status. Their messages are in the report. */
  reasonsOf(status: string): string {
    const codes = [...(this.#reasons.get(status) ?? [])].toSorted(([, one], [, other]) => other.count - one.count)
    const reasons = codes.map(([code, { count, row }]) => {
      return `${code}${codes.length > 1 ? ` ${formatNumber(count)}` : ''}, e.g. row ${row}`
    })
    return reasons.length === 0 ? '' : `: ${reasons.join('; ')}`
  }
}

function summaryFields(
  { counts, remaining, durationMs }: Omit<CampaignSummary, 'error'>,
  tally: RunTally,
  { report, earlierReport, failedOut }: Outputs['written'],
): Fields {
  const shown = Object.entries(counts).filter(([status, count]) => count > 0 || status === 'created')
  const toFix = rowCount(counts.failed + counts.refused + counts.rejected)
  const fields = [
    ...shown.map(
      ([status, count]) => [status.replaceAll('_', ' '), formatNumber(count) + tally.reasonsOf(status)] as const,
    ),
    ['not started', remaining > 0 ? formatNumber(remaining) : undefined],
    ['took', formatDuration(durationMs / 1000)],
    ['report', report],
    ['earlier report', earlierReport],
    ['to fix', failedOut && `${failedOut}: ${toFix}`],
  ] as const
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}

function unrecordedText(event: RowEvent, place: LedgerPlace): string {
  const ids = event.invites.map(({ inviteId }) => `--created ${inviteId}`)
  const command = ['certify invites resolve', event.reference, ...ids].join(' ') + ledgerFlag(place)
  return `row ${event.row}: when the ledger works again, run \`${command}\`. ${toReportedRow(event, false).message}`
}

function notEmailedText(count: number, place: LedgerPlace): string {
  return (
    `e-mails were requested, but the service reports that it did not send ${formatNumber(count)} of them. Deliver those ` +
    'links yourself: email_sent is false in the report, and `certify invites view <invite-id> --show-links' +
    `${ledgerFlag(place)}\` has the link.`
  )
}

function unsentLinksText(count: number, place: LedgerPlace): string {
  const invites = count === 1 ? '1 invite was' : `${formatNumber(count)} invites were`
  return (
    `${invites} created without an e-mail. The links are only in the ledger: \`certify invites list --show-links` +
    `${ledgerFlag(place)}\` shows them, and --include-links would have put them into the report.`
  )
}
