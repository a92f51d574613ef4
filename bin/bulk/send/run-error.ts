import type { CampaignSummary } from '../../../src/campaign/index.ts'
import type { CertifyError, CertifyErrorCode } from '../../../src/index.ts'
import { CliError } from '../../cli-error.ts'
import { type ExitCode, exitCodeOf, exitCodeOfSignal } from '../../exit-codes.ts'
import { wordError } from '../../terminal/error-wording.ts'
import { formatDuration, formatNumber, rowCount } from '../../terminal/numbers.ts'

export interface RunFacts {
  readonly interruption: AbortSignal
  /** The limit of --max-wait. */
  readonly maxWaitMs: number | undefined
  /** The number of creates that were tried. */
  readonly sent: number
  /** The number of created rows whose response could not be read completely. */
  readonly unread: number
  readonly outputError: CliError | undefined
  /** The file of rows to fix, if it was written. */
  readonly failedOut: string | undefined
  /** The flags that a hint's command needs for the same profile and ledger. */
  readonly ledger: string
  readonly profileFlag: string
}

/** The error of a run that did not complete all rows; `undefined` if it did. */
export function runErrorOf(summary: CampaignSummary, facts: RunFacts): CliError | undefined {
  const { counts, remaining, error } = summary
  const { interruption, outputError, unread } = facts
  const unwritten = outputError === undefined ? '' : ` ${outputError.message}`
  const rest = `${remaining > 0 ? ` Not started: ${rowCount(remaining)}.` : ''}${unwritten}`
  const hint = hintOf(summary, facts)
  const failure = (exitCode: ExitCode, code: string, message: string) => new CliError(message, hint, { code, exitCode })
  /* A send that could not be recorded takes precedence over the interruption. */
  if (summary.stopped === 'aborted' && interruption.aborted && error?.code !== 'LEDGER_UNUSABLE') {
    return failure(exitCodeOfSignal(interruption), 'ABORTED', `interrupted.${rest}`)
  }
  if (error !== undefined) {
    const words = wordError(error, facts.profileFlag)
    const why = reasonToStop(error, facts)
    const lost = error.code === 'LEDGER_UNUSABLE' && facts.sent > 0 ? MAY_BE_LOST : ''
    const cause = isNotService(error, facts) ? NOT_SERVICE : words.hint
    /* Mixed-up responses must be explained before anybody runs it again. */
    const hints = error.code === 'RESPONSE_MISMATCHED' ? cause : `${cause} ${hint}`
    const exitCode = exitCodeOfShared(error, summary, facts)
    return new CliError(`${why}${words.message}${lost}${rest}`, hints, { code: error.code, exitCode })
  }
  if (counts.unknown > 0 || unread > 0)
    return failure(6, 'ROWS_UNKNOWN', `${unknownRows(counts.unknown, unread)}${rest}`)
  if (outputError !== undefined) return failure(1, outputError.code, rest.trimStart())
  const bad = (['refused', 'failed', 'rejected', 'partly_invited'] as const).filter((status) => counts[status] > 0)
  if (bad.length === 0 && remaining === 0) return undefined
  const what = bad.map((status) => `${formatNumber(counts[status])} ${status.replace('_', ' ')}`).join(', ')
  const stopped = summary.stopped === 'failures' ? ' Stopped by --max-failures.' : ''
  return failure(3, 'ROWS_FAILED', `not all rows were done: ${what}.${stopped}${rest}`)
}

/** The error of a plan that could not be made. Nothing was sent. */
export async function planErrorOf(error: unknown): Promise<unknown> {
  const { isCertifyError } = await import('../../../src/index.ts')
  if (!isCertifyError(error) || !isNotService(error, { sent: 0 })) return error
  return new CliError(`${wordError(error).message} Nothing was sent.`, NOT_SERVICE, { code: error.code, exitCode: 2 })
}

function unknownRows(unknown: number, unread: number): string {
  const are = unknown === 1 ? 'is' : 'are'
  const were = unread === 1 ? 'was' : 'were'
  const sentences = [
    ...(unknown > 0 ? [`${rowCount(unknown)} ${are} unknown: an invite may have been created.`] : []),
    ...(unread > 0
      ? [
          `${rowCount(unread)} ${were} created, but the response could not be read completely: the readable part is recorded.`,
        ]
      : []),
  ]
  return sentences.join(' ')
}

const MAY_BE_LOST = ' Requests in progress may have created invites: the next run will report them as unknown.'

/* Why an error ended the run, if it says so only by when it came. */
function reasonToStop({ code, operation, retryAfterMs = 0 }: CertifyError, { sent, maxWaitMs }: RunFacts): string {
  if (maxWaitMs !== undefined && retryAfterMs > maxWaitMs) {
    return `the service asks to wait ${formatDuration(retryAfterMs / 1000)}, longer than --max-wait: `
  }
  const isOutage = operation === PROBE && sent > 0 && code !== 'CONFIG_INVALID'
  return isOutage ? 'the service did not answer again in time (--max-outage): ' : ''
}

/* A whole answer came before the first create, and it is no GraphQL result. */
function isNotService({ operation, phase, code }: CertifyError, { sent }: Pick<RunFacts, 'sent'>): boolean {
  return sent === 0 && operation === PROBE && phase === undefined && NO_RESULT.has(code)
}

/* The query that asks whether the service is there. */
const PROBE = 'tracks.list'

const NO_RESULT: ReadonlySet<string> = new Set<CertifyErrorCode>(['RESPONSE_UNREADABLE', 'NOT_FOUND', 'API_ERROR'])

const NOT_SERVICE = 'What answers there is not the service: check the base URL (CERTIFY_BASE_URL or --base-url).'

/* The exit code of a failure that all rows share. Before the first request it is as for any command. */
function exitCodeOfShared(
  error: NonNullable<CampaignSummary['error']>,
  { counts }: CampaignSummary,
  facts: RunFacts,
): ExitCode {
  const { sent, unread, interruption } = facts
  const usual = exitCodeOf(error, interruption)
  if (sent === 0) return isNotService(error, facts) ? 2 : usual
  if (error.code === 'LEDGER_UNUSABLE' || counts.unknown + unread > 0) return 6
  return usual === 4 || (usual === 7 && counts.created === 0) ? usual : 3
}

function hintOf({ counts, remaining }: CampaignSummary, { failedOut, ledger }: RunFacts): string {
  const hints: string[] = []
  if (remaining > 0 || counts.failed > 0) {
    hints.push('Run the same command again to resume: completed rows are not sent again.')
  }
  if (counts.unknown > 0) {
    hints.push(
      `Unknown rows are not sent again: find out whether the invite exists, then \`certify invites resolve <reference>${ledger}\` ` +
        `(\`certify invites list --state unknown${ledger}\` shows them), or with --from for many.`,
    )
  }
  if (counts.partly_invited > 0) {
    hints.push('The report names the missing quizzes of packages that are invited in part: invite to them one by one.')
  }
  if (counts.refused + counts.rejected > 0) {
    hints.push(
      failedOut === undefined
        ? 'Fix the refused and invalid rows; --failed-out writes them to a file of their own.'
        : `Fix the rows of ${failedOut} and run it with that file.`,
    )
  }
  return hints.join(' ') || 'Run the same command again.'
}
