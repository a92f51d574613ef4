import { nearest } from '../spelling.ts'
import { CellFault, type Fault, saysNo } from '../table/faults.ts'
import type { FileRow } from '../table/file.ts'
import { headingKey } from '../table/headings.ts'
import { digitsOf, exactJson, isNumber } from '../table/json.ts'
import { rowCount } from '../terminal/text.ts'
import { cellOf, isOfTest, meansInvited, parseYesOrNo, type Subject, subjectOf } from '../vocabulary.ts'

/** What a file is for: people to invite, or invites that were made elsewhere. */
export type FilePurpose = 'invite' | 'import'

/** A condition of --only or --skip: what a column must say. */
export type Condition = readonly [heading: string, value: string]

export interface Conditions {
  readonly only?: readonly Condition[]
  readonly skip?: readonly Condition[]
}

/** A column: each of its values, how many rows have it, and the first of them. */
export interface Column {
  readonly name: string
  readonly values: ReadonlyMap<string, Said>
}

interface Said {
  count: number
  readonly row: number
}

/** The columns of rows, with what they say. */
export function columnsOf(rows: readonly FileRow[], isWanted: (name: string) => boolean): readonly Column[] {
  const found = new Map<string, Map<string, Said>>()
  for (const { row, names, values } of rows) {
    for (const [index, name] of names.entries()) {
      if (!isWanted(name)) continue
      const column = found.get(name) ?? new Map<string, Said>()
      const text = textOf(values[index])
      const said = column.get(text) ?? { count: 0, row }
      said.count += 1
      found.set(name, column.set(text, said))
    }
  }
  return [...found].map(([name, said]) => ({ name, values: said }))
}

export function textOf(value: unknown): string {
  if (isNumber(value)) return digitsOf(value)
  if (typeof value === 'string' || typeof value === 'boolean') return String(value).trim()
  if (value instanceof CellFault) return String(value)
  return value === undefined || value === null ? '' : exactJson(value)
}

/** The rows that --only and --skip want, and the conditions that seem to be mistyped, because no row meets them. */
export function wanted(
  rows: readonly FileRow[],
  { only = [], skip = [] }: Conditions,
): { readonly kept: readonly FileRow[]; readonly faults: readonly Fault[] } {
  const [required, unwanted] = [only.map(matcher), skip.map(matcher)]
  /* Two values for one heading are alternatives. */
  const needed = [...new Set(required.map(({ key }) => key))].map((key) => required.filter((each) => each.key === key))
  const kept = rows.filter((row) => {
    /* All are asked, so that each knows what it has met. */
    const isLeftOut = unwanted.map(({ isMet }) => isMet(row)).includes(true)
    return !needed.map((each) => each.map(({ isMet }) => isMet(row)).includes(true)).includes(false) && !isLeftOut
  })
  const used = new Set([...required, ...unwanted].flatMap(({ hits }) => [...hits]))
  const unmet = needed.flatMap((each) => (each.every(({ hits }) => hits.size === 0) ? each.slice(0, 1) : []))
  const faults = [...unmet, ...unwanted].flatMap((each): readonly Fault[] => {
    const [heading, value] = each.condition
    const [column] = columnsOf(rows, (name) => headingKey(name) === each.key)
    if (each.hits.size > 0 || column === undefined) return []
    /* A list without a "Rejected" this week is none to stop for, unless it has a similar value. */
    const others = [...column.values.keys()].flatMap((text) => (used.has(text) ? [] : headingKey(text)))
    const isNear = value.length >= MIN_NEAR_LENGTH && nearest(headingKey(value), others, NEAR) !== undefined
    if (!isNear && !unmet.includes(each)) return []
    const message = `no row has "${value}" in "${heading}", which has ${valuesText(column.values)}.`
    return [{ message, hint: 'Give a value as it is in the file.' }]
  })
  return { kept, faults }
}

const MIN_NEAR_LENGTH = 4
const NEAR = 0.3

