import type { LedgerState } from './rules/entry.ts'
import type { Ledger } from './rules/ledger.ts'
import type { SendRecord } from './rules/record.ts'

/** What {@link copyLedger} did. `read` = `copied` + `present` + `conflicts.length`. */
export interface LedgerCopy {
  /** How many sends the ledger has. */
  readonly read: number
  /** How many were added. */
  readonly copied: number
  /** How many were there already, with the same content. */
  readonly present: number
  /** The references of sends that are there with another content. They were left as they are. */
  readonly conflicts: readonly string[]
  /** The sends of the ledger in each state. */
  readonly entries: Readonly<Record<LedgerState, number>>
}

/**
 * Copies all sends of a ledger into another one, as from a file into Postgres: with their references, times, invites, and what
 * events said. What is there already is not copied again, so it may be repeated. Events in the inbox are not copied.
 *
 * Nobody may send through the first ledger meanwhile, nor later: its sends would be missing in the copy.
 *
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`
 * @example
 * ```ts
 * const { copied, conflicts } = await copyLedger(await openLedger('invites.ledger'), postgresLedger)
 * ```
 */
export async function copyLedger(from: Ledger, to: Ledger): Promise<LedgerCopy> {
  const entries = { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0 }
  const conflicts: string[] = []
  let [read, copied] = [0, 0]
  for await (const page of from.records()) {
    const there = new Map(
      (await to.add(page.map(({ id: _id, ...send }) => send))).map((send) => [send.reference, send]),
    )
    for (const send of page) {
      entries[send.state] += 1
      const other = there.get(send.reference)
      if (other === undefined) copied += 1
      else if (contentOf(other) !== contentOf(send)) conflicts.push(send.reference)
    }
    read += page.length
  }
  return { read, copied, present: read - copied - conflicts.length, conflicts, entries }
}

/* The identifier is that of its ledger. */
function contentOf({ id: _id, ...send }: SendRecord): string {
  return JSON.stringify(Object.entries(send).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
