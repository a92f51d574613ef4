import type { CampaignSummary, RowEvent } from '../../src/campaign/index.ts'
import type { CertifyError } from '../../src/index.ts'
import { CliError, type ExitCode, exitCodeOf, exitCodeOfSignal } from '../cli-error.ts'
import { wordError } from '../terminal/error-wording.ts'
import type { Fields } from '../terminal/output.ts'
import { formatDuration, formatNumber, rowCount } from '../terminal/text.ts'
import type { Outputs } from './outputs.ts'
import type { Run } from './plan.ts'
import { EXPIRED } from './plan-text.ts'
import { isUnrecorded, toReportedRow } from './report.ts'

/** The error of a run that did not complete all rows; `undefined` if it did. */
export function runErrorOf(summary: CampaignSummary, run: Run, unread: number): CliError | undefined {
  const { counts, remaining, error } = summary
  const { interruption } = run.context.io
  const outputError = run.outputs.error
  const unwritten = outputError === undefined ? '' : ` ${outputError.message}`
  const rest = `${remaining > 0 ? ` Not started: ${rowCount(remaining)}.` : ''}${unwritten}`
  const hint = hintOf(summary, run)
  const failure = (exitCode: ExitCode, code: string, message: string) => new CliError(message, hint, { code, exitCode })
  /* A create that could not be recorded takes precedence over the interruption. */
  if (summary.stopped === 'aborted' && interruption.aborted && error?.code !== 'LEDGER_UNUSABLE') {
    return failure(exitCodeOfSignal(interruption), 'ABORTED', `interrupted.${rest}`)
  }
  if (error !== undefined) return sharedError(summary, error, run, { unread, rest, hint })
  if (counts.unknown + unread > 0) return failure(6, 'ROWS_UNKNOWN', `${unknownRows(counts.unknown, unread)}${rest}`)
  if (outputError !== undefined) return failure(1, outputError.code, rest.trimStart())
  const bad = Object.entries(NOT_DONE).flatMap(([status, word]) => {
    const count = counts[status as keyof typeof NOT_DONE]
    return count > 0 ? [`${formatNumber(count)} ${word}`] : []
  })
  if (bad.length === 0 && remaining === 0) return undefined
  const stopped = summary.stopped === 'failures' ? ' Stopped by --max-failures.' : ''
  return failure(3, 'ROWS_FAILED', `not all rows were done: ${bad.join(', ')}.${stopped}${rest}`)
}

const NOT_DONE = { refused: 'refused', failed: 'failed', rejected: 'invalid', partly_invited: 'partly invited' }

/* A failure that every row would share. */
function sharedError(
  summary: CampaignSummary,
  error: CertifyError,
  { context, sender, creates: { tried } }: Run,
  { unread, rest, hint }: { readonly unread: number; readonly rest: string; readonly hint: string },
): CliError {
  const words = wordError(error, { flags: sender.place.flags })
  const isOutage = error.operation === PROBE && tried > 0 && error.code !== 'CONFIG_INVALID'
  const why = isOutage ? 'the service did not recover in time (--max-outage): ' : ''
  const lost = error.code === 'LEDGER_UNUSABLE' && tried > 0 ? MAY_BE_LOST : ''
  /* The hint of a failed check is about one call, not about the run. */
  const cause = isOutage ? '' : words.hint
  /* Nobody should run it again until mixed-up responses are explained. */
  const hints = error.code === 'RESPONSE_MISMATCHED' ? cause : `${cause} ${hint}`.trimStart()
  const usual = exitCodeOf(error, context.io.interruption)
  const exitCode = tried > 0 ? exitCodeOfShared(usual, error, summary, unread) : usual
  return new CliError(`${why}${words.message}${lost}${rest}`, hints, { code: error.code, exitCode })
}

function unknownRows(unknown: number, unread: number): string {
  const are = `${rowCount(unknown)} ${unknown === 1 ? 'is' : 'are'} unknown: an invite may have been created.`
  const were = `${rowCount(unread)} ${unread === 1 ? 'was' : 'were'} created, but not all of the response could be read.`
  return [...(unknown > 0 ? [are] : []), ...(unread > 0 ? [were] : [])].join(' ')
}

const MAY_BE_LOST = ' Requests in progress may have created invites: the next run will report them as unknown.'

/* The query that checks whether the service responds. */
const PROBE = 'tracks.list'

function exitCodeOfShared(
  usual: ExitCode,
  { code }: CertifyError,
  { counts }: CampaignSummary,
  unread: number,
): ExitCode {
  if (code === 'LEDGER_UNUSABLE' || counts.unknown + unread > 0) return 6
  return usual === 4 || (usual === 7 && counts.created === 0) ? usual : 3
}

