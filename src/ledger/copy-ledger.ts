import type { LedgerState } from './rules/model.ts'
import { type Ledger, internalsOfLedger } from './rules/ledger-types.ts'
import type { StoredRecord } from './rules/record.ts'

/** What {@link copyLedger} did. `read` = `copied` + `present` + `conflicts.length`. */
export interface LedgerCopy {
  /** How many records the ledger has. */
  readonly read: number
  /** How many were added. */
  readonly copied: number
  /** How many were already there with the same content. */
  readonly present: number
  /** The references of records that were already there with different content. They were left unchanged. */
  readonly conflicts: readonly string[]
  /** The records of the ledger in each state. */
  readonly records: Readonly<Record<LedgerState, number>>
}

/**
 * Copies all records from one ledger to another, for example from a file to Postgres, with their references, times,
 * invites, and what events said. Records that are already there are skipped, so it can be repeated. Events in the inbox
 * are not copied.
 *
 * Do not send through the first ledger during the copy or later: those records would be missing from the copy.
 *
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`
 * @example
 * ```ts
 * const { copied, conflicts } = await copyLedger(await openLedger('invites.ledger'), postgresLedger)
 * ```
 */
export async function copyLedger(from: Ledger, to: Ledger): Promise<LedgerCopy> {
  const records = { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0 }
  const conflicts: string[] = []
  let [read, copied] = [0, 0]
  for await (const page of internalsOfLedger(from).records()) {
    const there = new Map(
      (await internalsOfLedger(to).add(page.map(({ id: _id, ...record }) => record))).map((record) => [
        record.reference,
        record,
      ]),
    )
    for (const record of page) {
      records[record.state] += 1
      const other = there.get(record.reference)
      if (other === undefined) copied += 1
      else if (contentOf(other) !== contentOf(record)) conflicts.push(record.reference)
    }
    read += page.length
  }
  return { read, copied, present: read - copied - conflicts.length, conflicts, records }
}

/* Each ledger numbers its records itself. */
function contentOf({ id: _id, ...record }: StoredRecord): string {
  return JSON.stringify(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
