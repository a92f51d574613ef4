import { createHash } from 'node:crypto'
import type { CampaignRow } from '../../../src/campaign/index.ts'
import type { Issue } from '../../../src/index.ts'
import { emailKey } from '../../../src/ledger/index.ts'
import type { BulkOptions, Shard } from '../options/bulk-options.ts'
import type { Field } from '../options/fields.ts'
import { type Columns, ERROR_COLUMN, isErrorColumn } from './columns.ts'
import { InexactNumber } from './exact-json.ts'
import { CellFault, type FileRecord } from './file-record.ts'
import { textFault } from './text-fault.ts'

/** Turns a record into a row of a campaign. Its issues use the words of the file. */
export function toCampaignRow(
  { row, names, values, broken, original }: FileRecord,
  { places, twice }: Columns,
  options: BulkOptions,
): CampaignRow {
  if (broken !== undefined) return { row, issues: [{ path: '', rule: broken }], input: undefined }
  const issues: Issue[] = []
  const wrong = (path: string, rule: string) => void issues.push({ path, rule })
  const read = (field: Field): string => {
    const place = places[field]
    const value = place === undefined ? '' : (values[place] ?? '')
    if (typeof value === 'string') {
      const text = value.trim()
      if (text.length <= LONGEST_VALUE) return text
      wrong(PATHS[field], `is longer than ${LONGEST_VALUE} characters`)
      return ''
    }
    if (value instanceof CellFault) {
      wrong(PATHS[field], value.rule)
      return ''
    }
    const isNumber = typeof value === 'number' || value instanceof InexactNumber
    if (field === 'send_email' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
    wrong(PATHS[field], isNumber ? 'must be a text in quotes, not a number' : 'must be a text')
    return ''
  }

  if (values.slice(names.length).some((value) => value !== '')) {
    wrong(
      'row',
      names.length === 0
        ? 'must be an object'
        : 'has more values than there are columns; one with the delimiter in it needs quotes',
    )
  } else if (original === undefined && !isReason(values[names.findIndex(isErrorColumn)])) {
    wrong('row', `has a value under ${ERROR_COLUMN} that is no reason: it may be of the column before`)
  }
  for (const field of twice) wrong(PATHS[field], 'occurs twice')
  const address = read('email')
  const first = original === undefined ? COMMENTED.find((field) => places[field] === 0) : undefined
  if (address.startsWith('#')) wrong(PATHS.email, COMMENTED_OUT)
  else if (first !== undefined && read(first).startsWith('#')) wrong(PATHS[first], COMMENTED_OUT)
  const [apostrophe] = /^['‘’]/.exec(address) ?? []
  if (apostrophe !== undefined) wrong(PATHS.email, `begins with ${apostrophe}, which Excel writes before a text`)
  const { email, name } = parseAddress(address)
  if (email === '' && issues.every(({ path }) => path !== PATHS.email)) wrong(PATHS.email, 'is missing')
  const parts = [read('first_name'), read('last_name')].filter(Boolean)
  /* A line break in a cell is usual, and means a space. */
  const full = (read('name') || parts.join(' ') || name).replaceAll(/\s+/g, (blank) =>
    /[\r\n]/.test(blank) ? ' ' : blank,
  )
  const reference = read('external_reference') || options.externalReference
  for (const [path, text = ''] of [
    [PATHS.name, full],
    [PATHS.external_reference, reference],
  ] as const) {
    const fault = textFault(text)
    if (fault !== undefined) wrong(path, fault)
  }
  const sends = parseYesOrNo(read('send_email'), options.sendEmail)
  if (sends === undefined) wrong('sendInviteEmail', 'must be yes or no')
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (email.includes('@') && options.allowDomain?.includes(domain) === false) {
    wrong('candidate.email', 'must be in a domain of --allow-domain')
  }
  const callbackUrl = read('callback_url')
  if (callbackUrl && options.callbacks === true) wrong(PATHS.callback_url, 'and --callbacks exclude each other')
  const quizId = read('quiz_id')
  const packageId = read('package_id')
  if (quizId && packageId) wrong('quizId', 'and package_id exclude each other: a row is about one of them')
  const target = targetOf(quizId, packageId, options)
  if (target === undefined) wrong('quizId', 'or package_id is missing')
  return {
    row,
    issues,
    input: {
      ...target,
      candidate: { email, ...optional('name', full) },
      ...(sends === false && { sendInviteEmail: false }),
      ...optional('externalReference', reference),
      ...optional('callbackUrl', callbackUrl || options.callbackUrl),
    },
  }
}

/** Whether a row belongs to a shard: by its candidate alone, so that all rows of one are in the same. */
export function isInShard({ part, of }: Shard, { input }: CampaignRow): boolean {
  /* A row that cannot be read has no input. */
  const { email = '' } = (input as { readonly candidate: { readonly email: string } } | undefined)?.candidate ?? {}
  const hash = createHash('sha256').update(emailKey(email)).digest()
  return (hash.readUInt32BE() % of) + 1 === part
}

/** Issues in the words of the file, without its values. */
export function faultsOf(issues: readonly Issue[]): string {
  return issues.map(({ path, rule }) => `${COLUMNS.get(path) ?? path} ${rule}`).join('; ')
}

/* A URL may be long. Names have a limit of their own. */
const LONGEST_VALUE = 8192

const COMMENTED_OUT = 'begins with #, so the row seems to be commented out'

/* A # at the start of a line comments it out where no such value begins with one. */
const COMMENTED: readonly Field[] = ['name', 'first_name', 'last_name', 'quiz_id', 'package_id']

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

const COLUMNS: ReadonlyMap<string, string> = new Map([
  ['', 'row'],
  ...Object.entries(PATHS)
    .toReversed()
    .map(([field, path]) => [path, field] as const),
])

/* As bulk writes it, or none. */
function isReason(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '' || /^\s*row \d+: /.test(value)
}

/* As mail programs write it: Ada Byron <ada@example.com>, the name in quotes or not. */
function parseAddress(text: string): { readonly email: string; readonly name: string } {
  const [, name = '', email = text] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? []
  return { email: email.trim(), name: name.trim().replace(/^"(.*)"$/, '$1') }
}

/* A row overrides the flags. */
function targetOf(quizId: string, packageId: string, options: BulkOptions) {
  if (quizId) return { quizId }
  if (packageId) return { packageId }
  if (options.quizId !== undefined) return { quizId: options.quizId }
  return options.packageId === undefined ? undefined : { packageId: options.packageId }
}

/* In the languages of the known headings. */
const YES = new Set(['yes', 'true', '1', 'ja', 'oui', 'sí', 'si', 'sì', 'sim'])
const NO = new Set(['no', 'false', '0', 'nein', 'non', 'não', 'nao', 'nee'])

const LONGEST_WORD = 10

/** `undefined` if it is neither. */
export function parseYesOrNo(text: string, ifEmpty?: boolean): boolean | undefined {
  if (text.length > LONGEST_WORD) return undefined
  const word = text.normalize('NFC').toLowerCase()
  if (word === '') return ifEmpty
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}

function optional(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value ? { [name]: value } : {}
}
