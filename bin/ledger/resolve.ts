import { userInfo } from 'node:os'
import { type CertifyError, isCertifyError } from '../../src/index.ts'
import { type Finding, type Ledger, type LedgerRecord, openDecisions } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { minuteOf } from './invite-row.ts'
import { useLedger } from './open-ledger.ts'
import { MAX_NOTE_LENGTH, textFault } from '../text-fault.ts'
import { wordError } from '../terminal/error-wording.ts'
import { formatNumber, maskLink, MAX_SHOWN, printable, rowLines } from '../terminal/text.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { showPlan } from '../terminal/prompts.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

export interface ResolveFlags {
  /** `true`: without an id. */
  readonly created?: readonly string[] | true
  readonly notCreated?: boolean
  readonly undo?: boolean
  readonly note?: string
  readonly by?: string
}

/* What becomes of a finding, or became. `duplicate`: it was recorded before. */
const STATUSES = ['resolved', 'planned', 'duplicate', 'invalid', 'failed'] as const
type Status = (typeof STATUSES)[number]

/** What is to be recorded about one create. */
interface Planned {
  /** Its place among the references. */
  readonly row: number
  readonly reference: string
  readonly status: Status
  /** The record of the create, if there is one. */
  readonly record: LedgerRecord | undefined
  /** Why it is not planned, or failed. */
  readonly message?: string | undefined
}

/**
 * Records what became of unknown creates: finds them, shows the plan, asks, records, reports. If any reference is
 * invalid, nothing is recorded.
 *
 * @throws CliError with the exit code, CertifyError LEDGER_UNUSABLE
 */
export async function resolve(context: Context, given: readonly string[], flags: ResolveFlags): Promise<void> {
  const { io, preferences, output, prompts } = context
  const references = [...new Set(given.join() === '-' ? await linesOf(io) : given)]
  const finding = findingOf(references, flags)
  await useLedger(context, async (ledger, place) => {
    for (const id of finding.created ?? []) if ((await ledger.find(id)) !== undefined) throw referenceAsId(id)
    const planned = await plan(ledger, references, finding)
    const { planned: count = 0, invalid = 0 } = countsOf(planned)
    const asks = await showPlan(context, invalid === 0 && count > 0, (terminal) =>
      drawPlan(planned, finding, ledger.path, terminal),
    )
    if (preferences.dryRun) await output.remark('Nothing was changed.')
    else if (invalid > 0) throw invalidError(planned)
    /* The error must not quote the question, which names a candidate. */
    const unasked = 'What became of these creates must be confirmed at a terminal.'
    const hint = 'Give --yes to record it, or --dry-run to see it.'
    if (asks) await prompts.confirm(questionOf(planned, finding), hint, unasked)
    const done = preferences.dryRun ? planned : await recordAll(ledger, planned, finding)
    const rows = done.map(toRow)
    const ids = rows.flatMap(({ status, reference }) => (['resolved', 'planned'].includes(status) ? reference : []))
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

function referenceAsId(id: string): CliError {
  return new CliError(
    `${printable(id)} is a reference of this ledger, not the id of an invite. Nothing was changed.`,
    'Put all references before --created, as in: certify invites resolve REFERENCE REFERENCE --created',
  )
}

function findingOf(
  references: readonly string[],
  { created, notCreated = false, undo = false, by = userName(), note }: ResolveFlags,
): Finding {
  const answers = [created !== undefined, notCreated, undo].filter(Boolean).length
  const ids = Array.isArray(created) ? created.map((each) => each.trim()) : []
  if (answers !== 1 || references.length === 0 || ids.includes('')) {
    throw new CliError(
      'the reference of a create, and what became of it, are required. Nothing was changed.',
      'Give references with --created, --not-created or --undo, or one reference with --created <invite-id>.',
    )
  }
  if (ids.length > 0 && references.length > 1) {
    throw new CliError(
      `--created with an id or a link is for one create, but ${references.length} references are given. Nothing was changed.`,
      'Leave it out, or resolve them one by one.',
    )
  }
  const fault = ids.map(inviteFault).find((each) => each !== undefined)
  if (fault !== undefined)
    throw new CliError(`the id or link of the invite ${fault}. Nothing was changed.`, 'Copy it again.')
  const about = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) }
  if (undo) return { undo: true, ...about }
  return notCreated ? { notCreated: true, ...about } : { ...createdAs(ids), ...about }
}

/** A finding that the invites exist: with ids, with links, which are secrets, or with neither. */
export function createdAs(given: readonly string[]): Finding {
  const challengeUrls = given.filter(isLink)
  return { created: given.filter((each) => !isLink(each)), ...(challengeUrls.length > 0 && { challengeUrls }) }
}

/** Why this is neither the id of an invite nor a link to one. */
export function inviteFault(text: string): string | undefined {
  const scheme = /^[a-z][a-z\d+.-]{1,30}:/i.exec(text)?.[0]
  if (scheme !== undefined && !isLink(text))
    return `is a ${scheme} URL, which is neither the id of an invite nor a link to one`
  return isLink(text) && !URL.canParse(text) ? 'is not a URL' : textFault(text, MAX_NOTE_LENGTH)
}

/** A link is a secret, and an id is not. */
export function isLink(text: string): boolean {
  return /^https?:/i.test(text)
}

/** Whether it is for more invites than the create can have had. */
export function isTooMany({ created = [], challengeUrls = [] }: Finding, { packageId }: LedgerRecord): boolean {
  return packageId === undefined && (created.length > 1 || challengeUrls.length > 1)
}

async function linesOf({ stdin, interruption }: Context['io']): Promise<readonly string[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin.bytes(interruption)) chunks.push(chunk)
  return Buffer.concat(chunks).toString().split(/\s+/).filter(Boolean)
}

