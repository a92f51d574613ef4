import { skill } from '../../mock-server/pages/kit/markup.ts'
import type { LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'
import { sumOf } from './status.ts'
import { referenceOf, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

/** What records are grouped by. */
export interface Grouping {
  /** The parameter of an address. */
  readonly by: 'campaign' | 'package' | 'quiz'
  /** The same in a filter. */
  readonly field: 'campaign' | 'packageId' | 'quizId'
  readonly title: string
  readonly valuesOf: (group: LedgerGroup) => readonly string[]
}

export const GROUPINGS: readonly Grouping[] = [
  { by: 'campaign', field: 'campaign', title: 'Campaigns', valuesOf: ({ campaign }) => [campaign ?? []].flat() },
  { by: 'package', field: 'packageId', title: 'Packages', valuesOf: ({ packageId }) => [packageId ?? []].flat() },
  { by: 'quiz', field: 'quizId', title: 'Quizzes, alone and in packages', valuesOf: ({ quizIds }) => quizIds },
]

type Tally = readonly [value: string, groups: readonly LedgerGroup[]]

/** The records of each value. The most come first. */
export function talliesOf(groups: readonly LedgerGroup[], { valuesOf }: Grouping): readonly Tally[] {
  const found = new Map<string, LedgerGroup[]>()
  for (const group of groups) {
    for (const value of valuesOf(group)) found.set(value, [...(found.get(value) ?? []), group])
  }
  return [...found].toSorted(([, one], [, other]) => sumOf(other, '') - sumOf(one, ''))
}

/** What each value is called: by the first of its records that knows. A campaign is its own name. */
export async function titled(studio: Studio, { by }: Grouping, tallies: readonly Tally[]) {
  const samples = by === 'campaign' ? [] : tallies.flatMap(([, groups]) => groups.slice(0, 4).map(referenceOf))
  const records = await recordsBy(studio, samples.slice(0, 1000))
  return tallies.map(([value, groups]) => {
    const own = groups.flatMap(({ reference }) => records.get(reference) ?? [])
    const titles = own.map((record) => titleIn(record, by, value))
    return { value, groups, title: titles.find((title) => title !== value) ?? value }
  })
}

function titleIn(record: LedgerRecord, by: Grouping['by'], value: string): string {
  const { skillName, level } = record.invites.find(({ quizId }) => by === 'quiz' && quizId === value) ?? {}
  if (skillName) return skill({ skillName, level })
  /* A quiz is not called by its package. */
  return by === 'quiz' && record.packageId !== undefined ? value : titleOf(record)
}

/** These records, by their references. */
export async function recordsBy({ ledger }: Studio, references: readonly string[]) {
  const records = new Map<string, LedgerRecord>()
  for await (const record of ledger.list({ references: [...new Set(references)] }))
    records.set(record.reference, record)
  return records
}
