import type { CampaignRow } from '../../src/campaign/index.ts'
import type { Io } from '../io.ts'
import { type Fault, fileError, refuse, saysNo } from '../table/faults.ts'
import { columnChoices, type FileRow, isAddress, readRowFile, type RowFile } from '../table/file.ts'
import { type Columns, headingKey } from '../table/headings.ts'
import { rowCount } from '../terminal/text.ts'
import {
  columnsReader,
  ERROR_COLUMN,
  type Field,
  headerFaults,
  isReport,
  mayBeName,
  nearMisses,
  refuseBesideList,
  refuseMissing,
  type RowOptions,
} from './columns.ts'
import {
  type Column,
  columnsOf as columnsIn,
  judge,
  shown,
  valuesText,
  MAX_VALUES,
  textOf,
  wanted,
} from './decisions.ts'
import { cellOf, subjectOf } from '../vocabulary.ts'

/** A file of candidates. */
export interface CandidateFile<Row = CampaignRow> {
  readonly file: Omit<RowFile, 'rows'>
  /** What its names mean, and the names without a meaning. */
  readonly meanings: ReadonlyMap<string, Field>
  readonly ignored: readonly string[]
  /** The ignored columns whose values a person should see. */
  readonly unused: readonly Column[]
  /** Those with other addresses, as in "Work e-mail" (3 addresses, 1 differs). */
  readonly otherAddresses: readonly string[]
  /** The number of rows that --only or --skip left out. */
  readonly leftOut: number
  /** The number of rows below the last candidate that are no candidates. */
  readonly footers: number
  readonly count: number
  /** Can be read once: each row is let go as it is read, because a large file fits in the memory only once. */
  readonly rows: Iterable<Row>
  /** The rows as they are in the file, if they are kept. */
  readonly originals: readonly FileRow[]
}

/**
 * Reads a file of candidates.
 *
 * @param keeps whether its original rows are needed later
 * @param toRow reads one of them
 * @throws CliError if it cannot be read, its columns cannot be understood, or it says not to invite somebody
 */
export async function readCandidates<Row>(
  io: Io,
  path: string,
  options: RowOptions,
  keeps: boolean,
  toRow: (row: FileRow, columns: Columns<Field>, options: RowOptions) => Row,
): Promise<CandidateFile<Row>> {
  const columnsOf = columnsReader(options)
  const { rows: found, ...file } = await readRowFile(io, path, {
    ...options,
    isHeader: (names) => columnsOf(names).places.email !== undefined,
    refuseBeside: (names) => refuseBesideList(names, options),
  })
  const { purpose = 'invite', only = [], skip = [], map = [] } = options
  const faults: Fault[] = []
  const known = new Map<string, Field>()
  const names = new Set<string>()
  /* A table has one kind of row, JSON may have many. */
  const kinds = new Map<string, Columns<Field>>()
  const columnsFor = ({ row, names: present }: FileRow): Columns<Field> => {
    const kind = file.header === undefined ? present.join('\n') : ''
    const seen = kinds.get(kind)
    if (seen !== undefined) return seen
    const columns = columnsOf(present)
    kinds.set(kind, columns)
    if (file.header === undefined) faults.push(...nearMisses(columns, `row ${row}`, options))
    for (const [field, place] of Object.entries(columns.places)) known.set(present[place] ?? '', field as Field)
    for (const name of columns.ignored) if (headingKey(name) !== headingKey(ERROR_COLUMN)) names.add(name)
    return columns
  }
  found.forEach(columnsFor)
  if (found.length > 0 || file.header !== undefined)
    refuseMissing([...(file.header ?? []), ...known.keys(), ...names], options)
  if (file.header !== undefined) faults.push(...headerFaults(file.header, columnsOf(file.header), options, found))
  const { kept, faults: unmet } = wanted(found, options)
  const all = file.header === undefined ? kept : withoutFooters(kept)
  const mapped = new Set(map.map(([heading]) => headingKey(heading)))
  const columns = columnsIn(all, (name) => names.has(name))
  const unread = columns.filter(({ name }) => !mapped.has(headingKey(name)))
  const decided = new Set([...only, ...skip].map(([heading]) => headingKey(heading)))
  const said = judge(unread, all.length, options)
  const isUnknownReport =
    purpose === 'invite' && isReport(file.header ?? []) && !decided.has('status') && !mapped.has('status')
  faults.push(
    ...unmet,
    ...hiddenFaults(file.sheet, options),
    ...(file.header === undefined ? [] : sectionFaults(all)),
    ...(isUnknownReport ? [REPORT] : said),
  )
  refuse(faults)
  const unused = unread.filter((each) => isShown(each, all.length))
  if (options.isGuided === true) {
    askAboutNames(known, unread)
    askWhoIsMeant(
      unused.filter(({ name }) => !decided.has(headingKey(name))),
      all.length,
    )
  }
  return {
    file,
    meanings: known,
    ignored: [...names],
    unused,
    otherAddresses: otherAddresses(unread, all, columnsOf(file.header ?? []).places.email),
    leftOut: found.length - kept.length,
    footers: kept.length - all.length,
    count: all.length,
    originals: keeps ? all : [],
    rows: consume(all.toReversed(), (row) => toRow(row, columnsFor(row), options)),
  }
}

const REPORT = saysNo(
  'the file is a report of bulk: most of its rows have an invite.',
  'To resume, give the file that it was made from. Or invite those left: --only "status=failed" --only "status=refused".',
)

