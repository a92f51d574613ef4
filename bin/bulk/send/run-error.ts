import type { CampaignSummary } from '../../../src/campaign/index.ts'
import { CliError } from '../../cli-error.ts'
import { type ExitCode, exitCodeOf } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { wordError } from '../../terminal/error-wording.ts'
import { number, rowsOf } from '../../terminal/numbers.ts'

/** What a run was, beside what its summary says. */
export interface RunFacts {
  readonly interruption: Io['interruption']
  /** How many requests left. */
  readonly sent: number
  /** How many rows were created whose answer could not be read whole. */
  readonly unread: number
  /** What kept the output from being written. */
  readonly outputError: CliError | undefined
  /** Where the rows to fix are, if that file was written. */
  readonly failedOut: string | undefined
  /** What names the ledger to another command, with a blank in front of it; empty where it finds it by itself. */
  readonly ledgerFlag: string
}

/** How a run ends that did not do all it was asked for; `undefined` where it did. */
export function runErrorOf(summary: CampaignSummary, facts: RunFacts): CliError | undefined {
  const { counts, remaining, error } = summary
  const { interruption, outputError } = facts
  const unwritten = outputError === undefined ? '' : ` ${outputError.message}`
  const left = `${remaining > 0 ? ` Not come to: ${rowsOf(remaining)}.` : ''}${unwritten}`
  /* A send that could not be recorded takes precedence over the interruption. */
  if (summary.stopped === 'aborted' && interruption.aborted && error?.code !== 'LEDGER_UNUSABLE') {
    return ending(
      interruption.reason === 'SIGTERM' ? 143 : 130,
      'ABORTED',
      `interrupted.${left}`,
      hintFor(summary, facts),
    )
  }
  if (error !== undefined) {
    const exitCode = exitCodeOfShared(summary, facts)
    const words = wordError(error)
    const lost = error.code === 'LEDGER_UNUSABLE' && facts.sent > 0 ? LOST : ''
    /* Nobody should run anything again before it is clear what mixes up answers. */
    const hint = error.code === 'RESPONSE_MISMATCHED' ? words.hint : `${words.hint} ${hintFor(summary, facts)}`
    return ending(exitCode, error.code, `${words.message}${lost}${left}`, hint)
  }
  if (counts.unknown > 0 || facts.unread > 0) {
    return ending(6, 'ROWS_UNKNOWN', `${unknownRows(counts.unknown, facts.unread)}${left}`, hintFor(summary, facts))
  }
  if (outputError !== undefined) {
    return ending(1, outputError.code, left.trimStart(), hintFor(summary, facts))
  }
  const bad = (['refused', 'failed', 'rejected'] as const).filter((status) => counts[status] > 0)
  if (bad.length === 0 && remaining === 0) return undefined
  const what = bad.map((status) => `${number(counts[status])} ${status}`).join(', ')
  const stopped = summary.stopped === 'failures' ? ' Stopped by --max-failures.' : ''
  return ending(3, 'ROWS_FAILED', `not all rows were done: ${what}.${stopped}${left}`, hintFor(summary, facts))
}

function unknownRows(unknown: number, unread: number): string {
  const sentences = [
    ...(unknown > 0
      ? [`${rowsOf(unknown)} ${unknown === 1 ? 'is' : 'are'} unknown: an invite may have been created.`]
      : []),
    ...(unread > 0
      ? [
          `${rowsOf(unread)} ${unread === 1 ? 'was' : 'were'} created, but the answer could not be read whole: what came is recorded.`,
        ]
      : []),
  ]
  return sentences.join(' ')
}

const LOST = ' What was on its way may have been created: it will be unknown when the same is run again.'

/* Before anything was with the service it is as for any command. */
function exitCodeOfShared({ counts, error }: CampaignSummary, { sent, unread, interruption }: RunFacts): ExitCode {
  if (error === undefined) return 0
  const usual = exitCodeOf(error, interruption)
  if (sent === 0) return usual
  if (error.code === 'LEDGER_UNUSABLE' || counts.unknown + unread > 0) return 6
  return usual === 4 || (usual === 7 && counts.created === 0) ? usual : 3
}

function hintFor({ counts, remaining }: CampaignSummary, { failedOut, ledgerFlag }: RunFacts): string {
  const hints = [
    ...(remaining > 0 || counts.failed > 0
      ? ['Run the same command again to resume: what is done is not sent again.']
      : []),
    ...(counts.unknown > 0
      ? [
          `Unknown rows are not sent again: find out whether the invite exists, then \`certify invites resolve <reference>${ledgerFlag}\` ` +
            `(\`certify invites list --state unknown${ledgerFlag}\` shows them).`,
        ]
      : []),
    ...(counts.refused + counts.rejected > 0
      ? [
          failedOut === undefined
            ? 'Rows that were refused or are not valid have to be fixed; --failed-out writes them to a file of their own.'
            : `Fix the rows of ${failedOut} and run it with that file.`,
        ]
      : []),
  ]
  return hints.join(' ') || 'Run the same command again.'
}

function ending(exitCode: ExitCode, code: string, message: string, hint: string): CliError {
  return new CliError(message, hint, { code, exitCode })
}