function hintOf({ counts, remaining }: CampaignSummary, { sender, outputs }: Run): string {
  const { flags } = sender.place
  const { failedOut } = outputs.written
  const hints: string[] = []
  if (remaining > 0 || counts.failed > 0) {
    hints.push('Run the same command again to resume: completed rows are not created again.')
  }
  if (counts.unknown > 0) {
    hints.push(
      'Unknown rows are not created again. Find out whether each invite exists, and record it: ' +
        `\`certify invites resolve <reference>${flags}\`, or \`certify studio${flags}\` for many.`,
    )
  }
  if (counts.partly_invited > 0) {
    hints.push('The report names the missing quizzes of partly invited packages: invite to them one by one.')
  }
  if (counts.refused + counts.rejected > 0) {
    hints.push(
      failedOut === undefined
        ? 'Fix the refused and invalid rows; --failed-out writes them to a file of their own.'
        : `Fix the rows in ${failedOut} and run certify bulk with that file.`,
    )
  }
  return hints.join(' ') || 'Run the same command again.'
}

/** The facts that the counts of a summary do not show. */
export class Tally {
  unsentLinks = 0
  /** Created rows whose response could not be read completely. */
  unread = 0
  /** At most as many as the concurrency. */
  readonly unrecorded: RowEvent[] = []
  readonly #reasons = new Map<string, Map<string, number>>()

  note(event: RowEvent): void {
    const { status, input, invites, error, row } = event
    if (isUnrecorded(event)) this.unrecorded.push(event)
    else if (status === 'created') {
      if (input?.sendInviteEmail === false) this.unsentLinks += invites.length
      if (error !== undefined) this.unread += 1
    }
    if (error === undefined || status === 'created' || status === 'already_invited') return
    const rowOfCode = this.#reasons.get(status) ?? new Map<string, number>()
    this.#reasons.set(status, rowOfCode.set(error.code, rowOfCode.get(error.code) ?? row))
  }

  /** The codes of the rows with a status. Their messages are in the report. */
  reasonsOf(status: string): string {
    const reasons = [...(this.#reasons.get(status) ?? [])].map(([code, row]) => `${code}, e.g. row ${row}`)
    return reasons.length === 0 ? '' : `: ${reasons.join('; ')}`
  }
}

/** Tells a person how a run ended, and what they have to do. */
export async function showSummary(
  { context, sender, outputs, options }: Run,
  summary: CampaignSummary,
  tally: Tally,
): Promise<void> {
  const { output } = context
  const { flags } = sender.place
  await output.show((terminal) => terminal.fields(summaryFields(summary, tally, outputs.written)))
  for (const row of tally.unrecorded) {
    const ids = row.invites.map(({ inviteId }) => `--created ${inviteId}`)
    const command = ['certify invites resolve', row.reference, ...ids].join(' ') + flags
    const why = toReportedRow(row, false).message
    await output.warn(`row ${row.row}: when the ledger works again, run \`${command}\`. ${why}`)
  }
  if (summary.emailsNotSent > 0) {
    await output.warn(
      `e-mails were requested, but the service reports that it did not send ${formatNumber(summary.emailsNotSent)} of them. ` +
        `Deliver those links yourself: \`certify invites list --show-links${flags}\` has them, and email_sent is false in the report.`,
    )
  }
  if (tally.unsentLinks > 0 && options.showLinks !== true) {
    const invites = tally.unsentLinks === 1 ? '1 invite was' : `${formatNumber(tally.unsentLinks)} invites were`
    await output.warn(
      `${invites} created without an e-mail. The links are in the ledger: \`certify invites list --show-links${flags}\` ` +
        'shows them; certify bulk with --show-links puts them into the report.',
    )
  }
}

function summaryFields(
  { counts, remaining, durationMs }: CampaignSummary,
  tally: Tally,
  { report, earlierReport, failedOut }: Outputs['written'],
): Fields {
  const { expired, ...others } = counts
  const shown = Object.entries(others).filter(([status, count]) => count > 0 || status === 'created')
  const toFix = rowCount(counts.failed + counts.refused + counts.rejected + remaining)
  const fields = [
    ['expired', expired > 0 ? `${formatNumber(expired)}: ${EXPIRED}` : undefined],
    ...shown.map(([status, count]) => {
      const name = status === 'rejected' ? 'invalid' : status.replaceAll('_', ' ')
      return [name, formatNumber(count) + tally.reasonsOf(status)] as const
    }),
    ['not started', remaining > 0 ? formatNumber(remaining) : undefined],
    ['took', formatDuration(durationMs / 1000)],
    ['report', report],
    ['earlier report', earlierReport],
    ['to fix', failedOut && `${failedOut}: ${toFix}`],
  ] as const
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}
