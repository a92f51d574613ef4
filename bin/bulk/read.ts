import type { CampaignRow } from '../../src/campaign/index.ts'
import type { Io } from '../io.ts'
import { fileError } from '../table/faults.ts'
import { columnChoices, type FileRow, readRowFile, type RowFile } from '../table/file.ts'
import { type Columns, headingKey } from '../table/headings.ts'
import {
  columnsReader,
  ERROR_COLUMN,
  type Field,
  mayBeName,
  refuseBesideList,
  refuseHeader,
  refuseMissing,
  refuseNearMisses,
  type RowOptions,
} from './columns.ts'
import { wantedBy, refuseDecisions, type YesNoColumn } from './decisions.ts'

/** A file of candidates. */
export interface CandidateFile<Row = CampaignRow> {
  readonly file: Omit<RowFile, 'rows'>
  /** What its names mean, and the names without a meaning. */
  readonly meanings: ReadonlyMap<string, Field>
  readonly ignored: readonly string[]
  /** The ignored columns of yes and no. */
  readonly yesNo: readonly YesNoColumn[]
  /** The number of rows that --only or --skip left out. */
  readonly leftOut: number
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
 * @throws CliError if it cannot be read, or its columns cannot be understood
 */
export async function readCandidates<Row>(
  io: Io,
  path: string,
  options: RowOptions,
  keeps: boolean,
  toRow: (row: FileRow, columns: Columns<Field>, options: RowOptions) => Row,
): Promise<CandidateFile<Row>> {
  const columnsOf = columnsReader(options)
  const { rows: all, ...file } = await readRowFile(io, path, {
    ...options,
    isHeader: (names) => columnsOf(names).places.email !== undefined,
    refuseBeside: (names) => refuseBesideList(names, options),
  })
  if (file.header !== undefined) refuseHeader(file.header, columnsOf(file.header), options, all)
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
    refuseNearMisses(columns, `row ${row}`, options)
    for (const [field, place] of Object.entries(columns.places)) known.set(names[place] ?? '', field as Field)
    for (const name of columns.ignored) if (headingKey(name) !== headingKey(ERROR_COLUMN)) ignored.add(name)
    return columns
  }
  all.forEach(columnsFor)
  if (all.length > 0) refuseMissing([...(file.header ?? []), ...known.keys(), ...ignored], options)
  const rows = options.only === undefined && options.skip === undefined ? all : all.filter(wantedBy(options))
  const mapped = new Set((options.map ?? []).map(([heading]) => headingKey(heading)))
  const unread = [...ignored].filter((name) => !mapped.has(headingKey(name)))
  const yesNo = refuseDecisions(rows, unread, options.purpose)
  if (options.isGuided === true) askAboutColumns(new Set(known.values()), unread, yesNo, options)
  return {
    file,
    meanings: known,
    ignored: [...ignored],
    yesNo,
    leftOut: all.length - rows.length,
    count: rows.length,
    originals: keeps ? rows : [],
    rows: drained(rows.toReversed(), (row) => toRow(row, columnsFor(row), options)),
  }
}

/* A name cannot be corrected later, and a column of yes and no may be about contact. */
function askAboutColumns(
  known: ReadonlySet<Field>,
  unread: readonly string[],
  yesNo: readonly YesNoColumn[],
  { only = [], skip = [] }: RowOptions,
): void {
  const names = known.has('name') || known.has('first_name') ? [] : unread.filter(mayBeName)
  if (names[0] !== undefined) {
    const none = names.flatMap((name) => ['--map', `${name}=ignore`])
    const choices = [...columnChoices(names, 'name'), ['none of them: invite without names', ...none] as const]
    throw fileError('which column has the names?', `Say it with --map "${names[0]}=name".`, choices)
  }
  const decided = new Set([...only, ...skip].map(([heading]) => headingKey(heading)))
  const column = yesNo.find(({ name }) => !decided.has(headingKey(name)))
  if (column === undefined) return
  const { name, yes, no } = column
  throw fileError(`the column "${name}" has ${yes} yes and ${no} no.`, `Say what it is: --map "${name}=ignore".`, [
    ['it does not decide who is invited', '--map', `${name}=ignore`],
    ['invite only those with yes', '--only', `${name}=yes`],
    ['leave out those with yes', '--skip', `${name}=yes`],
  ])
}

function* drained<Row>(rest: FileRow[], toRow: (row: FileRow) => Row): Generator<Row> {
  for (let row = rest.pop(); row !== undefined; row = rest.pop()) yield toRow(row)
}
