import type { CampaignRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import type { Io } from '../io.ts'
import { CellFault } from '../table/cell-fault.ts'
import { type FileRow, type ReadOptions, type RowFile, readRowFile } from '../table/file.ts'
import { fileError } from '../table/file-error.ts'
import { type Columns, Headings, type HeadingTable, headingKey } from '../table/headings.ts'
import { digitsOf, isNumber } from '../table/json.ts'
import { textFault } from '../table/text-fault.ts'

/* The usual headings in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const HEADINGS = {
  email:
    'email emailaddress mail mailaddress recipientemail candidateemail emailadresse mailadresse emailadres mailadres ' +
    'adresseemail adressemail adressedemail adresseelectronique courriel adressecourriel adressedecourriel ' +
    'adressedecourrielelectronique courrielelectronique correo correoelectronico direcciondecorreo ' +
    'direcciondecorreoelectronico direcciondeemail postaelettronica indirizzoemail indirizzomail indirizzodiposta ' +
    'indirizzodipostaelettronica correioeletronico correioelectronico enderecodeemail enderecoemail enderecoeletronico',
  name:
    'name fullname recipientname candidatename vollstandigername vollstaendigername vorundnachname vornamenachname ' +
    'vornameundnachname nomcomplet nometprenom prenometnom nombrecompleto nombreyapellido nombreyapellidos nomecompleto ' +
    'nomeecognome nominativo nomeesobrenome nomeeapelido naam volledigenaam voorenachternaam',
  first_name: 'firstname givenname forename vorname prenom nombre nome primeironome voornaam',
  last_name:
    'lastname surname familyname nachname familienname zuname nom nomdefamille apellido apellidos cognome sobrenome ' +
    'apelido ultimonome achternaam familienaam',
  quiz_id: 'quizid quiz testid assessmentid idquiz idduquiz iddelquiz idtest idcuestionario idquestionario',
  package_id:
    'packageid package paket paketid pakket pakketid paquet idpaquet iddupaquet paquete idpaquete iddelpaquete ' +
    'pacchetto idpacchetto pacote idpacote iddopacote',
  external_reference:
    'externalreference externalid reference candidateid referenz externereferenz referenceexterne referencia ' +
    'referenciaexterna riferimento riferimentoesterno referentie externereferentie',
  send_email:
    'sendemail sendinviteemail emailsenden emailversenden envoyeremail envoyerunemail envoyeruncourriel enviaremail ' +
    'enviarcorreo inviaemail inviareemail emailversturen emailverzenden',
  callback_url: 'callbackurl callback urlcallback urldecallback callbackadresse ruckrufurl rueckrufurl urlderappel',
} as const satisfies HeadingTable<string>

/** A field of a row, by its name in a file. */
export type Field = keyof typeof HEADINGS

/** What a column may be: a field, or nothing that is read. */
export type Meaning = Field | 'ignore'

export const MEANINGS = [...Object.keys(HEADINGS), 'ignore'] as readonly Meaning[]
const headings = new Headings<Field>(HEADINGS)

/** The options for rows: what columns mean, and what rows leave empty. */
export interface RowOptions extends Pick<ReadOptions, 'encoding' | 'sheet' | 'headerRow' | 'hidden'> {
  /** What headings mean, in place of their names. */
  readonly map?: HeadingMap
  /** For rows without a value of their own. */
  readonly quizId?: string
  readonly packageId?: string
  readonly callbacks?: boolean
  readonly sendEmail: boolean
}

export type HeadingMap = readonly (readonly [heading: string, meaning: Meaning])[]

/** A file of candidates. */
export interface CandidateFile {
  readonly file: Omit<RowFile, 'rows'>
  /** What its names mean, and the names without a meaning. */
  readonly meanings: ReadonlyMap<string, Field>
  readonly ignored: readonly string[]
  readonly count: number
  /** Can be read once: each row is let go as it is read, because a large file fits in the memory only once. */
  readonly rows: Iterable<CampaignRow>
  /** The rows as they are in the file, if they are kept. */
  readonly originals: readonly FileRow[]
}

/** The column with the reason in a file of rows to fix. It is ignored when that file is read again. */
export const ERROR_COLUMN = 'certify_error'

/**
 * Reads a file of candidates.
 *
 * @param keeps whether its original rows are needed later
 * @throws CliError if it cannot be read, or its columns cannot be understood
 */
export async function readCandidates(
  io: Io,
  path: string,
  options: RowOptions,
  keeps: boolean,
): Promise<CandidateFile> {
  const meanings = meaningsOf(options)
  const columnsOf = (names: readonly string[]) => withSurname(headings.columnsOf(names, meanings), names, meanings)
  const { rows, ...file } = await readRowFile(io, path, {
    ...options,
    isHeader: (names) => columnsOf(names).places.email !== undefined,
    refuseBeside: refuseBesideList,
  })
  if (file.header !== undefined) refuseHeader(file.header, columnsOf(file.header), options)
  const known = new Map<string, Field>()
  const ignored = new Set<string>()
  /* A table has one kind of row, JSON may have many. */
  const kinds = new Map<string, Columns<Field>>()
  const columnsFor = ({ row, names }: FileRow): Columns<Field> => {
    const kind = file.header === undefined ? names.join('\n') : ''
    const seen = kinds.get(kind)
    if (seen !== undefined) return seen
    const columns = columnsOf(names)
    kinds.set(kind, columns)
    headings.refuseNearMisses(columns, DECIDING, `row ${row}`, fix)
    for (const [field, place] of Object.entries(columns.places)) known.set(names[place] ?? '', field as Field)
    for (const name of columns.ignored) if (headingKey(name) !== headingKey(ERROR_COLUMN)) ignored.add(name)
    return columns
  }
  rows.forEach(columnsFor)
  if (rows.length > 0) refuseMissing([...(file.header ?? []), ...known.keys(), ...ignored], options)
  return {
    file,
    meanings: known,
    ignored: [...ignored],
    count: rows.length,
    originals: keeps ? rows : [],
    rows: lettingGo(rows.toReversed(), (row) => toCampaignRow(row, columnsFor(row), options)),
  }
}

function* lettingGo(rest: FileRow[], toRow: (row: FileRow) => CampaignRow): Generator<CampaignRow> {
  for (let row = rest.pop(); row !== undefined; row = rest.pop()) yield toRow(row)
}

function meaningsOf({ map = [] }: RowOptions): ReadonlyMap<string, Field | undefined> {
  return new Map([
    [headingKey(ERROR_COLUMN), undefined],
    ...map.map(([heading, meaning]) => [headingKey(heading), meaning === 'ignore' ? undefined : meaning] as const),
  ])
}

/* German and Dutch sheets have the surname as "Name" beside the first name. */
function withSurname(
  columns: Columns<Field>,
  names: readonly string[],
  meanings: ReadonlyMap<string, unknown>,
): Columns<Field> {
  const { name, first_name: first, last_name: last, ...others } = columns.places
  if (name === undefined || first === undefined || last !== undefined) return columns
  const [surname, given] = [headingKey(names[name] ?? ''), headingKey(names[first] ?? '')]
  const isPair = ['name', 'naam'].includes(surname) && ['vorname', 'voornaam'].includes(given)
  if (!isPair || meanings.has(surname)) return columns
  return { ...columns, places: { ...others, first_name: first, last_name: name } }
}

const DECIDING: readonly Field[] = ['email', 'quiz_id', 'package_id', 'callback_url']

function fix(name: string, field: Field): string {
  return `Correct it, or say what it is: --map "${name}=${field}" or --map "${name}=ignore".`
}

function refuseHeader(header: readonly string[], columns: Columns<Field>, options: RowOptions): void {
  const { places, twice, unknown } = columns
  refuseMissing(header, options)
  if (places.email === undefined) throw withoutAddress(header, unknown)
  const [field] = twice
  if (field !== undefined) {
    const names = header.filter((name) => headings.fieldOf(name) === field)
    const hint = `Keep one of them, or say which: --map "${names[0] ?? 'Heading'}=${field}", or --map "Heading=ignore".`
    throw fileError(`several columns mean ${twice.join(', ')}: ${quoted(names)}.`, hint)
  }
  headings.refuseNearMisses(columns, DECIDING, 'the header', fix)
  if ((places.quiz_id ?? places.package_id ?? options.quizId ?? options.packageId) !== undefined) return
  throw fileError(
    'no column says what to invite to.',
    'Add a column "quiz_id" or "package_id", name the one that has it with --map "Heading=quiz_id", or give --quiz-id or ' +
      '--package-id for all rows.',
  )
}

function withoutAddress(header: readonly string[], unknown: readonly string[]) {
  const template = 'The first line must name the columns, as in: email,name,quiz_id'
  if (header.some((name) => name.includes('@'))) {
    return fileError('the first line has an address, so it seems to be a candidate already.', template)
  }
  const likely = unknown.filter((name) => /mail|courriel|correo/.test(headingKey(name)))
  if (likely.length > 1) {
    const hint = `Say which: --map "${likely[0]}=email".`
    return fileError(`several columns may be the e-mail address: ${quoted(likely)}.`, hint)
  }
  const hint = likely[0] === undefined ? '' : `Say what it is: --map "${likely[0]}=email". `
  const found = quoted(header.slice(0, 30).map((name) => name.slice(0, 40)))
  return fileError(`no column is the e-mail address; found: ${found}.`, hint + template)
}

/* It would seem to be for all candidates. */
function refuseBesideList(names: readonly string[]): void {
  const known = names.find((name) => headings.fieldOf(name) !== undefined)
  if (known === undefined) return
  throw fileError(`the file has "${known}" beside its list of candidates.`, 'Give it in each candidate, or by a flag.')
}

/* A heading of --map that the file does not have is misspelt. */
function refuseMissing(names: readonly string[], { map = [] }: RowOptions): void {
  const keys = new Set(names.map(headingKey))
  const missing = map.map(([heading]) => heading).filter((heading) => !keys.has(headingKey(heading)))
  if (missing.length === 0) return
  throw fileError(`--map: the file has no column ${quoted(missing)}.`, 'Give the headings as they are in the file.')
}

/** Names for a message. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

/* Turns a row of the file into one of a campaign. Its issues use the words of the file. */
function toCampaignRow(
  { row, names, values, original }: FileRow,
  { places, twice }: Columns<Field>,
  options: RowOptions,
): CampaignRow {
  const issues: Issue[] = []
  const wrong = (path: string, rule: string) => void issues.push({ path, rule })
  const read = (field: Field): string => {
    const place = places[field]
    const value = place === undefined ? '' : (values[place] ?? '')
    if (field === 'send_email' && typeof value === 'boolean') return String(value)
    if (field === 'send_email' && isNumber(value)) return digitsOf(value)
    const rule = valueFault(value)
    if (rule === undefined) return (value as string).trim()
    wrong(PATHS[field], rule)
    return ''
  }
  const surplus = values.slice(names.length).some((value) => value !== '')
  if (surplus) wrong('row', names.length === 0 ? 'must be an object' : MORE_VALUES)
  else if (original === undefined && !isReason(values, names)) wrong('row', NO_REASON)
  for (const field of twice) wrong(PATHS[field], 'occurs twice')
  const address = read('email')
  const { email, name } = parseAddress(address)
  const [first] = values
  const isComment = original === undefined && typeof first === 'string' && COMMENT.test(first)
  if (isComment || address.startsWith('#')) wrong('row', 'begins with #, so it seems to be commented out')
  if (/^['‘’]/.test(address)) wrong(PATHS.email, 'begins with an apostrophe, which Excel writes before a text')
  if (email === '' && issues.every(({ path }) => path !== PATHS.email)) wrong(PATHS.email, 'is missing')
  const parts = [read('first_name'), read('last_name')].filter(Boolean)
  /* A line break in a cell is usual, and means a space. */
  const full = (read('name') || parts.join(' ') || name).replaceAll(/\s*[\r\n]\s*/g, ' ')
  const reference = read('external_reference')
  for (const [path, text] of [
    [PATHS.name, full],
    [PATHS.external_reference, reference],
  ] as const) {
    const fault = textFault(text)
    if (fault !== undefined) wrong(path, fault)
  }
  const sends = parseYesOrNo(read('send_email'), options.sendEmail)
  if (sends === undefined) wrong(PATHS.send_email, 'must be yes or no')
  const callbackUrl = read('callback_url')
  if (callbackUrl && options.callbacks === true) wrong(PATHS.callback_url, 'and --callbacks exclude each other')
  const target = targetOf(read('quiz_id'), read('package_id'), options)
  if (target === 'both') wrong(PATHS.quiz_id, 'and package_id exclude each other: a row is about one of them')
  if (target === undefined) wrong(PATHS.quiz_id, 'or package_id is missing')
  const input = {
    ...(typeof target === 'object' && target),
    candidate: { email, ...optional('name', full) },
    ...(sends === false && { sendInviteEmail: false }),
    ...optional('externalReference', reference),
    ...optional('callbackUrl', callbackUrl),
  }
  return { row, issues, input }
}

/* A URL may be long. Names have a limit of their own. */
const LONGEST_VALUE = 8192

function valueFault(value: unknown): string | undefined {
  if (value instanceof CellFault) return value.rule
  if (isNumber(value)) return 'must be a text in quotes, not a number'
  if (typeof value !== 'string') return 'must be a text'
  const text = value.trim()
  if (text.length > LONGEST_VALUE) return `is longer than ${LONGEST_VALUE} characters`
  return SHEET_ERROR.test(text) ? 'is an error of the sheet, such as #N/A' : undefined
}

/* As in #N/A and #REF!, in the languages of the known headings: #NV, #N/D, #BEZUG!, #¿NOMBRE?. */
const SHEET_ERROR = /^#(N\/A|N\/D|N\/B|NV|[^a-z\s]+[!?])$/u
/* Not a number, as in the reference #12. */
const COMMENT = /^\s*#(?!\d)/
const MORE_VALUES = 'has more values than there are columns; one with the delimiter in it needs quotes'
const NO_REASON = `has a value in the column ${ERROR_COLUMN} that bulk did not write: it may belong to the column before`

/* As bulk writes it, or none. */
function isReason(values: readonly unknown[], names: readonly string[]): boolean {
  const value = values[names.findIndex((name) => headingKey(name) === headingKey(ERROR_COLUMN))]
  return typeof value !== 'string' || value.trim() === '' || /^\s*row \d+: /.test(value)
}

/* As mail programs write it: Ada Byron <ada@example.com>, the name in quotes or not. */
function parseAddress(text: string): { readonly email: string; readonly name: string } {
  const [, name = '', email = text] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? []
  return { email: email.trim(), name: name.trim().replace(/^"(.*)"$/, '$1') }
}

/* A row overrides the flags. */
function targetOf(quizId: string, packageId: string, options: RowOptions) {
  if (quizId && packageId) return 'both'
  if (quizId) return { quizId }
  if (packageId) return { packageId }
  if (options.quizId !== undefined) return { quizId: options.quizId }
  return options.packageId === undefined ? undefined : { packageId: options.packageId }
}

/* In the languages of the known headings. */
const YES = new Set(['yes', 'true', '1', 'ja', 'oui', 'sí', 'si', 'sì', 'sim'])
const NO = new Set(['no', 'false', '0', 'nein', 'non', 'não', 'nao', 'nee'])

/** `undefined` if it is neither. */
export function parseYesOrNo(text: string, ifEmpty?: boolean): boolean | undefined {
  const word = text.slice(0, 10).normalize('NFC').toLowerCase()
  if (word === '') return ifEmpty
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}

function optional(name: string, value: string): Readonly<Record<string, string>> {
  return value ? { [name]: value } : {}
}

const PATHS: Readonly<Record<Field, string>> = {
  email: 'candidate.email',
  name: 'candidate.name',
  first_name: 'candidate.name',
  last_name: 'candidate.name',
  quiz_id: 'quizId',
  package_id: 'packageId',
  external_reference: 'externalReference',
  send_email: 'sendInviteEmail',
  callback_url: 'callbackUrl',
}

const COLUMN_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(PATHS)
    .toReversed()
    .map(([field, path]) => [path, field] as const),
)

/** Issues in the words of the file, without its values. */
export function faultsOf(issues: readonly Issue[]): string {
  return issues.map(({ path, rule }) => `${COLUMN_OF.get(path) ?? path} ${rule}`).join('; ')
}
