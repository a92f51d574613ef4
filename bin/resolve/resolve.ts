import { type CertifyError, isCertifyError } from '../../src/index.ts'
import type { Ledger, LedgerEntry } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { fileOf } from '../config/ledger-place.ts'
import type { Context } from '../context.ts'
import { inviteRowsOf, minuteOf, sendTable } from '../ledger/invite-row.ts'
import { listedScope } from '../ledger/list-invites.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { OutputFile } from '../table/output-file.ts'
import { refuseSame, reportFormat, reportText } from '../table/report-form.ts'
import { wordError } from '../terminal/error-wording.ts'
import { formatNumber } from '../terminal/numbers.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { interrupted } from '../terminal/prompts.ts'
import { wrap } from '../terminal/wrap.ts'
import { type GivenFinding, type ResolveFlags, readFindings } from './findings.ts'
import {
  type FindingStatus,
  findingColumns,
  invitesOf,
  type PlannedFinding,
  planFindings,
  type ReportedFinding,
  TOGETHER,
  toReportedFinding,
} from './plan.ts'

const MOST_SHOWN = 20

/**
 * Records what became of unknown creates: finds them, shows the plan, asks, records, reports.
 *
 * @throws CliError with the exit code, CertifyError LEDGER_UNUSABLE
 */
export async function resolve(context: Context, references: readonly string[], flags: ResolveFlags): Promise<void> {
  const { io, preferences, output } = context
  const place = context.place()
  const given = await readFindings(io, references, flags)
  refuseSame([
    ['the input', flags.from],
    ['the ledger', fileOf(place)],
    ['--report', flags.report],
  ])
  if (flags.report !== undefined) reportFormat(flags.report)
  const report = flags.report === undefined ? undefined : new OutputFile('--report', flags.report)
  try {
    await useLedger(context, async (ledger) => {
      const { filter, description } = listedScope(context, flags.all)
      const planned = await planFindings(ledger, await given(ledger, filter), filter)
      if (io.interruption.aborted) throw interrupted(io)
      refuseSharedIds(planned, flags)
      const scope = description || 'every service and account in the ledger'
      const mayRecord = await isConfirmed(context, planned, { flags, scope, ledger: ledger.path })
      const done = mayRecord ? await record(ledger, planned) : planned
      const rows = done.map(toReportedFinding)
      const summary = { type: 'summary', dryRun: !mayRecord, ledger: ledger.path, counts: countsOf(done) }
      const earlier = report?.finish(reportText(report.path, findingColumns, rows, summary), true)
      if (earlier !== undefined && !preferences.json) {
        await output.show((terminal) => terminal.fields([['earlier report', earlier]]))
      }
      if (mayRecord || preferences.dryRun) await print(context, rows, (terminal) => drawResult(done, terminal))
      const failure = failureOf(done, mayRecord || preferences.dryRun, place.flags)
      if (failure !== undefined) throw failure
    })
  } finally {
    report?.discard()
  }
}

/* The ids of one create are not those of another one. */
function refuseSharedIds({ length }: readonly PlannedFinding[], { created }: ResolveFlags): void {
  if (created === undefined || length <= 1) return
  throw new CliError(
    `--created has the invites of one create, and ${formatNumber(length)} are given. Nothing was changed.`,
    'Resolve them one by one, or with a file that has the ids of each: --from.',
  )
}

interface PlanFacts {
  readonly flags: ResolveFlags
  readonly scope: string
  readonly ledger: string
}

