import type { CertifyError } from '../../src/index.ts'
import type { Ledger, Resolved } from '../../src/ledger/index.ts'
import { refuseSame } from '../bulk/report/output-files.ts'
import { CliError } from '../cli-error.ts'
import { fileOf, readLedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import { listedScope } from '../ledger/list-invites.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import { wordError } from '../terminal/error-wording.ts'
import { formatNumber } from '../terminal/numbers.ts'
import type { Terminal } from '../terminal/output.ts'
import { interrupted } from '../terminal/prompts.ts'
import { FindingReport } from './finding-report.ts'
import { type Given, readGiven } from './given.ts'
import { type ResolveFlags, sourceOf } from './options.ts'
import { type PlannedFinding, planFindings } from './plan.ts'
import { type Counts, countsOf, drawPlan, drawReasons, MOST_SHOWN, rejectedOf } from './plan-text.ts'
import { findingColumns, type Outcome, type ReportedFinding, toReportedFinding } from './reported-finding.ts'

/**
 * Records what became of many sends: finds them, prints the plan, asks, records, reports.
 *
 * @throws CliError with the exit code, CertifyError LEDGER_UNUSABLE
 */
export async function resolveMany(context: Context, references: readonly string[], flags: ResolveFlags): Promise<void> {
  const { io, preferences, output, program } = context
  const place = readLedgerPlace(io, program.root.opts(), flags)
  const source = sourceOf(references, flags)
  const given = await readGiven(io, source, references, flags).catch((error: unknown) => {
    throw source === 'file' && io.interruption.aborted ? interrupted(io) : error
  })
  refuseSame([
    ['the input', flags.from],
    ['the ledger', fileOf(place)],
    ['--report', flags.report],
  ])
  const report = new FindingReport(flags.report)
  try {
    await useLedger(context, flags, async (ledger) => {
      const isDryRun = preferences.dryRun.value
      const { filter, description } = listedScope(context, flags, place)
      const planned = await planFindings(ledger, await given.findings(ledger, filter), filter)
      const sending = (await given.sending?.(ledger, filter)) ?? 0
      if (io.interruption.aborted) throw interrupted(io)
      const counts = countsOf(planned)
      refuseSharedIds(planned, flags)
      report.reserve(planned.length)
      const isRefused = counts.rejected > 0 && flags.skipInvalid !== true
      const count = counts.notCreated + counts.created
      const asks = !isDryRun && !isRefused && count > 0 && !preferences.yes.value
      if (asks || !(preferences.json.value || preferences.quiet.value)) {
        const scope = given.noun === 'reference' ? undefined : description || EVERY_SCOPE
        const isListed = io.stderr.isTTY
        const text = { given, planned, ledger: ledger.path, scope, sending, isListed }
        await output.show((terminal) => drawPlan(text, terminal))
      }
      if (planned.length === 0 && !preferences.json.value) await output.warn('there is nothing to resolve.')
      if (isDryRun || isRefused) {
        const rows = planned.map((each) => toReportedFinding(each))
        if (isDryRun) await print(context, rows, () => '')
        await showEarlier(context, report.write(rows, { dryRun: true, ledger: ledger.path, counts }))
        if (!isDryRun) throw invalidRows(planned, counts, given, preferences.quiet.value)
        await output.remark(isRefused ? `Nothing was changed. The run will refuse: ${notPossible(counts)}.` : UNCHANGED)
        return
      }
      if (asks) {
        await context.prompts.confirm(questionOf(counts), 'Give --yes to record it, or --dry-run to see the plan.')
      }
      const { rows, unusable } = await record(ledger, planned)
      try {
        await showEarlier(context, report.write(rows, { dryRun: false, ledger: ledger.path, counts: statusesOf(rows) }))
      } finally {
        await print(context, rows, (terminal) => drawResult(rows, given.noun, terminal))
      }
      if (unusable !== undefined) throw unusable
      const failure = failureOf(rows, ledgerFlag(place))
      if (failure !== undefined) throw failure
    })
  } finally {
    report.close()
  }
}

async function showEarlier({ output, preferences }: Context, earlierReport: string | undefined): Promise<void> {
  if (earlierReport === undefined || preferences.json.value || preferences.quiet.value) return
  await output.show((terminal) => terminal.fields([['earlier report', earlierReport]]))
}

const EVERY_SCOPE = 'every service and account in the ledger'
const UNCHANGED = 'Nothing was changed.'

/* The ids of one send are not those of another one. */
function refuseSharedIds({ length }: readonly PlannedFinding[], { created }: ResolveFlags): void {
  if (created === undefined || length <= 1) return
  throw new CliError(
    `--created has the invites of one send, and ${formatNumber(length)} are given. ${UNCHANGED}`,
    'Resolve them one by one, or with a file that has the ids of each: --from.',
  )
}

/* Without --json and --quiet, the plan has listed the rows. */
function invalidRows(planned: readonly PlannedFinding[], counts: Counts, { noun }: Given, isQuiet: boolean): CliError {
  const rejected = rejectedOf(planned)
  const rows = rejected
    .slice(0, MOST_SHOWN)
    .map(({ row, message }) => ({ row, issues: [{ path: 'row', rule: message }] }))
  return new CliError(
    `${notPossible(counts)}. ${UNCHANGED}${isQuiet ? `\n${drawReasons(rejected, noun)}` : ''}`,
    'Correct that and run it again, or give --skip-invalid to resolve the others.',
    { code: 'ROWS_INVALID', details: { counts, rows } },
  )
}

function notPossible({ rejected }: Counts): string {
  return `${formatNumber(rejected)} cannot be resolved`
}

/* Without addresses: it may become the message of an error. */
function questionOf({ notCreated, created }: Counts): string {
  const parts = [
    ...(notCreated > 0 ? [`${sendCount(notCreated)} created nothing, so these candidates can be invited again`] : []),
    ...(created > 0 ? [`${sendCount(created)} created the given invites`] : []),
  ]
  return `Record that ${parts.join(', and that ')}?`
}

function sendCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'send' : 'sends'}`
}

/* `unusable`: nothing was recorded, because the ledger cannot be used. */
async function record(
  ledger: Ledger,
  planned: readonly PlannedFinding[],
): Promise<{ readonly rows: readonly ReportedFinding[]; readonly unusable: CertifyError | undefined }> {
  const { resolveAll } = await import('../../src/ledger/index.ts')
  const tried = planned.flatMap(({ status, entry, given: { finding } }) =>
    status === 'planned' && entry !== undefined && finding !== undefined
      ? [{ reference: entry.reference, finding }]
      : [],
  )
  const results = await resolveAll(ledger, tried)
  const resolved = new Map(results.map((each) => [each.reference, each]))
  const rows = await Promise.all(
    planned.map(async (each) => {
      const result = each.status === 'planned' ? resolved.get(each.entry?.reference ?? '') : undefined
      return toReportedFinding(each, result && (await outcomeOf(ledger, result)))
    }),
  )
  const isRecorded = results.some(({ entry }) => entry !== undefined)
  const unusable = results.find(({ error }) => error?.code === 'LEDGER_UNUSABLE')?.error
  return { rows, unusable: isRecorded ? undefined : unusable }
}

async function outcomeOf(ledger: Ledger, { entry, error, reference }: Resolved): Promise<Outcome> {
  if (error === undefined) return { status: 'resolved', entry }
  if (error.code !== 'INPUT_INVALID') return { status: 'failed', entry, message: wordError(error).message }
  return { status: 'failed', ...(await changedMeanwhile(ledger, reference)) }
}

/* Another process was faster. What it recorded stays. */
async function changedMeanwhile(ledger: Ledger, reference: string): Promise<Omit<Outcome, 'status'>> {
  const { settle } = await import('../../src/index.ts')
  const { value: entry } = await settle(ledger.find(reference))
  if (entry === undefined) return { entry, message: 'it was settled or removed meanwhile' }
  if (entry.state !== 'unknown') return { entry, message: `it was settled meanwhile, and is ${entry.state}` }
  return { entry, message: 'its invite was recorded for another candidate or quiz meanwhile' }
}

function print(
  { output }: Context,
  rows: readonly ReportedFinding[],
  draw: (terminal: Terminal) => string,
): Promise<void> {
  const done = rows.filter(({ status }) => status === 'resolved' || status === 'planned')
  const ids = done.flatMap(({ reference }) => reference ?? [])
  return output.data({ value: rows, columns: findingColumns, rows, ids, draw })
}

/* The rows that were resolved have been in the plan. */
function drawResult(rows: readonly ReportedFinding[], noun: Given['noun'], terminal: Terminal): string {
  const counts = Object.entries(statusesOf(rows)).map(([status, count]) => [status, formatNumber(count)] as const)
  const failed = rows.filter(({ status }) => status === 'failed')
  return `${counts.length === 0 ? '' : terminal.fields(counts)}${drawReasons(failed, noun)}`
}

function statusesOf(rows: readonly ReportedFinding[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function failureOf(rows: readonly ReportedFinding[], ledger: string): CliError | undefined {
  const counts = statusesOf(rows)
  const bad = ['rejected', 'failed'].flatMap((status) =>
    counts[status] ? [`${formatNumber(counts[status])} ${status}`] : [],
  )
  if (bad.length === 0) return undefined
  return new CliError(
    `not all were resolved: ${bad.join(', ')}.`,
    `\`certify invites list --state unknown${ledger}\` shows what is still unknown.`,
    { code: 'ROWS_FAILED', exitCode: 3 },
  )
}