/* Rows that are hidden, filtered or struck through may be meant to be left out. */
function hiddenFaults(sheet: RowFile['sheet'], { hidden }: RowOptions): readonly Fault[] {
  if (sheet === undefined || sheet.hiddenRows.length === 0 || hidden !== undefined) return []
  const rows = sheet.hiddenRows
  const which = `${rows.slice(0, 5).join(', ')}${rows.length > 5 ? ' and more' : ''}`
  const are = rows.length === 1 ? 'row is' : 'rows are'
  const message = `${rows.length} ${are} hidden or struck through in the sheet "${sheet.name}": ${which}.`
  return [
    saysNo(message, 'Give --hidden include to invite them too, or --hidden skip to leave them out.', [
      ['leave them out', '--hidden', 'skip'],
      ['invite them too', '--hidden', 'include'],
    ]),
  ]
}

/* The place of a row's only value, or of the word "Total", if it has no address: the row is no candidate. */
function loneIn({ values }: FileRow): number | undefined {
  const [place, ...others] = values.flatMap((value, at) => (textOf(value) === '' ? [] : [at]))
  const text = textOf(values[place ?? 0]).slice(0, MAX_TEXT_LENGTH)
  const isLone =
    others.length === 0 ? !/@|^\S+ ?[[(]?at[\])]? ?\S+$/i.test(text) : TOTAL.test(text) && !hasAddress({ values })
  return isLone ? place : undefined
}

const MAX_TEXT_LENGTH = 320
const TOTAL = /^(grand )?(total|sum|count|gesamt|anzahl|razem|итого|合計|总计|합계)/i

/* Below the last candidate, a report has totals and notes. */
function withoutFooters(rows: readonly FileRow[]): readonly FileRow[] {
  const last = rows.findLastIndex((row) => loneIn(row) === undefined)
  return rows.some(hasAddress) ? rows.slice(0, last + 1) : rows
}

const hasAddress = ({ values }: Pick<FileRow, 'values'>) => values.some((value) => textOf(value).includes('@'))

/* Above candidates, a row such as "Rejected" is a title. */
function sectionFaults(rows: readonly FileRow[]): readonly Fault[] {
  const titles = rows.some(hasAddress) ? rows.filter((row) => loneIn(row) !== undefined) : []
  return titles.slice(0, MAX_SECTIONS).map((row) => {
    const place = loneIn(row) ?? 0
    const text = textOf(row.values[place])
    const skip = `${row.names[place] ?? ''}=${text}`
    return saysNo(
      `row ${row.row} has only "${text.slice(0, 40)}": it may be about the rows below it.`,
      `Put it into a column of its own, or, if it says nothing about them, give --skip "${skip}".`,
      [['it says nothing about the rows below it', '--skip', skip]],
    )
  })
}

const MAX_SECTIONS = 5

/* Other addresses, and in how many rows they differ from the one that is used. */
function otherAddresses(columns: readonly Column[], rows: readonly FileRow[], used = -1): readonly string[] {
  const others = columns.filter(({ values }) => [...values.keys()].some(isAddress))
  return others.map(({ name }) => {
    const pairs = rows.map((row) =>
      [row.values[row.names.indexOf(name)], row.values[used]].map((each) => textOf(each).toLowerCase()),
    )
    const filled = pairs.filter(([text]) => text !== '')
    const differ = filled.filter(([text, other]) => text !== other).length
    const count = `${filled.length} ${filled.length === 1 ? 'address' : 'addresses'}`
    return `"${name}" (${count}, ${differ} ${differ === 1 ? 'differs' : 'differ'})`
  })
}

/* A person decides in any language. */
function isShown({ name, values }: Column, rows: number): boolean {
  const subject = subjectOf(name)
  if (subject === 'status') return values.size > 1 || !values.has('')
  if (subject === 'no' || subject === 'already') return [...values.keys()].some((text) => cellOf(text) === 'other')
  return values.size > 1 && values.size <= MAX_VALUES && values.size < rows
}

/* A name cannot be corrected later. */
function askAboutNames(known: ReadonlyMap<string, Field>, unread: readonly Column[]): void {
  const fields = new Set(known.values())
  const likely = unread.map(({ name }) => name).filter(mayBeName)
  const names = fields.has('name') || fields.has('first_name') ? [] : likely
  if (names[0] === undefined) return
  const none = names.flatMap((name) => ['--map', `${name}=ignore`])
  const choices = [...columnChoices(names, 'name'), ['none of them: invite without names', ...none] as const]
  throw fileError('which column has the names?', `Say it with --map "${names[0]}=name".`, choices)
}

/* Only a person knows what the other columns mean. */
function askWhoIsMeant(open: readonly Column[], count: number): void {
  if (open.length === 0) return
  const said = open.map(({ name, values }) => `"${name}": ${valuesText(values)}`).join('; ')
  const all = open.flatMap(({ name }) => ['--map', `${name}=ignore`])
  const each = open.flatMap(({ name, values }) =>
    [...values].map(
      ([text, found]) =>
        [`leave out ${found.count} with "${name}": ${shown(text)}`, '--skip', `${name}=${text}`] as const,
    ),
  )
  const message = `${rowCount(count)} will be invited, whatever these columns say: ${said}.`
  throw fileError(message, 'Say whom to leave out with --skip.', [['right, invite all of them', ...all], ...each])
}

function* consume<Row>(rest: FileRow[], toRow: (row: FileRow) => Row): Generator<Row> {
  for (let row = rest.pop(); row !== undefined; row = rest.pop()) yield toRow(row)
}
