import type { CampaignRow } from '../../../src/campaign/index.ts'
import { nearest } from '../../spelling.ts'
import { rowCount } from '../../terminal/numbers.ts'

/** Valid addresses that may be meant differently: a misspelt or cut domain, or letters of two scripts that look alike. */
export class DoubtfulAddresses {
  /** The number of rows and the first of them, by what is wrong. */
  readonly #found = new Map<string, { count: number; readonly first: number }>()

  /** Passes rows through, and notes their addresses. */
  async *noting(rows: AsyncIterable<CampaignRow>): AsyncGenerator<CampaignRow> {
    let count = 0
    for await (const row of rows) {
      count += 1
      const doubt = doubtIn(emailOf(row))
      if (doubt !== undefined) this.#note(doubt, row.row ?? count)
      yield row
    }
  }

  /** For a person, without the addresses; empty if there are none. */
  get text(): string {
    return [...this.#found].map(([doubt, { count, first }]) => `${doubt}: ${rowsOf(count, first)}`).join('; ')
  }

  #note(doubt: string, row: number): void {
    const found = this.#found.get(doubt)
    if (found === undefined) this.#found.set(doubt, { count: 1, first: row })
    else found.count += 1
  }
}

function rowsOf(count: number, first: number): string {
  return count === 1 ? `row ${first}` : `${rowCount(count)}, the first is row ${first}`
}

function emailOf({ input }: CampaignRow): string {
  return (input as { readonly candidate: { readonly email: string } } | undefined)?.candidate.email ?? ''
}

function doubtIn(email: string): string | undefined {
  const domain = /@([^@]+)$/.exec(email)?.[1]?.toLowerCase()
  if (domain === undefined) return undefined
  const meant = REAL.has(domain) ? undefined : nearest(domain, PROVIDERS, 0)
  if (meant !== undefined) return `${domain} (${meant}?)`
  if (!domain.includes('.')) return 'a domain has no dot'
  const scripts = email.split(/[@.]/).map((label) => SCRIPTS.filter(([, letters]) => letters.test(label)))
  const mixed = scripts.find(({ length }) => length > 1)
  return mixed && `an address mixes ${mixed.map(([name]) => name).join(' and ')} in one label`
}

const PROVIDERS = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
  'protonmail.com',
]
/* They exist, beside those. */
const REAL: ReadonlySet<string> = new Set([
  ...PROVIDERS,
  'mail.com',
  'email.com',
  'ymail.com',
  'hotmail.co',
  'yahoo.co',
])

/* Scripts with letters that look like those of another. Others are usual beside Latin. */
const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
] as const