/** Who decides, unless it is said. A container may run as a user without a name. */
export function userName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}

/* Finds the creates, and decides what can be recorded about each. */
async function plan(ledger: Ledger, references: readonly string[], finding: Finding): Promise<readonly Planned[]> {
  const planned: Planned[] = []
  for (const reference of references) {
    const record = await ledger.find(reference)
    planned.push({ row: planned.length + 1, reference, record, ...decide(record, finding) })
  }
  return planned
}

const rejected = (message: string) => ({ status: 'invalid', message }) as const

function decide(record: LedgerRecord | undefined, finding: Finding): Pick<Planned, 'status' | 'message'> {
  if (record === undefined) return rejected('the ledger has no such reference')
  const open = openDecisions(record)
  if (finding.undo === true) return open.undo ? { status: 'planned' } : rejected('its last change is not a finding')
  if (isTooMany(finding, record)) return rejected('that create was for a single invite, and several are given')
  /* Running the command again after an interruption is not a mistake. */
  if (isRecorded(record, finding)) return { status: 'duplicate', message: 'is already recorded' }
  if (finding.created === undefined ? open.notCreated : open.created) return { status: 'planned' }
  return rejected(`that create is not unknown, but ${record.state}`)
}

function namedBy({ created = [], challengeUrls = [] }: Finding): readonly string[] {
  return [...[created].flat(), ...challengeUrls]
}

function isRecorded(record: LedgerRecord, finding: Finding): boolean {
  if (finding.created === undefined) {
    /* Because a person said so, which may turn out to be wrong. */
    return ['not-executed', 'refused'].includes(record.state) && record.isUnproven === true
  }
  const { state, invites, challengeUrls = [] } = record
  const known = new Set([
    ...challengeUrls,
    ...invites.flatMap(({ inviteId, challengeUrl }) => [inviteId, challengeUrl]),
  ])
  return state === 'created' && namedBy(finding).every((each) => known.has(each))
}

