import { nearest } from '../spelling.ts'
import type { Fault } from './faults.ts'

/** What headings mean. The key is the field, the value its usual headings without case, accents and spaces. */
export type HeadingTable<Field extends string> = Readonly<Partial<Record<Field, string>>>

export interface Columns<Field extends string> {
  /** The place of each field. */
  readonly places: Readonly<Partial<Record<Field, number>>>
  /** The names without a meaning. */
  readonly ignored: readonly string[]
  /** The ignored names that no flag said to ignore. */
  readonly unknown: readonly string[]
  /** Fields that more than one column means. */
  readonly twice: readonly Field[]
}

/** The key that compares headings: without case, accents, spaces and punctuation. */
export function headingKey(heading: string): string {
  /* Too long for a heading, and normalizing takes quadratic time. */
  if (heading.length > MAX_HEADING_LENGTH) return heading
  const key = heading
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return key || heading.trim()
}

const MAX_HEADING_LENGTH = 200
/* A less similar name is usually a different one: username is not surname. */
const CLEARLY_NEAR = 0.2
const MAX_NEAR_LENGTH = 50

/* Forms and applicant tracking systems say whose: "Candidate: First name", "Your full name". */
const ABOUT =
  /^(candidates?|applicants?|(whats?(is)?)?your|invitees?|person|learners?|students?|employees?|kandidat|bewerber|candidato?|kandidaat|候補者|応募者)/
/* As in "Invite (Y/N)", "E-mail [Required]". */
const CHOICE = /(yn|yesno|jn|janein|ouinon|sino|sn|simnao|jnee|janee|required|readonly)$/

/** The headings of a kind of file. */
export class Headings<Field extends string> {
  readonly fields: readonly Field[]
  readonly #fieldOf: ReadonlyMap<string, Field>

  constructor(table: HeadingTable<Field>) {
    this.fields = Object.keys(table) as Field[]
    this.#fieldOf = new Map(
      this.fields.flatMap((field) => (table[field] ?? '').split(' ').map((name) => [headingKey(name), field] as const)),
    )
  }

  fieldOf(heading: string): Field | undefined {
    const key = headingKey(heading.replace(LETTER, ''))
    const field = this.#fieldOf.get(key)
    if (field !== undefined || key.length > MAX_NEAR_LENGTH) return field
    return this.#fieldOf.get(key.replace(ABOUT, '')) ?? this.#fieldOf.get(key.replace(ABOUT, '').replace(CHOICE, ''))
  }

  /**
   * The fields that names mean.
   *
   * @param meanings by the key of the heading, overriding the table. `undefined`: the heading is ignored
   */
  columnsOf(names: readonly string[], meanings: ReadonlyMap<string, Field | undefined> = new Map()): Columns<Field> {
    const places: Partial<Record<Field, number>> = {}
    const [ignored, unknown, twice]: [string[], string[], Field[]] = [[], [], []]
    const mapped = new Set(names.map((name) => meanings.get(headingKey(name))))
    for (const [index, name] of names.entries()) {
      const key = headingKey(name)
      const byName = meanings.has(key) ? undefined : this.fieldOf(name)
      const field = meanings.get(key) ?? (mapped.has(byName) ? undefined : byName)
      if (field === undefined) {
        ignored.push(name)
        if (!meanings.has(key) && byName === undefined) unknown.push(name)
      } else if (places[field] === undefined) places[field] = index
      else twice.push(field)
    }
    return { places, ignored, unknown, twice }
  }

  /** The field that a name may be meant for, if the file has no other name for it. */
  near(name: string, places: Columns<Field>['places']): Field | undefined {
    const word = headingKey(name)
    if (word.length > MAX_NEAR_LENGTH) return undefined
    const unused = [...this.#fieldOf].flatMap(([heading, field]) => (places[field] === undefined ? [heading] : []))
    return this.#fieldOf.get(nearest(word, unused, CLEARLY_NEAR) ?? '')
  }

  /** Misspelt names of the fields that decide. */
  nearMisses({ places, unknown }: Columns<Field>, deciding: readonly Field[], where: string): readonly Fault[] {
    return unknown.flatMap((name) => {
      const field = this.near(name, places)
      if (field === undefined || !deciding.includes(field)) return []
      const [is, isNot] = [`${name}=${field}`, `${name}=ignore`]
      return {
        message: `${where} has "${name}" (did you mean ${field}?).`,
        hint: `Correct it, or say what it is: --map "${is}" or --map "${isNot}".`,
        choices: [
          [`yes, it is ${field}`, '--map', is],
          ['no, leave the column out', '--map', isNot],
        ],
      }
    })
  }
}

/**
 * The names of columns, each different: one that several columns share, or that is blank, gets the letter of its column,
 * as in "Status (C)". So each can be named by an option.
 */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(headingKey(name), (counts.get(headingKey(name)) ?? 0) + 1)
  return names.map((name, index) => {
    if (name === '') return `column ${letterOf(index)}`
    return counts.get(headingKey(name)) === 1 ? name : `${name} (${letterOf(index)})`
  })
}

const LETTER = / \([A-Z]{1,2}\)$/

function letterOf(index: number): string {
  const first = index < 26 ? '' : String.fromCodePoint(64 + Math.floor(index / 26))
  return first + String.fromCodePoint(65 + (index % 26))
}
