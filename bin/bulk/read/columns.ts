import { nearest } from '../../spelling.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import { fileError } from './file-error.ts'

/** The fields of a row, by their names in a template. */
export const FIELDS = [
  'email',
  'name',
  'first_name',
  'last_name',
  'quiz_id',
  'package_id',
  'external_reference',
  'send_email',
  'callback_url',
] as const

export type Field = (typeof FIELDS)[number]

export interface Columns {
  readonly places: Readonly<Partial<Record<Field, number>>>
  readonly ignored: readonly string[]
  /** Fields that more than one column means. */
  readonly twice: readonly Field[]
}

/* The names in other products; compared without case, spaces and punctuation. */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  email: ['email', 'emailaddress', 'mail', 'recipientemail', 'candidateemail'],
  name: ['name', 'fullname', 'recipientname', 'candidatename'],
  first_name: ['firstname', 'givenname', 'forename'],
  last_name: ['lastname', 'surname', 'familyname'],
  quiz_id: ['quizid', 'quiz', 'testid', 'assessmentid'],
  package_id: ['packageid', 'package'],
  external_reference: ['externalreference', 'externalid', 'reference', 'candidateid'],
  send_email: ['sendemail', 'sendinviteemail'],
  callback_url: ['callbackurl', 'callback'],
}

const FIELD_OF: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((field) => NAMES[field].map((name) => [name, field] as const)),
)

/** The column with the reason in a file of rows to fix. It is ignored when that file is read again. */
export const ERROR_COLUMN = 'certify_error'

export function isErrorColumn(name: string): boolean {
  return plain(name) === plain(ERROR_COLUMN)
}

export function columnsOf(names: readonly string[]): Columns {
  const places: Partial<Record<Field, number>> = {}
  const ignored: string[] = []
  const twice: Field[] = []
  for (const [index, name] of names.entries()) {
    if (isErrorColumn(name)) continue
    const field = FIELD_OF.get(plain(name))
    if (field === undefined) ignored.push(name)
    else if (places[field] === undefined) places[field] = index
    else twice.push(field)
  }
  return { places, ignored, twice }
}

/** The field that a name may be meant for, if the file has no other name for it. */
export function nearField(name: string, places: Columns['places']): Field | undefined {
  const word = plain(name)
  if (word.length > LONGEST_NAME) return undefined
  const isUnused = (alias: string) => places[FIELD_OF.get(alias) ?? 'email'] === undefined
  const near = nearest(word, [...FIELD_OF.keys()].filter(isUnused), CLEARLY_NEAR)
  return near === undefined ? undefined : FIELD_OF.get(near)
}

/* A less similar name is usually a name of its own: username is no surname. */
const CLEARLY_NEAR = 0.2
const LONGEST_NAME = 50

/** Names for a message, each with the field that it may be meant for. */
export function quotedNames(names: readonly string[], near?: (name: string) => Field | undefined): string {
  const quoted = names.map((name) => {
    const field = near?.(name)
    return field === undefined ? `"${name}"` : `"${name}" (did you mean ${field}?)`
  })
  return quoted.join(', ')
}

/** Refuses an unusable header of a table. @throws CliError */
export function refuseHeader(header: readonly string[], options: BulkOptions): void {
  const { places, ignored, twice } = columnsOf(header)
  const near = (name: string) => (ignored.includes(name) ? nearField(name, places) : undefined)
  if (places.email === undefined) {
    const found = header.some((name) => name.includes('@'))
      ? 'its first line has an address, so it seems to be a candidate already'
      : `found: ${quotedNames(header.slice(0, 30), near)}`
    throw fileError(
      `no column is the e-mail address; ${found}.`,
      'The first line has to name the columns, one of them "email": certify bulk template shows how.',
    )
  }
  if (twice.length > 0) {
    const names = header.filter((name) => twice.some((field) => columnsOf([name]).places[field] === 0))
    throw fileError(`several columns mean ${twice.join(', ')}: ${quotedNames(names)}.`, 'Keep one of them.')
  }
  if (options.strictHeaders === true && ignored.length > 0) {
    throw fileError(
      `--strict-headers: unknown columns: ${quotedNames(ignored.slice(0, 30), near)}.`,
      `Known are ${FIELDS.join(', ')}, and similar names.`,
    )
  }
  if (
    places.quiz_id === undefined &&
    places.package_id === undefined &&
    (options.quizId ?? options.packageId) === undefined
  ) {
    throw fileError(
      'no column says what to invite to.',
      'Add a column "quiz_id" or "package_id", or give --quiz-id or --package-id for all rows.',
    )
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.\-\p{Cf}]/gu, '')
}
