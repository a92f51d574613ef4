import { userInfo } from 'node:os'
import { type CertifyError, isCertifyError } from '../../src/index.ts'
import type { Finding, Ledger } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { wordError } from '../terminal/error-wording.ts'
import { formatNumber } from '../terminal/numbers.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'
import { wrap } from '../terminal/wrap.ts'
import {
  type FindingStatus,
  type GivenFinding,
  invitesOf,
  isCreated,
  type PlannedFinding,
  planFindings,
  readFindings,
} from './findings.ts'

export interface ResolveFlags {
  /** `true`: without an id. */
  readonly created?: readonly string[] | true
  readonly notCreated?: boolean
  readonly undo?: boolean
  readonly note?: string
  readonly by?: string
  readonly from?: string
}

const MOST_SHOWN = 20

/**
 * Records what became of unknown creates: finds them, shows the plan, asks, records, reports. If any finding is
 * invalid, nothing is recorded.
 *
 * @throws CliError with the exit code, CertifyError LEDGER_UNUSABLE
 */
export async function resolve(context: Context, references: readonly string[], flags: ResolveFlags): Promise<void> {
  const { preferences, output, prompts } = context
  const given = await readGiven(context, references, flags)
  await useLedger(context, async (ledger, place) => {
    const planned = await planFindings(ledger, given)
    const { planned: count = 0, invalid = 0 } = countsOf(planned)
    const asks = !preferences.dryRun && !preferences.yes && invalid === 0 && count > 0
    if (asks || !(preferences.json || preferences.quiet)) {
      await output.show((terminal) => drawPlan(planned, ledger.path, terminal))
    }
    if (preferences.dryRun) await output.remark('Nothing was changed.')
    else if (invalid > 0) throw invalidError(planned)
    /* The error must not quote the question, which names a candidate. */
    const unasked = 'What became of these creates must be confirmed at a terminal.'
    if (asks) await prompts.confirm(questionOf(planned), 'Give --yes to record it, or --dry-run to see it.', unasked)
    const done = preferences.dryRun ? planned : await record(ledger, planned)
    const rows = done.map(toRow)
    const ids = rows.flatMap(({ status, reference }) => (CHANGED.has(status) ? (reference ?? []) : []))
    await output.data({ value: rows, columns, rows, ids, draw: (terminal) => drawResult(done, terminal) })
    const { failed = 0 } = countsOf(done)
    if (failed === 0) return
    throw new CliError(
      `not all were resolved: ${formatNumber(failed)} failed.`,
      `\`certify invites list --state unknown${place.flags}\` shows what is still unknown.`,
      { code: 'ROWS_FAILED', exitCode: 3 },
    )
  })
}

const CHANGED: ReadonlySet<FindingStatus> = new Set(['resolved', 'planned'])

async function readGiven(
  { io }: Context,
  given: readonly string[],
  { created, notCreated = false, undo = false, from, by = userName(), note }: ResolveFlags,
): Promise<readonly GivenFinding[]> {
  const about = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) }
  const answers = [created !== undefined, notCreated, undo].filter(Boolean).length
  if (from !== undefined) {
    if (given.length + answers > 0) {
      throw new CliError(
        'with --from the file says what became of each. Nothing was changed.',
        'Leave one of them out.',
      )
    }
    const found = await readFindings(io, from)
    return found.map((each) =>
      each.finding === undefined ? each : { ...each, finding: { ...each.finding, ...about } },
    )
  }
  const references = given.join() === '-' ? await linesOf(io) : given
  const ids = Array.isArray(created) ? created.map((each) => each.trim()) : []
  if (answers !== 1 || references.length === 0 || ids.includes('')) {
    throw new CliError(
      'the reference of a create, and what became of it, are required. Nothing was changed.',
      'Give references with --created, --not-created or --undo, one reference with --created <invite-id>, or a file with --from.',
    )
  }
  if (ids.length > 0 && references.length > 1) {
    throw new CliError(
      `--created with an id is for one create, but ${references.length} references are given. Nothing was changed.`,
      'Leave the id out, resolve them one by one, or use a file that has the ids of each: --from.',
    )
  }
  const answer: Finding = undo ? { undo: true } : notCreated ? { notCreated: true } : { created: ids }
  return references.map((reference, index) => ({ row: index + 1, reference, finding: { ...answer, ...about } }))
}

async function linesOf({ stdin, interruption }: Context['io']): Promise<readonly string[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin.bytes(interruption)) chunks.push(chunk)
  return Buffer.concat(chunks).toString().split(/\s+/).filter(Boolean)
}

/* A container may run as a user without a name. */
function userName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}

