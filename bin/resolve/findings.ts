import type { Finding, Ledger, LedgerEntry } from '../../src/ledger/index.ts'
import { parseYesOrNo } from '../bulk/read.ts'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import type { ScopeFilter } from '../ledger/list-invites.ts'
import { type FileRow, readRowFile } from '../table/file.ts'
import { fileError } from '../table/file-error.ts'
import { type Columns, Headings } from '../table/headings.ts'
import { isNumber } from '../table/json.ts'
import { textFault } from '../table/text-fault.ts'

/** Which create it is, and what became of it, as somebody gave it. */
export interface GivenFinding {
  /** Its line in a file, or its place among the others. */
  readonly row: number
  /** The same for a message, as in `row 3` or `reference 2`. */
  readonly place: string
  readonly reference?: string | undefined
  readonly email?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  /** The record of the create, if it is known already. */
  readonly entry?: LedgerEntry
  /** `undefined` if that is not said: most likely nobody knows yet. */
  readonly finding: Finding | undefined
  /** Why it cannot be used, without its values. */
  readonly faults: readonly string[]
}

export interface ResolveFlags {
  readonly created?: readonly string[]
  readonly notCreated?: boolean
  readonly from?: string
  readonly encoding?: string
  readonly campaign?: string
  readonly since?: (now: number) => number
  readonly until?: (now: number) => number
  readonly code?: string
  readonly all?: boolean
  readonly skipInvalid?: boolean
  readonly report?: string
}

/** Reads what a person gave: references, a selection of unknown creates, or a file. @throws CliError */
export async function readFindings(
  io: Io,
  references: readonly string[],
  flags: ResolveFlags,
): Promise<(ledger: Ledger, scope: ScopeFilter) => Promise<readonly GivenFinding[]>> {
  const { from, campaign, since, until, code } = flags
  const isSelection = [campaign, since, until, code].some((each) => each !== undefined)
  const sources = [references.length > 0, isSelection, from !== undefined].filter(Boolean).length
  if (sources !== 1) {
    throw new CliError(
      sources === 0
        ? 'it has to know which creates to resolve. Nothing was changed.'
        : 'references, --from, and a selection such as --campaign exclude each other. Nothing was changed.',
      'Give references, - to read them from stdin, a selection such as --campaign, or a file with --from.',
    )
  }
  if (from !== undefined) {
    if (flags.created !== undefined || flags.notCreated === true) {
      const hint = 'Leave one of them out.'
      throw new CliError('with --from the file says what became of each. Nothing was changed.', hint)
    }
    const rows = await readFile(io, from, flags.encoding)
    return async () => rows
  }
  const finding = findingOf(flags)
  if (isSelection) return (ledger, scope) => select(ledger, scope, flags, finding, io.now())
  const words = references.includes('-') ? await fromStdin(io, references) : references
  return async () =>
    words.map((reference, index) => {
      return { row: index + 1, place: `reference ${index + 1}`, reference, finding, faults: [] }
    })
}

/* What the flags say about each create; nothing, for a worksheet. */
function findingOf({ created, notCreated = false, report }: ResolveFlags): Finding | undefined {
  const ids = created?.map((each) => each.trim())
  if (ids === undefined && !notCreated && report !== undefined) return undefined
  if (ids?.includes('') !== true && (ids === undefined) === notCreated) {
    return ids === undefined ? { notCreated: true } : { created: ids }
  }
  throw new CliError(
    ids?.includes('') === true ? '--created must not be blank.' : 'it takes either --created or --not-created.',
    'Give --created <invite-id>, or --not-created; or only --report, for a worksheet to fill in.',
  )
}

async function fromStdin({ stdin }: Io, references: readonly string[]): Promise<readonly string[]> {
  if (references.length > 1 || stdin.isTTY) {
    const hint = 'Pipe references in, as in `certify invites resolve - --report found.csv < references.txt`.'
    throw new CliError('- alone takes references from a pipe. Nothing was changed.', hint)
  }
  return (await stdin.text()).split(/\s+/).filter((word) => word !== '')
}

async function select(
  ledger: Ledger,
  scope: ScopeFilter,
  { campaign, since, until, code }: ResolveFlags,
  finding: Finding | undefined,
  now: number,
): Promise<readonly GivenFinding[]> {
  const rows: GivenFinding[] = []
  for await (const entry of ledger.list({
    ...scope,
    campaign,
    since: since && new Date(since(now)),
    state: 'unknown',
  })) {
    if (until !== undefined && Date.parse(entry.sentAt) >= until(now)) continue
    if (code !== undefined && entry.code !== code.toUpperCase()) continue
    const row = rows.length + 1
    rows.push({ row, place: `create ${row}`, entry, finding, faults: [] })
  }
  return rows
}

