import { emailKey, type Finding, type Ledger, type LedgerEntry } from '../../src/ledger/index.ts'
import { parseYesOrNo } from '../bulk/decisions.ts'
import type { Io } from '../io.ts'
import { type FileRow, readRowFile } from '../table/file.ts'
import { fileError } from '../table/file-error.ts'
import { type Columns, Headings } from '../table/headings.ts'
import { textFault } from '../table/text-fault.ts'

/** Which create it is, and what became of it, as a person gave it. */
export interface GivenFinding {
  /** Its line in a file, or its place among the references. */
  readonly row: number
  readonly reference: string | undefined
  /** What else the file says about it: a guard against columns that were sorted separately. */
  readonly email?: string
  readonly quizId?: string
  readonly packageId?: string
  /** `undefined` if it is left open: most likely nobody knows yet. */
  readonly finding: Finding | undefined
  /** Why it cannot be used, without quoting its values. */
  readonly fault?: string | undefined
}

/**
 * What will become, or became, of a finding. `undecided`: it says nothing. `duplicate`: it was already recorded, or is
 * given twice.
 */
export type FindingStatus = 'planned' | 'undecided' | 'duplicate' | 'invalid' | 'resolved' | 'failed'

export interface PlannedFinding {
  readonly given: GivenFinding
  readonly status: FindingStatus
  /** The record of the create, if there is one. */
  readonly entry: LedgerEntry | undefined
  /** Why it is not planned, or failed. */
  readonly message?: string | undefined
}

type Field = 'reference' | 'email' | 'quiz_id' | 'package_id' | 'created' | 'invite_id'

const headings = new Headings<Field>({
  reference: 'reference clientreference xclientreference',
  email: 'email emailaddress',
  quiz_id: 'quizid',
  package_id: 'packageid',
  created: 'created',
  invite_id: 'inviteid inviteids',
})

const DECIDING: readonly Field[] = ['reference', 'created', 'invite_id']

/** Reads a report of bulk, or a list of unknown creates, that a person has filled in. @throws CliError */
export async function readFindings(io: Io, path: string): Promise<readonly GivenFinding[]> {
  /* A row counts even if a filter hides it. */
  const { header = [], rows } = await readRowFile(io, path, { hidden: 'include', isHeader: () => true })
  const columns = headings.columnsOf(header)
  headings.refuseNearMisses(columns, DECIDING, 'the header', (name) => `Correct the name of the column "${name}".`)
  const hint = 'Take a report of bulk, or `certify invites list --state unknown --csv`, and add a column "created".'
  if (columns.twice.length > 0) throw fileError(`several columns mean ${columns.twice.join(', ')}.`, hint)
  if (columns.places.reference === undefined) throw fileError('no column has the reference of a create.', hint)
  if ((columns.places.created ?? columns.places.invite_id) === undefined) {
    throw fileError('no column says what became of a create.', hint)
  }
  return rows.map((row) => toFinding(row, columns))
}

