import { nearest } from '../../spelling.ts'
import { fileError } from './file-error.ts'

/** What a row of a file can say of an invite, by the names of a template. */
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

/** Where a row has what. */
export interface Columns {
  readonly places: Readonly<Partial<Record<Field, number>>>
  /** Names that say nothing to us. */
  readonly ignored: readonly string[]
  /** Fields that more than one name stands for. */
  readonly twice: readonly Field[]
}

/* As other products call them; compared without case, spaces and punctuation. */
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

/** The column of a file of rows to fix that says why. When that is read again, it says nothing of an invite. */
export const ERROR_COLUMN = 'certify_error'

/** Whether a name is that of {@link ERROR_COLUMN}. */
export function isErrorColumn(name: string): boolean {
  return plain(name) === plain(ERROR_COLUMN)
}

/** Finds out what the names of a file stand for. */
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

/** The field that a name was perhaps meant for, where the file has no other name for that. */
export function nearField(name: string, places: Columns['places']): Field | undefined {
  const word = plain(name)
  if (word.length > LONGEST_NAME) return undefined
  const isOpen = (alias: string) => places[FIELD_OF.get(alias) ?? 'email'] === undefined
  const near = nearest(word, [...FIELD_OF.keys()].filter(isOpen), CLEARLY_NEAR)
  return near === undefined ? undefined : FIELD_OF.get(near)
}

/* A name that is only a little like another is more often one of its own: username is no surname. */
const CLEARLY_NEAR = 0.2
const LONGEST_NAME = 50

/** Names for a message, each with what it was perhaps meant for. */
export function named(names: readonly string[], near: (name: string) => Field | undefined = () => undefined): string {
  const quoted = names.map((name) => {
    const field = near(name)
    return field === undefined ? `"${name}"` : `"${name}" (did you mean ${field}?)`
  })
  return quoted.join(', ')
}

/** What the flags say of every row that says nothing itself. */
export interface Given {
  readonly hasTarget: boolean
  readonly strict: boolean
}

/** Refuses a table whose header cannot be meant. @throws CliError */
export function refuseHeader(header: readonly string[], { places, ignored, twice }: Columns, given: Given): void {
  const near = (name: string) => (ignored.includes(name) ? nearField(name, places) : undefined)
  if (places.email === undefined) {
    const found = header.some((name) => name.includes('@'))
      ? 'its first line holds an address, so it seems to be a candidate already'
      : `found: ${named(header.slice(0, 30), near)}`
    throw fileError(
      `no column is the e-mail address; ${found}.`,
      'The first line has to name the columns, one of them "email": certify bulk template shows how.',
    )
  }
  if (twice.length > 0) {
    const names = header.filter((name) => twice.some((field) => columnsOf([name]).places[field] === 0))
    throw fileError(`several columns are meant for ${twice.join(', ')}: ${named(names)}.`, 'Keep one of them.')
  }
  if (given.strict && ignored.length > 0) {
    throw fileError(
      `--strict-headers: these columns are not known: ${named(ignored.slice(0, 30), near)}.`,
      `Known are ${FIELDS.join(', ')}, and names like them.`,
    )
  }
  if (places.quiz_id === undefined && places.package_id === undefined && !given.hasTarget) {
    throw fileError(
      'no column says what to invite to.',
      'Add a column "quiz_id" or "package_id", or give --quiz-id or --package-id for all rows.',
    )
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.\-\p{Cf}]/gu, '')
}