function countsOf(planned: readonly Planned[]): Readonly<Partial<Record<Status, number>>> {
  const counts: Partial<Record<Status, number>> = {}
  for (const { status } of planned) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function drawPlan(planned: readonly Planned[], finding: Finding, ledger: string, terminal: Terminal): string {
  const { planned: count = 0, duplicate = 0, invalid = 0 } = countsOf(planned)
  const [what, consequence] = verdictOf(finding)
  const fields: Fields = [
    ['ledger', ledger],
    [what, count === 0 ? '0' : formatNumber(count) + consequence],
    ...(duplicate > 0 ? [['repeated', formatNumber(duplicate)] as const] : []),
    ...(invalid > 0 ? [['invalid', formatNumber(invalid)] as const] : []),
  ]
  return `${terminal.fields(fields)}${drawReasons(planned, 'invalid')}`
}

function verdictOf({ undo, notCreated }: Finding): readonly [what: string, consequence: string] {
  if (undo === true) return ['withdrawn', ': they are unknown again']
  return notCreated === true ? ['not created', ': they can be invited again'] : ['created', '']
}

function drawReasons(planned: readonly Planned[], wanted: Status): string {
  return rowLines(
    planned.filter(({ status }) => status === wanted),
    ({ message = '' }) => message,
  )
}

/* For a single create, the question shows whose it is. */
function questionOf(planned: readonly Planned[], finding: Finding): string {
  const chosen = planned.filter(({ status }) => status === 'planned')
  const [only] = chosen
  const { undo, notCreated } = finding
  if (chosen.length > 1 || only?.record === undefined) {
    const count = formatNumber(chosen.length)
    if (undo === true) return `Record ${count} as unknown again?`
    return `Record ${count} as ${notCreated === true ? 'not created (they can be invited again)' : 'created'}?`
  }
  const { input, quizId, packageId, sentAt } = only.record
  const { email } = input.candidate
  const create = `${quizId ?? packageId ?? 'it'}, in the create of ${minuteOf(sentAt)} UTC?`
  if (undo === true) return `Withdraw what was recorded about ${email} and ${create}`
  if (notCreated === true) return `Record that ${email} was never invited to ${create} They can then be invited again.`
  const named = namedBy(finding).map((each) => (isLink(each) ? maskLink(each) : each))
  if (named.length === 0) return `Record that ${email} was invited to ${create} Nobody is invited again.`
  return `Record ${named.join(', ')} as the invite${named.length === 1 ? '' : 's'} of ${email} to ${create}`
}

/*
 * Leaves alone what others settle meanwhile. @throws CertifyError if the ledger cannot be used, and nothing was
 * recorded
 */
async function recordAll(ledger: Ledger, planned: readonly Planned[], finding: Finding): Promise<readonly Planned[]> {
  let unusable: CertifyError | undefined
  const recordOne = async (each: Planned): Promise<Planned> => {
    const { record, reference, status } = each
    if (status !== 'planned' || record === undefined) return each
    try {
      return { ...each, status: 'resolved', record: await ledger.resolve(reference, { ...finding, of: record.sentAt }) }
    } catch (error) {
      if (!isCertifyError(error)) throw error
      if (error.code === 'LEDGER_UNUSABLE') unusable = error
      if (error.code !== 'INPUT_INVALID') return { ...each, status: 'failed', message: wordError(error).message }
      const found = (await ledger.find(reference)) ?? record
      const message =
        found.sentAt !== record.sentAt
          ? `it was sent again meanwhile, at ${minuteOf(found.sentAt)} UTC`
          : found.state === record.state
            ? TAKEN
            : `it was settled meanwhile, and is ${found.state}`
      return { ...each, status: 'failed', record: found, message }
    }
  }
  const done = await Promise.all(planned.map(recordOne))
  if (unusable !== undefined && !done.some(({ status }) => status === 'resolved')) throw unusable
  return done
}

const TAKEN = 'its invite is recorded for another candidate or quiz'

/* `inviteIds` is what the ledger has, never what was merely planned. */
function toRow({ row, status, reference, message, record }: Planned) {
  return {
    row,
    status,
    reference,
    state: record?.state ?? null,
    inviteIds: (record?.invites ?? []).map(({ inviteId }) => inviteId),
    email: record?.input.candidate.email ?? null,
    quizId: record?.quizId ?? null,
    packageId: record?.packageId ?? null,
    message: message ?? null,
  }
}

export const columns: readonly Column<ReturnType<typeof toRow>>[] = fieldColumns(
  ['row', 'status', 'reference', 'state', 'inviteIds', 'email', 'quizId', 'packageId', 'message'],
  { STATUS: `status (${STATUSES.join(', ')})` },
)

function drawResult(done: readonly Planned[], terminal: Terminal): string {
  const counts = Object.entries(countsOf(done)).map(([status, count]) => [status, formatNumber(count)] as const)
  return `${counts.length === 0 ? '' : terminal.fields(counts)}${drawReasons(done, 'failed')}`
}

/* Without --json, the plan has listed the reasons. */
function invalidError(planned: readonly Planned[]): CliError {
  const counts = countsOf(planned)
  const rows = planned.filter(({ status }) => status === 'invalid').slice(0, MAX_SHOWN)
  const details = {
    counts,
    rows: rows.map(({ row, message }) => ({ row, issues: [{ path: 'row', rule: message }] })),
  }
  const message = `${formatNumber(counts.invalid ?? 0)} cannot be resolved. Nothing was changed.`
  return new CliError(message, 'Correct them, or leave them out.', { code: 'ROWS_INVALID', details })
}