function matcher(condition: Condition) {
  const [heading, value] = condition
  const [key, subject, hits, misses] = [headingKey(heading), subjectOf(heading), new Set<string>(), new Set<string>()]
  let [names, place]: [readonly string[], number] = [[], -1]
  const isMet = (row: FileRow): boolean => {
    /* The rows of a table share their names. A row of JSON without the key has an empty value. */
    if (row.names !== names) place = row.names.findIndex((name) => headingKey(name) === key)
    names = row.names
    const text = textOf(row.values[place])
    if (!hits.has(text) && !misses.has(text)) (holds(subject, text, value) ? hits : misses).add(text)
    return hits.has(text)
  }
  return { condition, key, hits, isMet }
}

function holds(subject: Subject | undefined, text: string, value: string): boolean {
  if (text.toLowerCase() === value.trim().toLowerCase()) return true
  const said = parseYesOrNo(value)
  if (said === undefined) return false
  /* Under "Withdrawn", a date or a reason is a yes. */
  if (isByHeading(subject)) return cellOf(text) !== 'blank' && said !== isPlainNo(text)
  return subject === 'yes' ? cellOf(text) === (said ? 'yes' : 'no') : parseYesOrNo(text) === said
}

const isPlainNo = (text: string) => cellOf(text) === 'no' && text.split(/\s+/).length <= 2
/* Whether whatever is in the cells says no. */
const isByHeading = (subject: Subject | undefined) => subject === 'no' || subject === 'already'

/** Judges the cells of columns that are not read otherwise. @param count of the rows */
export function judge(
  columns: readonly Column[],
  count: number,
  { only = [], skip = [], purpose = 'invite', isUnattended = false }: JudgeOptions,
): readonly Fault[] {
  return columns.flatMap((column) => {
    const { name, values } = column
    const [isChosen, isDecided] = [only, [...only, ...skip]].map((all) =>
      all.some(([heading]) => headingKey(heading) === headingKey(name)),
    )
    const subject = subjectOf(name, values.keys())
    const isNo = (purpose === 'import' ? notInvited : notToInvite)(column, subject)
    const no = new Map([...values].filter(([text]) => isNo(text)))
    const isHeadingAlone = isByHeading(subject) && countOf(no) === count && [...no.keys()].every(isOther)
    /* --only has named what it keeps. */
    if (isChosen === true || (isHeadingAlone && !isUnattended)) return []
    if (no.size > 0) return stopOf(column, subject, no, { purpose, isUnattended, isHeadingAlone })
    const isOpen = purpose === 'invite' && isUnattended && isDecided !== true
    return isOpen && mayDecide(subject, [...values.keys()]) ? unnamed(column) : []
  })
}

const isOther = (text: string) => ['other', 'no'].includes(cellOf(text))

interface JudgeOptions extends Conditions {
  /** Of an import, it is about who was not invited. */
  readonly purpose?: FilePurpose
  /** Whether nobody reads the plan: then a status must be named, and a heading alone stops. */
  readonly isUnattended?: boolean
}

type How = Pick<Required<JudgeOptions>, 'purpose' | 'isUnattended'> & { readonly isHeadingAlone: boolean }
type Judge = (text: string) => boolean

function notToInvite({ name, values }: Column, subject: Subject | undefined): Judge {
  if (subject === 'other') return () => false
  /* "Exams failed" has numbers. */
  const isCount = [...values.keys()].some((text) => /^[2-9]$|^\d\d\d?$/.test(text))
  if (subject === 'no') return (text) => cellOf(text) !== 'blank' && !isPlainNo(text) && !isCount
  if (subject === 'already') return (text) => !['blank', 'no'].includes(cellOf(text))
  if (subject === 'status' && isOfTest(name)) return (text) => cellOf(text) === 'leave-out' || meansInvited(text)
  if (subject !== 'yes') return (text) => ['leave-out', 'invited'].includes(cellOf(text))
  /* A column "Invite" with a tick anywhere means it: its blanks are a no, whatever the tick is. */
  const ticks = new Set([...values.keys()].map(cellOf).filter((cell) => cell === 'yes' || cell === 'other'))
  const tick = ticks.has('yes') ? 'yes' : 'other'
  return (text) => (cellOf(text) === 'blank' ? ticks.size > 0 : cellOf(text) !== tick)
}

/* Only values that are known to mean an invite are recorded. */
function notInvited({ name }: Column, subject: Subject | undefined): Judge {
  if (subject === 'status' && !/result|outcome/i.test(name)) return (text) => !meansInvited(text)
  return (text) => subject === 'already' && ['blank', 'no'].includes(cellOf(text))
}