/* Whether it is to be recorded: not in a dry run, nor with findings that cannot be. */
async function isConfirmed(context: Context, planned: readonly PlannedFinding[], facts: PlanFacts): Promise<boolean> {
  const { io, preferences, output, prompts } = context
  const counts = countsOf(planned)
  const count = counts.planned ?? 0
  const isRefused = (counts.invalid ?? 0) > 0 && facts.flags.skipInvalid !== true
  const asks = !preferences.dryRun && !isRefused && count > 0 && !preferences.yes
  if (asks || !(preferences.json || preferences.quiet)) {
    await output.show((terminal) => drawPlan(planned, facts, io.stderr.isTTY, terminal))
  }
  if (planned.length === 0 && !preferences.json) await output.warn('there is nothing to resolve.')
  if (preferences.dryRun) {
    const refused = `The run will refuse: ${formatNumber(counts.invalid ?? 0)} cannot be resolved; --skip-invalid leaves them out.`
    await output.remark(`Nothing was changed. ${isRefused ? refused : ''}`.trimEnd())
  }
  if (preferences.dryRun || isRefused) return false
  /* Without the question in the error: it may name a candidate. */
  const unasked = 'What became of these creates has to be confirmed at a terminal.'
  if (asks) await prompts.confirm(questionOf(planned), 'Give --yes to record it, or --dry-run to see it.', unasked)
  return true
}

