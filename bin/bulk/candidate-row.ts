import type { CampaignRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import { CellFault } from '../table/faults.ts'
import { textFault } from '../text-fault.ts'
import type { FileRow } from '../table/file.ts'
import { type Columns, headingKey } from '../table/headings.ts'
import { digitsOf, isNumber } from '../table/json.ts'
import { ERROR_COLUMN, type Field, joinedName, type RowOptions } from './columns.ts'
import { parseYesOrNo } from '../vocabulary.ts'

/** Turns a row of the file into one of a campaign. Its issues use the paths of the API: see {@link faultsOf}. */
export function toCampaignRow(
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
  const parts = joinedName(read('first_name'), read('last_name'), names[places.last_name ?? -1] ?? '')
  /* A line break in a cell is usual, and means a space. */
  const full = (read('name') || parts || name).replaceAll(/\s*[\r\n]\s*/g, ' ')
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
  if (callbackUrl && options.callbacks === true) wrong(PATHS.callback_url, 'and --callbacks cannot be used together')
  const target = targetOf(read('quiz_id'), read('package_id'), options)
  if (target === 'both') wrong(PATHS.quiz_id, 'and package_id cannot be used together: a row is about one of them')
  if (target === undefined) wrong(PATHS.quiz_id, NO_TARGET)
  const input = {
    ...(typeof target === 'object' && target),
    candidate: { email, ...optional('name', full) },
    ...(sends === false && { sendInviteEmail: false }),
    ...optional('externalReference', reference),
    ...optional('callbackUrl', callbackUrl),
  }
  return { row, issues, input }
}

/** The rule of a row without a quiz and a package. */
export const NO_TARGET = 'or package_id is missing'

/* A URL may be long. Names have a limit of their own. */
const MAX_VALUE_LENGTH = 8192

/** Why a value of a file cannot be read as a text. */
export function valueFault(value: unknown): string | undefined {
  if (value instanceof CellFault) return value.rule
  if (isNumber(value)) return 'must be a text in quotes, not a number'
  if (typeof value !== 'string') return 'must be a text'
  const text = value.trim()
  if (text.length > MAX_VALUE_LENGTH) return `is longer than ${MAX_VALUE_LENGTH} characters`
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

/* As mail programs write or copy it: Ada Byron <ada@example.com>, the name in quotes or not; mailto:ada@example.com, */
function parseAddress(text: string): { readonly email: string; readonly name: string } {
  const whole = text.replace(/[\s,;]+$/, '')
  const [, name = '', email = whole] = /^([^<>]*)<([^<>]+)>$/.exec(whole) ?? []
  return { email: email.trim().replace(/^mailto:/i, ''), name: name.trim().replace(/^"(.*)"$/, '$1') }
}

/* A row overrides the flags. */
function targetOf(quizId: string, packageId: string, options: RowOptions) {
  if (quizId && packageId) return 'both'
  if (quizId) return { quizId }
  if (packageId) return { packageId }
  if (options.quizId !== undefined) return { quizId: options.quizId }
  return options.packageId === undefined ? undefined : { packageId: options.packageId }
}

function optional(name: string, value: string): Readonly<Record<string, string>> {
  return value ? { [name]: value } : {}
}

/** The path of a field in the API. */
export const PATHS: Readonly<Record<Field, string>> = {
  email: 'candidate.email',
  name: 'candidate.name',
  first_name: 'candidate.name',
  last_name: 'candidate.name',
  quiz_id: 'quizId',
  package_id: 'packageId',
  external_reference: 'externalReference',
  send_email: 'sendInviteEmail',
  callback_url: 'callbackUrl',
  reference: 'reference',
  invite_id: 'inviteIds',
  created_at: 'createdAt',
  expires_at: 'expiresAt',
  link: 'challengeUrl',
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