/* Whether only a person knows which of its values are meant. */
function mayDecide(subject: Subject | undefined, texts: readonly string[]): boolean {
  if (subject === 'yes')
    return texts.length <= MAX_VALUES && new Set(texts.map(cellOf)).has('other') && texts.length > 1
  return subject === 'status' && texts.length > 1
}

/** More values than this are not listed. */
export const MAX_VALUES = 8
const MAX_VALUE_LENGTH = 40

/** Values with their counts, in the order of the file. */
export function valuesText(values: Column['values']): string {
  const all = [...values].slice(0, MAX_VALUES).map(([text, { count }]) => `${shown(text)} ${count}`)
  return all.join(', ') + (values.size > MAX_VALUES ? ', …' : '')
}

export const shown = (text: string) => (text === '' ? 'blank' : text.slice(0, MAX_VALUE_LENGTH))

function countOf(values: Column['values']): number {
  return [...values.values()].reduce((sum, { count }) => sum + count, 0)
}

function unnamed({ name, values }: Column): Fault {
  const only = inQuotes(flags('--only', name, [...values.keys()].slice(0, MAX_VALUES)))
  const message = `the column "${name}" may say who is meant, and nobody reads the plan: ${valuesText(values)}.`
  const ignored = `or, if it says something else, give --map "${name}=ignore"`
  return saysNo(message, `Name whom to invite, as in ${only}; or leave some out with --skip; ${ignored}.`)
}

function stopOf({ name, values }: Column, subject: Subject | undefined, no: Column['values'], how: How): Fault {
  const { purpose, isHeadingAlone } = how
  const count = countOf(no)
  const [isImport, isOne] = [purpose === 'import', count === 1]
  const has = isImport ? `${isOne ? 'was' : 'were'} not invited` : `${isOne ? 'has' : 'have'} an invite`
  const says = isImport || subject === 'already' ? `that ${rowCount(count)} ${has}` : `not to invite ${rowCount(count)}`
  const [{ row } = { row: 0 }] = no.values()
  /* Under a heading that decides, the cells are dates and reasons, or yes and no. */
  const what = isByHeading(subject) || subject === 'yes' ? '' : `: ${valuesText(no)}`
  const keep = ['--map', `${name}=ignore`] as const
  const leave = isHeadingAlone ? [] : leaveOut({ name, values }, subject, no, how)
  const too = `${isImport ? 'record' : 'invite'} them too`
  const record = subject === 'already' && !isImport ? 'Record their invites with `certify ledger import`. ' : ''
  const isLong = leave.length === 0 || leave.length > 2 * MAX_VALUES
  const left = isLong ? 'If it does not mean that, give' : `Leave them out with ${inQuotes(leave)}, or ${too} with`
  return saysNo(
    `the column "${name}" says ${says}; the first is row ${row}${what}.`,
    `${record}${left} ${inQuotes(keep)}.`,
    [...(isLong ? [] : [['leave them out', ...leave] as const]), [too, ...keep]],
  )
}

/* By the list of people to invite where it is shorter, and where a new value would be noticed by nobody. */
function leaveOut(
  { name, values }: Column,
  subject: Subject | undefined,
  no: Column['values'],
  how: How,
): readonly string[] {
  if (isByHeading(subject) && how.purpose === 'invite') return flags('--skip', name, ['yes'])
  const others = [...values.keys()].filter((text) => !no.has(text))
  if (others.length === 0) return flags('--skip', name, [...no.keys()])
  if (subject === 'yes' && others.every((text) => cellOf(text) === 'yes')) return flags('--only', name, ['yes'])
  const isListed = others.length < no.size || (how.isUnattended && subject === 'status')
  return isListed ? flags('--only', name, others) : flags('--skip', name, [...no.keys()])
}

/** A flag for each value of a column. */
export function flags(flag: string, name: string, values: readonly string[]): readonly string[] {
  return values.flatMap((value) => [flag, `${name}=${value}`])
}

const inQuotes = (words: readonly string[]) =>
  words.map((word) => (word.startsWith('--') ? word : `"${word.replaceAll(/["$`\\]/g, '\\$&')}"`)).join(' ')