function countsOf(planned: readonly PlannedFinding[]): Readonly<Partial<Record<FindingStatus, number>>> {
  const counts: Partial<Record<FindingStatus, number>> = {}
  for (const { status } of planned) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function drawPlan(
  planned: readonly PlannedFinding[],
  { ledger, scope }: PlanFacts,
  isListed: boolean,
  terminal: Terminal,
): string {
  const chosen = planned.filter(({ status }) => status === 'planned')
  const created = chosen.filter(({ given }) => invitesOf(given).length > 0).length
  const { undecided = 0, duplicate = 0, invalid = 0 } = countsOf(planned)
  const notCreated = chosen.length - created
  const fields: Fields = [
    ['ledger', `${ledger}, of ${scope}`],
    ['not created', notCreated === 0 ? '0' : `${formatNumber(notCreated)}: they can be invited again`],
    ['created', formatNumber(created)],
    ...(undecided > 0 ? [['undecided', `${formatNumber(undecided)}: they stay unknown`] as const] : []),
    ...(duplicate > 0 ? [['repeated', formatNumber(duplicate)] as const] : []),
    ...(invalid > 0 ? [['invalid', formatNumber(invalid)] as const] : []),
  ]
  const list = isListed && chosen.length > 0 ? `\n${drawCreates(chosen, terminal)}` : ''
  return `${terminal.fields(fields)}${list}${drawReasons(planned, 'invalid')}`
}

/* Whose creates they are: only a terminal is for the eyes of one person. */
function drawCreates(chosen: readonly PlannedFinding[], terminal: Terminal): string {
  const rows = chosen.slice(0, MOST_SHOWN).flatMap(({ entry, given }) => {
    const [row] = entry === undefined ? [] : inviteRowsOf(entry, false)
    return row === undefined ? [] : [{ ...row, record: invitesOf(given).join(' ') || 'not created' }]
  })
  const verdict = {
    title: 'RECORD',
    value: (row: (typeof rows)[number]) => row.record,
    fit: 'end',
    narrowest: 11,
  } as const
  return terminal.table([verdict, ...sendTable], rows) + more(chosen.length)
}

function drawReasons(planned: readonly PlannedFinding[], wanted: FindingStatus): string {
  const rows = planned.filter(({ status }) => status === wanted)
  const lines = rows
    .slice(0, MOST_SHOWN)
    .map(({ given, message }) => `${wrap(`  ${given.place}: ${message ?? ''}`, '    ')}\n`)
  return lines.join('') + more(rows.length)
}

function more(count: number): string {
  return count > MOST_SHOWN ? `  and ${formatNumber(count - MOST_SHOWN)} more\n` : ''
}

/* Of one, the question shows whose it is. Of many, the plan has listed them. */
function questionOf(planned: readonly PlannedFinding[]): string {
  const chosen = planned.filter(({ status }) => status === 'planned')
  const [only] = chosen
  if (chosen.length === 1 && only?.entry !== undefined) return questionOfOne(only.entry, only.given)
  const created = chosen.filter(({ given }) => invitesOf(given).length > 0).length
  const notCreated = chosen.length - created
  const parts = [
    ...(notCreated > 0 ? [`${formatNumber(notCreated)} as not created (they can be invited again)`] : []),
    ...(created > 0 ? [`${formatNumber(created)} as created with the given ids`] : []),
  ]
  return `Record ${parts.join(', and ')}?`
}

function questionOfOne({ input, quizId, packageId, sentAt }: LedgerEntry, given: GivenFinding): string {
  const { email } = input.candidate
  const ids = invitesOf(given)
  const create = `${quizId ?? packageId ?? 'it'}, in the create of ${minuteOf(sentAt)} UTC?`
  if (ids.length === 0) return `Record that ${email} was never invited to ${create} They can then be invited again.`
  return `Record ${ids.join(', ')} as the invite${ids.length === 1 ? '' : 's'} of ${email} to ${create}`
}

/* What somebody else settles meanwhile stays. @throws CertifyError if the ledger cannot be used, and nothing was recorded */
async function record(ledger: Ledger, planned: readonly PlannedFinding[]): Promise<readonly PlannedFinding[]> {
  const done: PlannedFinding[] = []
  let unusable: CertifyError | undefined
  for (let at = 0; at < planned.length; at += TOGETHER) {
    const part = planned.slice(at, at + TOGETHER).map(async (each): Promise<PlannedFinding> => {
      const { entry, given, status } = each
      if (status !== 'planned' || entry === undefined || given.finding === undefined) return each
      try {
        return { ...each, status: 'resolved', entry: await ledger.resolve(entry.reference, given.finding) }
      } catch (error) {
        if (!isCertifyError(error)) throw error
        if (error.code === 'LEDGER_UNUSABLE') unusable = error
        if (error.code !== 'INPUT_INVALID') return { ...each, status: 'failed', message: wordError(error).message }
        const found = (await ledger.find(entry.reference)) ?? entry
        const message = found.state === entry.state ? TAKEN : `it was settled meanwhile, and is ${found.state}`
        return { ...each, status: 'failed', entry: found, message }
      }
    })
    done.push(...(await Promise.all(part)))
  }
  if (unusable !== undefined && !done.some(({ status }) => status === 'resolved')) throw unusable
  return done
}

const TAKEN = 'its invite is recorded for another candidate or quiz'

function print(
  { output }: Context,
  rows: readonly ReportedFinding[],
  draw: (terminal: Terminal) => string,
): Promise<void> {
  const done = rows.filter(({ status }) => status === 'resolved' || status === 'planned')
  const ids = done.flatMap(({ reference }) => reference ?? [])
  return output.data({ value: rows, columns: findingColumns, rows, ids, draw })
}

/* The creates that were resolved have been in the plan. */
function drawResult(done: readonly PlannedFinding[], terminal: Terminal): string {
  const counts = Object.entries(countsOf(done)).map(([status, count]) => [status, formatNumber(count)] as const)
  return `${counts.length === 0 ? '' : terminal.fields(counts)}${drawReasons(done, 'failed')}`
}

function failureOf(done: readonly PlannedFinding[], isOver: boolean, flags: string): CliError | undefined {
  const counts = countsOf(done)
  const { invalid = 0, failed = 0 } = counts
  if (!isOver) {
    const rows = done.filter(({ status }) => status === 'invalid').slice(0, MOST_SHOWN)
    return new CliError(
      `${formatNumber(invalid)} cannot be resolved. Nothing was changed.`,
      'Correct that and run it again, or give --skip-invalid to resolve the others.',
      {
        code: 'ROWS_INVALID',
        details: {
          counts,
          rows: rows.map(({ given, message }) => ({ row: given.row, issues: [{ path: 'row', rule: message }] })),
        },
      },
    )
  }
  /* A dry run has told it in its plan. */
  if (failed === 0 && (invalid === 0 || counts.planned !== undefined)) return undefined
  const bad = [
    ...(invalid > 0 ? [`${formatNumber(invalid)} invalid`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
  ]
  return new CliError(
    `not all were resolved: ${bad.join(', ')}.`,
    `\`certify invites list --state unknown${flags}\` shows what is still unknown.`,
    { code: 'ROWS_FAILED', exitCode: 3 },
  )
}
