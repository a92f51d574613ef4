import type { CampaignRow } from '../../../src/campaign/index.ts'
import { doubtIn } from '../../invites/doubtful-address.ts'
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
