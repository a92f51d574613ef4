import { headingKey, headingsOf, fieldOf as rowFieldOf } from '../bulk/read/heading-names.ts'
import { CliError } from '../cli-error.ts'
import { nearest } from '../spelling.ts'

/** The fields of a file of findings. */
const FIELDS = ['reference', 'email', 'quiz_id', 'package_id', 'created', 'invite_id'] as const

export type Field = (typeof FIELDS)[number]

export interface Columns {
  readonly places: Readonly<Partial<Record<Field, number>>>
  /** The names without a meaning. */
  readonly ignored: readonly string[]
  /** Fields that more than one column means. */
  readonly twice: readonly Field[]
}

/* As `headingKey` returns them. The other fields have the headings of bulk. */
const NAMES: ReadonlyMap<string, Field> = new Map([
  ...['reference', 'clientreference', 'xclientreference'].map((name) => [name, 'reference'] as const),
  ...['created', 'wascreated', 'iscreated'].map((name) => [name, 'created'] as const),
  ...['inviteid', 'inviteids'].map((name) => [name, 'invite_id'] as const),
])

const SHARED: ReadonlySet<string> = new Set(['email', 'quiz_id', 'package_id'])

/** What the names of columns mean. @throws CliError for a misspelt name: its column would be ignored */
export function columnsOf(names: readonly string[], where: string): Columns {
  const places: Partial<Record<Field, number>> = {}
  const ignored: string[] = []
  const twice: Field[] = []
  for (const [index, name] of names.entries()) {
    const field = fieldOf(name)
    if (field === undefined) ignored.push(name)
    else if (places[field] === undefined) places[field] = index
    else twice.push(field)
  }
  for (const name of ignored) refuseNearMiss(name, places, where)
  return { places, ignored, twice }
}

/** Refuses an unusable header of a table. @throws CliError */
export function refuseHeader({ places, twice }: Columns): void {
  if (twice.length > 0) throw headerError(`several columns mean ${twice.join(', ')}.`)
  if (places.reference === undefined && places.email === undefined)
    throw headerError('no column says which send it is.')
  if (places.created === undefined && places.invite_id === undefined) {
    throw headerError('no column says whether it was created.')
  }
}

/** The error of a file of findings. */
export function findingFileError(message: string, hint: string): CliError {
  return new CliError(`${message} Nothing was changed.`, hint, { code: 'FILE_INVALID' })
}

function headerError(message: string): CliError {
  return findingFileError(message, `The first line has to name the columns: ${WHICH}.`)
}

const WHICH =
  'reference or email (and quiz_id or package_id, if an address has several unknown sends), created (yes or no), and invite_id'

function fieldOf(name: string): Field | undefined {
  const own = NAMES.get(headingKey(name))
  if (own !== undefined) return own
  const shared = rowFieldOf(name)
  return shared !== undefined && SHARED.has(shared) ? (shared as Field) : undefined
}

/* The send of an address may be another one without its quiz. */
function refuseNearMiss(name: string, places: Columns['places'], where: string): void {
  if (name.length > LONGEST_NAME) return
  const free = new Set(FIELDS.filter((field) => places[field] === undefined))
  const own = [...NAMES].flatMap(([heading, field]) => (free.has(field) ? [heading] : []))
  const shared = (['email', 'quiz_id', 'package_id'] as const).filter((field) => free.has(field))
  const near = nearest(headingKey(name), [...own, ...headingsOf(new Set(shared))], CLEARLY_NEAR)
  if (near === undefined) return
  throw findingFileError(
    `${where} has "${name}" (did you mean ${fieldOf(near)}?).`,
    'Correct the name of this column, or give it another name to have it ignored.',
  )
}

/* As for the columns of bulk. */
const CLEARLY_NEAR = 0.2
const LONGEST_NAME = 50
