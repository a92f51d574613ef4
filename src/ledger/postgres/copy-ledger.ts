import { CertifyError } from '../../index.ts'
import type { LedgerState } from '../rules/entry.ts'
import type { Ledger } from '../rules/ledger.ts'
import type { NewSend, SendRecord } from '../rules/record.ts'
import { PostgresConnection } from './connection.ts'
import { ADD_ALL, SENDS } from './copy-statements.ts'
import type { PostgresLedgerOptions } from './postgres-ledger.ts'
import { checkSchema, migrate } from './schema.ts'
import { rowOf, type SendRow, sendOf } from './send-rows.ts'

/** What {@link copyLedger} did. */
export interface LedgerCopy {
  /** How many sends the other ledger has. `read = copied + present + conflicts.length`. */
  readonly read: number
  /** How many were added. */
  readonly copied: number
  /** How many were there already, with the same content. */
  readonly present: number
  /** The references of sends that are there with another content. They were left as they are. */
  readonly conflicts: readonly string[]
  /** The sends of the other ledger in each state. */
  readonly entries: Readonly<Record<LedgerState, number>>
}

/** The options of {@link copyLedger}. */
export interface CopyOptions {
  /** Reads and compares, and adds nothing. The tables have to be there. Default: `false`. */
  readonly dryRun?: boolean | undefined
  /** Called after each page, with how many sends were read. */
  readonly onProgress?: ((read: number) => void) | undefined
}

/**
 * Copies all sends of a ledger into one on Postgres, whole: with their references, times, invites, and what events said. What
 * is there already is not copied again, so it may be repeated. At the end it reads every copy and compares it.
 *
 * Nobody may send through the other ledger meanwhile, nor later: its sends would be missing in the copy.
 *
 * @param from a ledger in a file
 * @throws CertifyError LEDGER_UNUSABLE, also if a copy differs from its original; INPUT_INVALID if `from` cannot be copied
 * @example
 * ```ts
 * const { copied, conflicts } = await copyLedger(await openLedger({ path: 'invites.ledger' }), { url })
 * ```
 */
export async function copyLedger(
  from: Ledger,
  to: Omit<PostgresLedgerOptions, 'acceptClock'>,
  { dryRun = false, onProgress = () => {} }: CopyOptions = {},
): Promise<LedgerCopy> {
  const { records } = from
  if (records === undefined) throw notCopied()
  const connection = await PostgresConnection.open(to)
  try {
    await (to.migrate === false || dryRun ? checkSchema : migrate)(connection)
    const counts = { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0 }
    const [copied, conflicts] = [new Set<string>(), [] as string[]]
    let read = 0
    for await (const page of pagesOf(records.call(from))) {
      for (const { state } of page) counts[state] += 1
      if (!dryRun) for (const reference of await addAll(connection, page)) copied.add(reference)
      const found = await sendsOf(connection, page)
      for (const send of page) {
        const there = found.get(send.reference)
        if (there === undefined && dryRun) copied.add(send.reference)
        else if (there === undefined || contentOf(there) !== contentOf(send)) conflicts.push(send.reference)
      }
      read += page.length
      onProgress(read)
    }
    const wrong = conflicts.find((reference) => copied.has(reference))
    if (wrong !== undefined) throw differs(wrong)
    return { read, copied: copied.size, present: read - copied.size - conflicts.length, conflicts, entries: counts }
  } finally {
    await connection.close()
  }
}

const PAGE_ROWS = 200

async function* pagesOf(records: AsyncIterable<SendRecord>): AsyncGenerator<readonly SendRecord[], void, undefined> {
  let page: SendRecord[] = []
  for await (const record of records) {
    page.push(record)
    if (page.length < PAGE_ROWS) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/* Repeated until it is clear. What the first time has added is then there already, and is compared. */
async function addAll(connection: PostgresConnection, sends: readonly NewSend[]): Promise<readonly string[]> {
  for (;;) {
    const answer = await connection.write<{ readonly added: readonly string[] }>(ADD_ALL, { sends: sends.map(rowOf) })
    if (answer !== 'unclear') return answer.added
  }
}

async function sendsOf(
  connection: PostgresConnection,
  page: readonly SendRecord[],
): Promise<ReadonlyMap<string, SendRecord>> {
  const references = page.map(({ reference }) => reference)
  const { sends } = await connection.read<{ readonly sends: readonly SendRow[] }>(SENDS, { references }, true)
  return new Map(sends.map((row) => [String(row.reference), sendOf(row)]))
}

/* Postgres orders the keys of objects in its own way; the identifier is that of the ledger. */
function contentOf(record: SendRecord): string {
  const { id: _, ...send } = record
  const sorted = { ...send, subjects: [...send.subjects].toSorted() }
  return JSON.stringify(sorted, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

function notCopied(): CertifyError {
  return new CertifyError({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    message: 'This ledger cannot be copied: it has no `records`.',
    hint: 'Copy a ledger in a file.',
    issues: [{ path: 'from', rule: 'must be a ledger that has `records`' }],
  })
}

function differs(reference: string): CertifyError {
  return new CertifyError({
    code: 'LEDGER_UNUSABLE',
    outcome: 'not-executed',
    reference,
    message: `The copy of ${reference} differs from its original.`,
    hint: 'Somebody uses one of the two ledgers. End that, and copy again.',
  })
}
