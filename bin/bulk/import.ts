import { basename } from 'node:path'
import type { CampaignRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import { faultsOf, PATHS, toCampaignRow, valueFault } from './candidate-row.ts'
import type { Field, RowOptions } from './columns.ts'
import { textOf } from './decisions.ts'
import { type BulkPlan, listTracks, withId } from './plan.ts'
import { counted, drawFirst, drawRows, fileFields, firstOf, invalidError, optional, targetsOf } from './plan-text.ts'
import { type CandidateFile, readCandidates } from './read.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { type DateOrder, dateOrderIn, NO_DATE, timeOf } from '../dates.ts'
import { fileError } from '../table/faults.ts'
import type { FileRow } from '../table/file.ts'
import type { Columns } from '../table/headings.ts'
import { formatNumber, jsonLine, rowCount } from '../terminal/text.ts'
import type { Terminal } from '../terminal/output.ts'
import { showPlan } from '../terminal/prompts.ts'
import { fieldColumns } from '../terminal/table.ts'
import { targetOf } from '../invites/titles.ts'
import { type OpenSender, refuseOtherAccounts, withClient } from '../ledger/open-ledger.ts'

export interface ImportOptions extends Omit<RowOptions, 'sendEmail' | 'purpose'> {
  readonly from?: string
  readonly skipInvalid?: boolean
  readonly dateOrder?: DateOrder
}

type Given = Parameters<Ledger['import']>[0][number]
type Imported = Exclude<Awaited<ReturnType<Ledger['import']>>[number], { readonly status: 'invalid' }>

interface ImportRow {
  readonly row: number
  readonly issues: readonly Issue[]
  readonly given: Given
  /** Whether it has a link, and not the one id that it needs. */
  readonly hasLostLink: boolean
  /** What became of it, or would. */
  readonly result?: Imported | undefined
}

/**
 * Records the invites of a file that were made elsewhere: reads and checks it, shows the plan, asks, records. Sends no
 * invite.
 *
 * @throws CliError, CertifyError
 */
export async function importFile(context: Context, path: string, options: ImportOptions): Promise<void> {
  const { io, preferences, output, prompts } = context
  const { dryRun } = preferences
  const reading = { ...options, sendEmail: true, purpose: 'import' } as const
  const from = options.from ?? (path === '-' ? 'stdin' : basename(path))
  let order: DateOrder | undefined
  const file = await readCandidates(io, path, reading, true, (row, columns) =>
    toImportRow(row, columns, reading, { now: io.now(), order, from }),
  )
  order = options.dateOrder ?? (await dateOrderOf(context, file))
  await withClient(context, { readOnly: dryRun }, async (sender) => {
    const { ledger, place } = sender
    const listed = await listTracks(sender.client, io.interruption)
    const planned = await plan(
      sender,
      [...file.rows].map((row) => identified(row, listed)),
    )
    const { imported: count, invalid } = countsOf(planned)
    await refuseOtherAccounts(
      sender,
      wanted(planned).map(({ given }) => given.email),
    )
    const isRefused = invalid > 0 && options.skipInvalid !== true
    const shown = { file, sender, listed, hidden: options.hidden, namesPeople: io.stderr.isTTY }
    if (await showPlan(context, !isRefused && count > 0, (terminal) => draw(planned, shown, terminal)))
      await prompts.confirm(
        `Record ${rowCount(count)} in the ledger? Nothing is sent.`,
        'Give --yes, or --dry-run to see the plan.',
      )
    const done = dryRun || isRefused ? planned : await record(sender, planned)
    const rows = done.map((each) => toRow(each, dryRun || isRefused))
    const ids = rows.flatMap(({ status, reference }) => (status === 'imported' ? (reference ?? []) : []))
    const summary = { type: 'summary', dryRun, ledger: ledger.path, from, counts: countsOf(done) }
    const lines = [...rows.map((row) => ({ type: 'row', ...row })), summary].map(jsonLine)
    if (preferences.json) await output.text(lines.join(''))
    else
      await output.data({
        value: rows,
        columns,
        rows,
        ids,
        draw: (terminal) => (dryRun ? drawFirst(columns, rows, terminal) : terminal.fields(shownCounts(done))),
      })
    if (isRefused) throw invalidError(done.filter(isInvalid), countsOf(done), 'Nothing was changed.')
    await output.remark(dryRun ? 'Nothing was changed.' : 'Nothing was sent.')
    const { conflict } = countsOf(done)
    if (conflict + invalid === 0) return
    const message = `not all rows were recorded: ${formatNumber(conflict)} in conflict, ${formatNumber(invalid)} invalid.`
    const hint = `Compare them with \`certify invites list${place.flags}\`, and correct their references and invite ids.`
    throw new CliError(message, hint, { code: 'ROWS_FAILED', exitCode: 3 })
  })
}

/* Only a person knows it of 03/04/2026, if no other date of the column tells. */
async function dateOrderOf(
  { prompts }: Context,
  { meanings, originals }: CandidateFile<ImportRow>,
): Promise<DateOrder> {
  const names = [...meanings].flatMap(([name, field]) =>
    field === 'created_at' || field === 'expires_at' ? [name] : [],
  )
  const texts = originals.flatMap((row) => {
    const places = names.map((name) => row.names.indexOf(name)).filter((place) => row.dates?.has(place) !== true)
    return places.map((place) => textOf(row.values[place]))
  })
  const order = dateOrderIn(texts)
  if (order !== undefined) return order
  const hint = 'Give --date-order day or --date-order month.'
  if (!prompts.possible) throw fileError('its dates, as 03/04/2026, may begin with the day or with the month.', hint)
  return (await prompts.answer('Do its dates begin with the day or with the month? [day/month]', hint)) === 'month'
    ? 'month'
    : 'day'
}

function toImportRow(
  file: FileRow,
  columns: Columns<Field>,
  options: RowOptions,
  { now, order, from }: { readonly now: number; readonly order: DateOrder | undefined; readonly from: string },
): ImportRow {
  const { issues: found = [], input } = toCampaignRow(file, columns, options)
  const { quizId, packageId, candidate } = input as Pick<Given, 'quizId' | 'packageId'> & { readonly candidate: Given }
  const { email, name } = candidate
  const issues = [...found]
  const read = (field: Field): string | undefined => {
    const place = columns.places[field]
    const value = place === undefined ? '' : (file.values[place] ?? '')
    const rule = valueFault(value)
    if (rule !== undefined) issues.push({ path: PATHS[field], rule })
    return rule !== undefined || (value as string).trim() === '' ? undefined : (value as string).trim()
  }
  const time = (field: Field) => {
    /* A workbook has the date itself; at midnight, it is a day. */
    const date = file.dates?.get(columns.places[field] ?? -1)?.replace('T00:00:00.000Z', '')
    const text = date ?? read(field)
    const iso = text === undefined ? undefined : timeOf(text, field === 'created_at' ? now : undefined, order)
    if (text !== undefined && iso === undefined) issues.push({ path: PATHS[field], rule: NO_DATE })
    return iso
  }
  const inviteIds = read('invite_id')
    ?.split(/[\s,;]+/)
    .filter(Boolean)
  const times = { createdAt: time('created_at'), expiresAt: time('expires_at') }
  const reference = read('reference')
  const link = read('link')
  const challengeUrl = inviteIds?.length === 1 ? link : undefined
  const given = { email, name, quizId, packageId, inviteIds, ...times, reference, challengeUrl, from }
  return { row: file.row, issues, given, hasLostLink: link !== challengeUrl }
}

/* With the id of a title, and the quizzes of a package. Without the list, a text with a blank cannot be an id. */
function identified({ given, issues, ...row }: ImportRow, listed: BulkPlan['listed']): ImportRow {
  if (typeof listed === 'string') {
    const { field, id } = targetOf(given)
    const rule = `must be an id: titles could not be read (${listed})`
    const found = /\s/.test(id.trim()) ? [{ path: field, rule }] : []
    return { ...row, issues: [...issues, ...found], given }
  }
  const found: Pick<CampaignRow, 'input' | 'issues'> = withId({ input: given }, listed)
  const { kind, id } = targetOf(found.input as Given)
  const { quizIds } = listed.get(kind, id) ?? {}
  return {
    ...row,
    issues: [...issues, ...(found.issues ?? [])],
    given: { ...(found.input as Given), quizIds },
  }
}

/* The ledger checks all of them, and names each fault. */
async function plan({ ledger, scope }: OpenSender, rows: readonly ImportRow[]): Promise<readonly ImportRow[]> {
  const valid = rows.filter(({ issues }) => issues.length === 0)
  const results = await ledger.import(
    valid.map(({ given }) => given),
    { ...scope, dryRun: true, skipInvalid: true },
  )
  const resultOf = new Map(valid.map((row, index) => [row, results[index]]))
  return rows.map((row) => {
    const result = resultOf.get(row)
    return result?.status === 'invalid' ? { ...row, issues: [...result.issues] } : { ...row, result }
  })
}

const isInvalid = ({ result }: ImportRow) => result === undefined

const wanted = (rows: readonly ImportRow[]) => rows.filter(({ result }) => result?.status === 'imported')

async function record({ ledger, scope }: OpenSender, planned: readonly ImportRow[]): Promise<readonly ImportRow[]> {
  const rows = wanted(planned)
  const results = await ledger.import(
    rows.map(({ given }) => given),
    scope,
  )
  const resultOf = new Map(rows.map((row, index) => [row, results[index] as Imported]))
  return planned.map((each) => ({ ...each, result: resultOf.get(each) ?? each.result }))
}

const NO_ROWS = { imported: 0, known: 0, unknown: 0, conflict: 0, invalid: 0 }

function countsOf(rows: readonly ImportRow[]) {
  const counts = { ...NO_ROWS }
  for (const { result } of rows) counts[result === undefined ? 'invalid' : statusOf(result)] += 1
  return counts
}

const statusOf = ({ status, state }: Imported) => (status === 'known' && state === 'unknown' ? 'unknown' : status)

function shownCounts(rows: readonly ImportRow[]) {
  return Object.entries(countsOf(rows)).flatMap(([name, count]) =>
    count > 0 || name === 'imported' ? [[name, formatNumber(count)] as const] : [],
  )
}

interface Shown {
  readonly file: CandidateFile<ImportRow>
  readonly sender: OpenSender
  readonly listed: BulkPlan['listed']
  readonly hidden: RowOptions['hidden']
  readonly namesPeople: boolean
}

function draw(
  rows: readonly ImportRow[],
  { file, sender, listed, hidden, namesPeople }: Shown,
  terminal: Terminal,
): string {
  const chosen = wanted(rows).map(({ given }) => given)
  const { known, unknown, conflict, invalid } = countsOf(rows)
  const wantedTargets = chosen.map(targetOf)
  const targets = new Map<string, number>()
  for (const { id } of wantedTargets) targets.set(id, (targets.get(id) ?? 0) + 1)
  const unlisted =
    typeof listed === 'string' ? [] : wantedTargets.filter(({ kind, id }) => listed.get(kind, id) === undefined)
  const count = (test: (given: Given) => boolean) => chosen.filter(test).length
  const { scope } = sender
  return (
    terminal.fields([
      ...fileFields(file, hidden),
      ['service', scope.baseUrl],
      ['ledger', `${sender.place.path.value}, account ${scope.account}`],
      ['to record', formatNumber(chosen.length)],
      ...optional('first', namesPeople ? firstOf(chosen, chosen.length) : ''),
      ...optional('invited to', targetsOf(targets, chosen.length, listed)),
      ...counted('not listed', unlisted.length, 'the service lists no such quiz or package'),
      ...counted(
        'packages',
        count(({ packageId, quizIds }) => packageId !== undefined && quizIds === undefined),
        'their quizzes are not known: only the whole package is',
      ),
      ...counted(
        'no time',
        count(({ createdAt, expiresAt }) => (createdAt ?? expiresAt) === undefined),
        'they count as made now, so their links as open for 14 days',
      ),
      ...counted(
        'expired',
        rows.filter(({ result }) => result?.hasExpired).length,
        'their links have expired already, so these people can be invited again',
      ),
      ...counted(
        'links',
        rows.filter(({ hasLostLink }) => hasLostLink).length,
        'without the one id of their invite; they are not recorded',
      ),
      ...counted('known', known, 'the ledger has them'),
      ...counted('unknown', unknown, 'they may have been invited from here; resolve them'),
      ...counted('conflicts', conflict, CONFLICT),
      ...counted('invalid', invalid),
    ]) + drawRows(rows.filter(isInvalid))
  )
}

const CONFLICT = 'the ledger has their reference for another create, or their invite for another candidate'

function toRow({ row, issues, given, result }: ImportRow, isPlanned: boolean) {
  const status = result === undefined ? 'invalid' : statusOf(result)
  return {
    row,
    status: status === 'imported' && isPlanned ? 'planned' : status,
    email: given.email,
    quizId: given.quizId ?? null,
    packageId: given.packageId ?? null,
    inviteIds: given.inviteIds ?? [],
    /* A planned record has no reference yet. */
    reference: isPlanned && status === 'imported' ? (given.reference ?? null) : (result?.reference ?? null),
    message: result === undefined ? faultsOf(issues) : null,
  }
}

export const columns = fieldColumns<ReturnType<typeof toRow>>(
  ['row', 'status', 'email', 'quizId', 'packageId', 'inviteIds', 'reference', 'message'],
  { STATUS: `status (${Object.keys(NO_ROWS).join(', ')}; in a dry run planned)` },
)
