import type { CampaignSummary, RowEvent, RunOptions } from '../../../src/campaign/index.ts'
import type { Context } from '../../context.ts'
import { ledgerFlag } from '../../ledger/resolve-hints.ts'
import { duration, number, rowsOf } from '../../terminal/numbers.ts'
import type { Terminal } from '../../terminal/output.ts'
import type { BulkOptions, Prepared } from '../plan/plan-file.ts'
import type { Outputs } from '../report/outputs.ts'
import { isUnrecorded, reported } from '../report/reported-row.ts'
import { ProgressLine } from './progress.ts'
import { runErrorOf } from './run-error.ts'

/** Sends what is planned, and reports what becomes of it. @throws CliError with the exit code that the rows have come to */
export async function run(context: Context, prepared: Prepared, outputs: Outputs, options: BulkOptions): Promise<void> {
  const { io, preferences, connection } = context
  const { plan, name, place, opened, source, reading, requests } = prepared
  const { runCampaign } = await import('../../../src/campaign/index.ts')
  const stopping = new AbortController()
  const signal = AbortSignal.any([io.interruption, stopping.signal])
  const { concurrency, ratePerSecond, maxFailures, ifUnknown } = options
  const timeoutMs = connection().timeoutMs.value
  const settings: RunOptions = { concurrency, ratePerSecond, maxFailures, ifUnknown, timeoutMs, signal }
  const isSilent = preferences.json.value
  const progress = new ProgressLine(io, plan.counts, ifUnknown === 'create')
  const onInterruption = () => void (isSilent ? undefined : progress.print(DRAINING))
  io.interruption.addEventListener('abort', onInterruption, { once: true })
  let summary: CampaignSummary | undefined
  const seen = { linksKept: 0, unread: 0 }
  const reasons = new Reasons()
  /* At most as many as are on their way at once. */
  const unrecorded: string[] = []
  for await (const event of runCampaign(plan, settings)) {
    if (event.type === 'finished') summary = event.summary
    else if (event.type === 'pause') await (isSilent ? undefined : progress.pause(event))
    else {
      await outputs.row(event)
      if (outputs.error !== undefined) stopping.abort()
      if (event.status === 'created') note(event, seen)
      reasons.note(event)
      if (isUnrecorded(event)) unrecorded.push(unrecordedRow(event, ledgerFlag(place)))
      if (!isSilent) await progress.row(event)
    }
  }
  io.interruption.removeEventListener('abort', onInterruption)
  await progress.end()
  if (summary === undefined) return
  const { error, ...figures } = summary
  const totals = {
    type: 'summary',
    dryRun: false,
    campaign: name,
    ledger: opened.ledger.path,
    ...figures,
    code: error?.code,
  }
  await outputs.end(totals, source, reading, true)
  if (!isSilent) {
    const written = {
      report: outputs.kept.report ? options.report : undefined,
      failedOut: outputs.kept.failedOut ? options.failedOut : undefined,
    }
    await context.output.show((terminal) => drawSummary(figures, reasons, written, terminal))
    for (const each of unrecorded) await context.output.warn(each)
    await warn(context, figures.emailsNotSent, options.includeLinks ? 0 : seen.linksKept)
  }
  const ending = runErrorOf(summary, {
    interruption: io.interruption,
    sent: requests.count,
    unread: seen.unread,
    outputError: outputs.error,
    failedOut: outputs.kept.failedOut ? options.failedOut : undefined,
    ledgerFlag: ledgerFlag(place),
  })
  if (ending !== undefined) throw ending
}

/* What the counts of a summary do not say. */
function note({ input, invites, error }: RowEvent, seen: { linksKept: number; unread: number }): void {
  if (error?.code === 'LEDGER_UNUSABLE') return
  if (input?.sendInviteEmail === false) seen.linksKept += invites.length
  if (error !== undefined) seen.unread += 1
}

/* On a terminal this is all that is left of it. */
function unrecordedRow(event: RowEvent, flag: string): string {
  const ids = event.invites.map(({ inviteId }) => `--created ${inviteId}`)
  const command = ['certify invites resolve', event.reference, ...ids].join(' ')
  return `row ${event.row}: when the ledger works again, \`${command}${flag}\`. ${reported(event, false).message}`
}

const DRAINING =
  'interrupted: no further row is begun, and what is on its way is waited for. Once more ends it at once, and leaves ' +
  'that unknown.'

/* The files that are in their place. */
interface Written {
  readonly report: string | undefined
  readonly failedOut: string | undefined
}

function drawSummary(
  { counts, remaining, durationMs }: Omit<CampaignSummary, 'error'>,
  reasons: Reasons,
  { report, failedOut }: Written,
  terminal: Terminal,
) {
  const shown = Object.entries(counts).filter(([status, count]) => count > 0 || status === 'created')
  return terminal.fields([
    ...shown.map(([status, count]) => [status.replaceAll('_', ' '), `${number(count)}${reasons.of(status)}`] as const),
    ...(remaining > 0 ? [['not come to', number(remaining)] as const] : []),
    ['took', duration(durationMs / 1000)],
    ...(report === undefined ? [] : [['report', report] as const]),
    ...(failedOut === undefined
      ? []
      : [['to fix', `${failedOut}: ${rowsOf(counts.failed + counts.refused + counts.rejected)}`] as const]),
  ])
}

/* Why rows were not created, by their codes. Their messages are in the report. */
class Reasons {
  readonly #byStatus = new Map<string, Map<string, { count: number; readonly row: number }>>()

  note({ status, error, row }: RowEvent): void {
    if (error === undefined || status === 'created' || status === 'already_invited') return
    const byCode = this.#byStatus.get(status) ?? new Map<string, { count: number; readonly row: number }>()
    this.#byStatus.set(status, byCode)
    const known = byCode.get(error.code) ?? { count: 0, row }
    byCode.set(error.code, known)
    known.count += 1
  }

  of(status: string): string {
    const codes = [...(this.#byStatus.get(status) ?? [])].toSorted(([, one], [, other]) => other.count - one.count)
    const reasons = codes.map(([code, { count, row }]) => {
      return `${code}${codes.length > 1 ? ` ${number(count)}` : ''}, e.g. row ${row}`
    })
    return reasons.length === 0 ? '' : `: ${reasons.join('; ')}`
  }
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
      `${linksKept === 1 ? '1 invite was' : `${number(linksKept)} invites were`} created without an e-mail. Their links are in the ledger alone: \`certify invites ` +
        'list --show-links` shows them, and --include-links would have put them into the report.',
    )
  }
}
