import { nearest } from '../../spelling.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import { FIELDS, type Field } from '../options/fields.ts'
import { fileError } from './file-error.ts'
import { fieldOf, headingKey, headingsOf, isLikeAddress, isSurnameBeside } from './heading-names.ts'

export interface Columns {
  readonly places: Readonly<Partial<Record<Field, number>>>
  /** The names without a meaning. */
  readonly ignored: readonly string[]
  /** Those of them that no flag names. */
  readonly unknown: readonly string[]
  /** Fields that more than one column means. */
  readonly twice: readonly Field[]
}

/** The column with the reason in a file of rows to fix. It is ignored when that file is read again. */
export const ERROR_COLUMN = 'certify_error'

export function isErrorColumn(name: string): boolean {
  return headingKey(name) === headingKey(ERROR_COLUMN)
}

type HeadingFlags = Pick<BulkOptions, 'map' | 'profileMap' | 'ignoreColumn'>

/** What names mean: by `--map` and the profile, or else by themselves. */
export function columnsOf(names: readonly string[], flags: HeadingFlags): Columns {
  const { map = [], profileMap = [], ignoreColumn = [] } = flags
  const places: Partial<Record<Field, number>> = {}
  const ignored: string[] = []
  const unknown: string[] = []
  const twice: Field[] = []
  const ignoredKeys = new Set(ignoreColumn.map(headingKey))
  /* A flag overrides the profile, for its heading and for its field. */
  const ofProfile = profileMap.filter(
    ({ heading, field }) => !ignoredKeys.has(headingKey(heading)) && map.every((flag) => flag.field !== field),
  )
  const meanings = new Map([...ofProfile, ...map].map(({ heading, field }) => [headingKey(heading), field]))
  const mapped = new Set(names.map((name) => meanings.get(headingKey(name))))
  for (const [index, name] of names.entries()) {
    if (isErrorColumn(name)) continue
    const byFlag = meanings.get(headingKey(name))
    const isNamed = byFlag === undefined && ignoredKeys.has(headingKey(name))
    const byName = isNamed ? undefined : fieldOf(name)
    const field = byFlag ?? (mapped.has(byName) ? undefined : byName)
    if (field === undefined) {
      ignored.push(name)
      if (!isNamed && byName === undefined) unknown.push(name)
    } else if (places[field] === undefined) places[field] = index
    else twice.push(field)
  }
  return { places: mapped.has('name') ? places : withSurname(places, names), ignored, unknown, twice }
}

function withSurname(places: Columns['places'], names: readonly string[]): Columns['places'] {
  const { name, first_name: first, last_name: last, ...others } = places
  if (name === undefined || first === undefined || last !== undefined) return places
  if (!isSurnameBeside(names[name] ?? '', names[first] ?? '')) return places
  return { ...others, first_name: first, last_name: name }
}

/** The field that a name may be meant for, if the file has no other name for it. */
export function nearField(name: string, places: Columns['places']): Field | undefined {
  const word = headingKey(name)
  if (word.length > LONGEST_NAME) return undefined
  const unused = new Set(FIELDS.filter((field) => places[field] === undefined))
  const near = nearest(word, headingsOf(unused), CLEARLY_NEAR)
  return near === undefined ? undefined : fieldOf(near)
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
  const columns = columnsOf(header, options)
  const { places, unknown, twice } = columns
  const near = (name: string) => (unknown.includes(name) ? nearField(name, places) : undefined)
  refuseMissing(header, options)
  if (places.email === undefined) throw withoutAddress(header, unknown, near)
  if (twice.length > 0) {
    const names = header.filter((name) => twice.some((field) => columnsOf([name], options).places[field] === 0))
    throw fileError(
      `several columns mean ${twice.join(', ')}: ${quotedNames(names)}.`,
      `Keep one of them, or say which: ${flagsFor(names[0] ?? '', twice[0] ?? 'email')}.`,
    )
  }
  if (options.strictHeaders === true && unknown.length > 0) {
    throw fileError(
      `--strict-headers: unknown columns: ${quotedNames(unknown.slice(0, 30), near)}.`,
      `Known are ${FIELDS.join(', ')}, and similar names.`,
    )
  }
  refuseNearMisses(columns, 'the header')
  if (
    places.quiz_id === undefined &&
    places.package_id === undefined &&
    (options.quizId ?? options.packageId) === undefined
  ) {
    throw fileError(
      'no column says what to invite to.',
      'Add a column "quiz_id" or "package_id", name the one that has it with --map "Heading=quiz_id", or give --quiz-id or --package-id for all rows.',
    )
  }
}

/** Refuses misspelt names of fields that decide who is invited to what. @throws CliError */
export function refuseNearMisses({ places, unknown }: Columns, where: string): void {
  const near = (name: string) => {
    const field = nearField(name, places)
    return field !== undefined && DECIDING.has(field) ? field : undefined
  }
  const misses = unknown.filter((name) => near(name) !== undefined)
  const [first] = misses
  if (first === undefined) return
  throw fileError(
    `${where} has ${quotedNames(misses.slice(0, 30), near)}.`,
    `Correct it, or say what it is: ${flagsFor(first, near(first) ?? 'email')}.`,
  )
}

const DECIDING: ReadonlySet<Field> = new Set(['email', 'quiz_id', 'package_id', 'callback_url'])

/** Refuses a heading of `--map` that the file does not have. @throws CliError */
export function refuseMissing(names: Iterable<string>, { map = [] }: HeadingFlags): void {
  const keys = new Set([...names].map(headingKey))
  const missing = map.map(({ heading }) => heading).filter((heading) => !keys.has(headingKey(heading)))
  if (missing.length === 0) return
  throw fileError(
    `--map: the file has no column ${quotedNames(missing)}.`,
    'Give the headings as they are in the file.',
  )
}

function withoutAddress(
  header: readonly string[],
  unknown: readonly string[],
  near: (name: string) => Field | undefined,
) {
  const likely = unknown.filter(isLikeAddress)
  const [first] = likely
  if (header.some((name) => name.includes('@'))) {
    const found = 'its first line has an address, so it seems to be a candidate already'
    return fileError(`no column is the e-mail address; ${found}.`, TEMPLATE)
  }
  const found = `no column is the e-mail address; found: ${quotedNames(header.slice(0, 30), near)}.`
  if (first === undefined) return fileError(found, TEMPLATE)
  if (likely.length === 1) return fileError(found, `Say what it is: --map "${first}=email". ${TEMPLATE}`)
  return fileError(
    `several columns may be the e-mail address: ${quotedNames(likely)}.`,
    `Say which: ${flagsFor(first, 'email', false)}.`,
  )
}

const TEMPLATE = 'The first line has to name the columns, one of them "email": certify bulk template shows how.'

function flagsFor(name: string, field: Field, mayIgnore = true): string {
  return `--map "${name}=${field}"${mayIgnore ? ` or --ignore-column "${name}"` : ''}`
}