function countsOf(planned: readonly PlannedFinding[]): Readonly<Partial<Record<FindingStatus, number>>> {
  const counts: Partial<Record<FindingStatus, number>> = {}
  for (const { status } of planned) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function drawPlan(planned: readonly PlannedFinding[], ledger: string, terminal: Terminal): string {
  const { undecided = 0, duplicate = 0, invalid = 0 } = countsOf(planned)
  const { created, notCreated, undone } = verdictsOf(planned)
  const fields: Fields = [
    ['ledger', ledger],
    ['not created', notCreated === 0 ? '0' : `${formatNumber(notCreated)}: they can be invited again`],
    ['created', formatNumber(created)],
    ...(undone > 0 ? [['withdrawn', `${formatNumber(undone)}: they are unknown again`] as const] : []),
    ...(undecided > 0 ? [['undecided', `${formatNumber(undecided)}: they stay as they are`] as const] : []),
    ...(duplicate > 0 ? [['repeated', formatNumber(duplicate)] as const] : []),
    ...(invalid > 0 ? [['invalid', formatNumber(invalid)] as const] : []),
  ]
  return `${terminal.fields(fields)}${drawReasons(planned, 'invalid')}`
}

function verdictsOf(planned: readonly PlannedFinding[]) {
  const chosen = planned.filter(({ status }) => status === 'planned')
  const created = chosen.filter(({ given }) => isCreated(given)).length
  const undone = chosen.filter(({ given }) => given.finding?.undo === true).length
  return { chosen, created, undone, notCreated: chosen.length - created - undone }
}

function drawReasons(planned: readonly PlannedFinding[], wanted: FindingStatus): string {
  const rows = planned.filter(({ status }) => status === wanted)
  const lines = rows.slice(0, MOST_SHOWN).map(({ given, message }) => wrap(`  row ${given.row}: ${message}`, '    '))
  const more = rows.length > MOST_SHOWN ? [`  and ${formatNumber(rows.length - MOST_SHOWN)} more`] : []
  return [...lines, ...more].map((line) => `${line}\n`).join('')
}

/* For a single create, the question shows whose it is. */
function questionOf(planned: readonly PlannedFinding[]): string {
  const { chosen, created, notCreated, undone } = verdictsOf(planned)
  const [only] = chosen
  if (chosen.length > 1 || only?.entry === undefined) {
    const parts = [
      ...(notCreated > 0 ? [`${formatNumber(notCreated)} as not created (they can be invited again)`] : []),
      ...(created > 0 ? [`${formatNumber(created)} as created`] : []),
      ...(undone > 0 ? [`${formatNumber(undone)} as unknown again`] : []),
    ]
    return `Record ${parts.join(', and ')}?`
  }
  const { input, quizId, packageId, sentAt } = only.entry
  const { email } = input.candidate
  const create = `${quizId ?? packageId ?? 'it'}, in the create of ${minuteOf(sentAt)} UTC?`
  if (undone > 0) return `Withdraw what was recorded about ${email} and ${create}`
  const ids = invitesOf(only.given)
  if (created > 0 && ids.length === 0) return `Record that ${email} was invited to ${create} Nobody is invited again.`
  if (ids.length === 0) return `Record that ${email} was never invited to ${create} They can then be invited again.`
  return `Record ${ids.join(', ')} as the invite${ids.length === 1 ? '' : 's'} of ${email} to ${create}`
}

/*
 * Leaves alone what others settle meanwhile. @throws CertifyError if the ledger cannot be used, and nothing was
 * recorded
 */
async function record(ledger: Ledger, planned: readonly PlannedFinding[]): Promise<readonly PlannedFinding[]> {
  let unusable: CertifyError | undefined
  const recordOne = async (each: PlannedFinding): Promise<PlannedFinding> => {
    const { entry, given, status } = each
    const { reference, finding } = given
    if (status !== 'planned' || entry === undefined || reference === undefined || finding === undefined) return each
    try {
      return { ...each, status: 'resolved', entry: await ledger.resolve(reference, finding) }
    } catch (error) {
      if (!isCertifyError(error)) throw error
      if (error.code === 'LEDGER_UNUSABLE') unusable = error
      if (error.code !== 'INPUT_INVALID') return { ...each, status: 'failed', message: wordError(error).message }
      const found = (await ledger.find(reference)) ?? entry
      const message = found.state === entry.state ? TAKEN : `it was settled meanwhile, and is ${found.state}`
      return { ...each, status: 'failed', entry: found, message }
    }
  }
  const done = await Promise.all(planned.map(recordOne))
  if (unusable !== undefined && !done.some(({ status }) => status === 'resolved')) throw unusable
  return done
}

const TAKEN = 'its invite is recorded for another candidate or quiz'

/* `inviteIds` is what the ledger has, never what was merely planned. */
function toRow({ given, status, message, entry }: PlannedFinding) {
  return {
    row: given.row,
    status,
    reference: given.reference ?? null,
    state: entry?.state ?? null,
    inviteIds: (entry?.invites ?? []).map(({ inviteId }) => inviteId),
    email: entry?.input.candidate.email ?? null,
    quizId: entry?.quizId ?? null,
    packageId: entry?.packageId ?? null,
    message: message ?? null,
  }
}

const columns: readonly Column<ReturnType<typeof toRow>>[] = fieldColumns({
  ROW: 'row',
  STATUS: 'status',
  REFERENCE: 'reference',
  STATE: 'state',
  'INVITE IDS': 'inviteIds',
  'E-MAIL': 'email',
  'QUIZ ID': 'quizId',
  'PACKAGE ID': 'packageId',
  MESSAGE: 'message',
})

function drawResult(done: readonly PlannedFinding[], terminal: Terminal): string {
  const counts = Object.entries(countsOf(done)).map(([status, count]) => [status, formatNumber(count)] as const)
  return `${counts.length === 0 ? '' : terminal.fields(counts)}${drawReasons(done, 'failed')}`
}

/* Without --json, the plan has listed the reasons. */
function invalidError(planned: readonly PlannedFinding[]): CliError {
  const counts = countsOf(planned)
  const rows = planned.filter(({ status }) => status === 'invalid').slice(0, MOST_SHOWN)
  const details = {
    counts,
    rows: rows.map(({ given, message }) => ({ row: given.row, issues: [{ path: 'row', rule: message }] })),
  }
  const message = `${formatNumber(counts.invalid ?? 0)} cannot be resolved. Nothing was changed.`
  return new CliError(message, 'Correct them, or leave them out.', { code: 'ROWS_INVALID', details })
}
