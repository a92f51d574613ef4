import type { Finding } from '../../src/ledger/index.ts'
import type { Format } from '../bulk/options/bulk-options.ts'
import { parseYesOrNo } from '../bulk/read/campaign-row.ts'
import { decode } from '../bulk/read/decoding.ts'
import { InexactNumber } from '../bulk/read/exact-json.ts'
import { readRecords } from '../bulk/read/file-format.ts'
import type { FileRecord, Records } from '../bulk/read/file-record.ts'
import { InputBytes } from '../bulk/read/input-bytes.ts'
import { textFault } from '../bulk/read/text-fault.ts'
import type { Io } from '../io.ts'
import { type Columns, columnsOf, type Field, refuseHeader } from './finding-columns.ts'
import type { GivenFinding } from './given-finding.ts'

/** A file of findings, and how it was read. */
export interface FindingFile {
  readonly name: string
  readonly format: Records['format']
  readonly encoding: string
  /** The first hundred unknown names. */
  readonly ignored: readonly string[]
  readonly rows: readonly GivenFinding[]
}

/** @param file a path, or `-` for stdin @throws CliError if it cannot be read */
export async function readFindingFile(
  io: Io,
  file: string,
  options: { readonly format?: Format; readonly encoding?: string; readonly skipInvalid?: boolean },
): Promise<FindingFile> {
  const bytes = new InputBytes(io, file, false)
  try {
    const text = await decode(bytes.read(), { encoding: options.encoding, showsData: () => io.stderr.isTTY })
    const records = await readRecords(text, options, 'certify invites resolve --help shows which')
    const { header } = records
    let names = header ?? []
    let columns = columnsOf(names, 'the header')
    if (header !== undefined) refuseHeader(columns)
    const ignored = new Set(columns.ignored)
    const rows: GivenFinding[] = []
    for await (const record of records.rows) {
      if (record.names.join('\n') !== names.join('\n')) {
        names = record.names
        columns = columnsOf(names, `row ${record.row}`)
        for (const name of columns.ignored) if (ignored.size < MOST_NAMES) ignored.add(name)
      }
      rows.push(toGivenFinding(record, columns))
    }
    const name = file === '-' ? 'stdin' : file
    return { name, format: records.format, encoding: text.encoding, ignored: [...ignored], rows }
  } finally {
    await bytes.close()
  }
}

const MOST_NAMES = 100

function toGivenFinding({ row, names, values, broken }: FileRecord, { places, twice }: Columns): GivenFinding {
  if (broken !== undefined) return { row, finding: undefined, faults: [broken] }
  const faults: string[] = twice.map((field) => `${field} occurs twice`)
  const read = (field: Field): string => {
    const place = places[field]
    const value = place === undefined ? '' : (values[place] ?? '')
    if (typeof value === 'string') return value.trim()
    if (field === 'created' && typeof value === 'boolean') return value ? 'yes' : 'no'
    if (field === 'invite_id' && isTexts(value)) return value.join(' ')
    const isNumber = typeof value === 'number' || value instanceof InexactNumber
    faults.push(`${field} must be a text${isNumber ? ' in quotes, not a number' : ''}`)
    return ''
  }
  if (values.slice(names.length).some((value) => value !== '')) {
    faults.push(names.length === 0 ? 'must be an object' : 'has more values than there are columns')
  }
  const [reference, email, quizId, packageId] = [read('reference'), read('email'), read('quiz_id'), read('package_id')]
  if (reference === '' && email === '' && faults.length === 0) faults.push('has neither a reference nor an email')
  const { finding, fault } = findingOf(read('created'), read('invite_id'))
  if (fault !== undefined && faults.length === 0) faults.push(fault)
  return {
    row,
    ...(reference !== '' && { reference }),
    ...(email !== '' && { email }),
    ...(quizId !== '' && { quizId }),
    ...(packageId !== '' && { packageId }),
    finding,
    faults,
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/* An empty cell says nothing, and is no fault: most likely nobody knows yet. */
function findingOf(
  created: string,
  ids: string,
): { readonly finding: Finding | undefined; readonly fault?: string | undefined } {
  const inviteIds = [...new Set(ids.split(/[\s,;]+/).filter((id) => id !== ''))]
  const wasCreated = created === '' ? inviteIds.length > 0 || undefined : parseYesOrNo(created)
  if (wasCreated === undefined) {
    return { finding: undefined, fault: created === '' ? undefined : 'created must be yes or no' }
  }
  if (!wasCreated) {
    const fault = inviteIds.length > 0 ? 'says that nothing was created, and has an invite_id' : undefined
    return { finding: { notCreated: true }, fault }
  }
  if (inviteIds.length === 0) return { finding: undefined, fault: 'was created, and its invite_id is missing' }
  const fault = inviteIds.map(textFault).find((each) => each !== undefined)
  return { finding: { created: inviteIds }, fault: fault && `invite_id ${fault}` }
}