function toFinding({ row, names, values }: FileRow, { places }: Columns<Field>): GivenFinding {
  let fault = values.slice(names.length).some((value) => value !== '') ? 'has more values than there are columns' : ''
  const read = (field: Field): string => {
    const value = values[places[field] ?? -1] ?? ''
    const text = typeof value === 'string' ? value.trim() : ''
    const rule = typeof value === 'string' ? textFault(text) : 'must be a text'
    if (rule !== undefined) fault ||= `${field} ${rule}`
    return rule === undefined ? text : ''
  }
  const [reference, email, quizId, packageId] = [read('reference'), read('email'), read('quiz_id'), read('package_id')]
  const created = read('created')
  const ids = [
    ...new Set(
      read('invite_id')
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ]
  const wasCreated = created === '' ? ids.length > 0 || undefined : parseYesOrNo(created)
  if (created !== '' && wasCreated === undefined) fault ||= 'created must be yes or no'
  if (wasCreated === false && ids.length > 0) fault ||= 'says that nothing was created, and has an invite_id'
  const finding = wasCreated === undefined ? undefined : wasCreated ? { created: ids } : ({ notCreated: true } as const)
  return { row, reference: reference || undefined, email, quizId, packageId, finding, fault: fault || undefined }
}

/** Finds the create of each finding, and decides which findings can be recorded. Changes nothing. */
export async function planFindings(ledger: Ledger, given: readonly GivenFinding[]): Promise<readonly PlannedFinding[]> {
  const planned: PlannedFinding[] = []
  const firsts = new Map<string, GivenFinding>()
  for (const each of given) {
    const entry = each.reference === undefined ? undefined : await ledger.find(each.reference)
    const found = { given: each, entry, ...decide(each, entry) }
    const { reference = '' } = each
    const first = found.status === 'planned' ? firsts.get(reference) : undefined
    planned.push(first === undefined ? found : { ...found, ...repeated(each, first) })
    if (first === undefined && found.status === 'planned') firsts.set(reference, each)
  }
  return planned
}

type Decision = Pick<PlannedFinding, 'status' | 'message'>

function decide(given: GivenFinding, entry: LedgerEntry | undefined): Decision {
  const { reference, finding, fault } = given
  if (fault === undefined && finding === undefined) return { status: 'undecided' }
  const invalid = fault ?? (entry === undefined ? missing(reference) : mismatch(entry, given))
  if (invalid !== undefined || entry === undefined) return { status: 'invalid', message: invalid }
  if (finding?.undo === true) {
    const isLast = entry.history.at(-1)?.what === 'resolved'
    return isLast ? { status: 'planned' } : { status: 'invalid', message: 'its last change is not a finding' }
  }
  /* Passing the file again after an interrupted run is not a mistake. */
  if (isRecorded(entry, given)) return { status: 'duplicate', message: 'is already recorded' }
  const mayBeCorrected = isSaidNotCreated(entry) || (entry.state === 'created' && entry.invites.length === 0)
  if (entry.state === 'unknown' || (mayBeCorrected && isCreated(given))) return { status: 'planned' }
  return { status: 'invalid', message: `that create is not unknown, but ${entry.state}` }
}

function missing(reference: string | undefined): string {
  return reference === undefined ? 'has no reference' : 'the ledger has no such reference'
}

function mismatch({ input, quizId, packageId }: LedgerEntry, given: GivenFinding): string | undefined {
  if (given.email && emailKey(given.email) !== emailKey(input.candidate.email)) {
    return 'that reference belongs to another address'
  }
  if ((given.quizId || quizId) !== quizId || (given.packageId || packageId) !== packageId) {
    return 'that reference belongs to another quiz or package'
  }
  const isSeveral = packageId === undefined && invitesOf(given).length > 1
  return isSeveral ? 'that create was for a single invite, and it has several ids' : undefined
}

function isRecorded(entry: LedgerEntry, given: GivenFinding): boolean {
  if (!isCreated(given)) return isSaidNotCreated(entry)
  const ids = new Set(entry.invites.map(({ inviteId }) => inviteId))
  return entry.state === 'created' && invitesOf(given).every((id) => ids.has(id))
}

/* Whether nothing was created because a person said so, which may turn out to be wrong. */
function isSaidNotCreated({ state, isUnproven }: LedgerEntry): boolean {
  return (state === 'not-executed' || state === 'refused') && isUnproven === true
}

/* Of two equal findings, the first one counts. If they differ, there is no telling which is right. */
function repeated(given: GivenFinding, first: GivenFinding): Decision {
  const said = (each: GivenFinding) => [isCreated(each), ...invitesOf(each).toSorted()].join(' ')
  return said(given) === said(first)
    ? { status: 'duplicate', message: `repeats row ${first.row}` }
    : { status: 'invalid', message: `row ${first.row} says something else about the same create` }
}

/** Whether it says that something was created. */
export function isCreated({ finding }: GivenFinding): boolean {
  return finding?.created !== undefined
}

/** The ids of the invites that were created. */
export function invitesOf({ finding }: GivenFinding): readonly string[] {
  return [finding?.created ?? []].flat()
}