const headings = new Headings({
  reference: 'reference clientreference xclientreference',
  email: 'email emailaddress mail candidateemail emailadresse adresseemail correo correoelectronico',
  quiz_id: 'quizid quiz',
  package_id: 'packageid package',
  created: 'created wascreated iscreated',
  invite_id: 'inviteid inviteids',
})

type Field = 'reference' | 'email' | 'quiz_id' | 'package_id' | 'created' | 'invite_id'

const DECIDING: readonly Field[] = ['reference', 'email', 'quiz_id', 'package_id', 'created', 'invite_id']

function howToFix(name: string): string {
  return `Correct the name of the column "${name}", or give it another name to have it ignored.`
}

/* A report of bulk or of this command, or a file that somebody wrote. */
async function readFile(io: Io, path: string, encoding: string | undefined): Promise<readonly GivenFinding[]> {
  /* A row says what became of it, whether a filter hides it or not. */
  const options = { ...(encoding !== undefined && { encoding }), hidden: 'include', isHeader: () => true } as const
  const { header, rows } = await readRowFile(io, path, options)
  if (header !== undefined) {
    const { places, twice } = headings.columnsOf(header)
    const what = 'reference or email (and quiz_id or package_id), created (yes or no), and invite_id'
    const columns = `The first line has to name the columns: ${what}.`
    if (twice.length > 0) throw fileError(`several columns mean ${twice.join(', ')}.`, columns)
    if ((places.reference ?? places.email) === undefined) throw fileError('no column says which create it is.', columns)
    if ((places.created ?? places.invite_id) === undefined)
      throw fileError('no column says what became of it.', columns)
  }
  return rows.map((row) => {
    const columns = headings.columnsOf(row.names)
    headings.refuseNearMisses(columns, DECIDING, header === undefined ? `row ${row.row}` : 'the header', howToFix)
    return toFinding(row, columns)
  })
}

function toFinding({ row, names, values }: FileRow, { places, twice }: Columns<Field>): GivenFinding {
  const faults: string[] = twice.map((field) => `${field} occurs twice`)
  const read = (field: Field): string => {
    const place = places[field]
    const value = place === undefined ? '' : (values[place] ?? '')
    if (field === 'created' && typeof value === 'boolean') return value ? 'yes' : 'no'
    if (field === 'invite_id' && Array.isArray(value)) return value.join(' ')
    const fault = valueFault(value)
    if (fault === undefined) return (value as string).trim()
    faults.push(`${field} ${fault}`)
    return ''
  }
  if (values.slice(names.length).some((value) => value !== '')) {
    faults.push(names.length === 0 ? 'must be an object' : 'has more values than there are columns')
  }
  const [reference, email, quizId, packageId] = [read('reference'), read('email'), read('quiz_id'), read('package_id')]
  if (reference === '' && email === '' && faults.length === 0) faults.push('has neither a reference nor an email')
  const { finding, fault } = findingIn(read('created'), read('invite_id'))
  if (fault !== undefined && faults.length === 0) faults.push(fault)
  return {
    row,
    place: `row ${row}`,
    reference: reference || undefined,
    email: email || undefined,
    quizId: quizId || undefined,
    packageId: packageId || undefined,
    finding,
    faults,
  }
}

/* An id that was copied with a character that nobody sees is another id. */
function valueFault(value: unknown): string | undefined {
  if (isNumber(value)) return 'must be a text in quotes, not a number'
  return typeof value === 'string' ? textFault(value.trim()) : 'must be a text'
}

function findingIn(created: string, ids: string): { readonly finding: Finding | undefined; readonly fault?: string } {
  const inviteIds = [...new Set(ids.split(/[\s,;]+/).filter((id) => id !== ''))]
  const wasCreated = created === '' ? inviteIds.length > 0 || undefined : parseYesOrNo(created)
  if (wasCreated === undefined) {
    return created === '' ? { finding: undefined } : { finding: undefined, fault: 'created must be yes or no' }
  }
  if (wasCreated && inviteIds.length === 0)
    return { finding: undefined, fault: 'was created, and its invite_id is missing' }
  if (wasCreated) return { finding: { created: inviteIds } }
  const finding = { notCreated: true } as const
  return inviteIds.length === 0
    ? { finding }
    : { finding, fault: 'says that nothing was created, and has an invite_id' }
}
