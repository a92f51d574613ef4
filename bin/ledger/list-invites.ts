import type { Ledger, LedgerEntry, LedgerFilter } from '../../src/ledger/index.ts'
import { readService, shownAddress } from '../config/connection.ts'
import type { LedgerFlags, LedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import type { Column } from '../terminal/table.ts'
import { type InviteRow, idOf, inviteColumns, inviteRowsOf, linkColumn } from './invite-row.ts'
import { ListLimit } from './list-limit.ts'
import { useLedger } from './open-ledger.ts'
import { ledgerFlag } from './resolve-hints.ts'

export interface ListFlags extends LedgerFlags {
  readonly all?: boolean
  readonly limit?: string
  readonly showLinks?: boolean
}

export interface InviteList {
  readonly entries: (ledger: Ledger, scope: ScopeFilter) => AsyncIterable<LedgerEntry>
  /** Which invites of an entry: a package has several. Default: all. */
  readonly includes?: (row: InviteRow) => boolean
  readonly table: readonly Column<InviteRow>[]
  readonly none: string
}

export type ScopeFilter = Pick<LedgerFilter, 'baseUrl' | 'account'>

/** Prints recorded invites row by row. @throws CliError, CertifyError LEDGER_UNUSABLE */
export async function listInvites(context: Context, flags: ListFlags, list: InviteList): Promise<void> {
  const { output } = context
  const limit = new ListLimit(context, flags.limit)
  const { includes = () => true, table, none } = list
  let unknown = 0
  await useLedger(context, flags, async (ledger, place) => {
    const { filter, description } = listedScope(context, flags, place)
    async function* rows(): AsyncGenerator<InviteRow> {
      for await (const entry of list.entries(ledger, filter)) {
        for (const row of inviteRowsOf(entry, flags.showLinks ?? false).filter(includes)) {
          const next = limit.next()
          if (next === 'end') return
          if (next === 'count') continue
          if (row.state === 'unknown') unknown += 1
          yield row
        }
      }
    }
    const shownTable = flags.showLinks ? { table: [...table, linkColumn], tableFrom: 200 } : { table }
    await output.stream({ rows: rows(), columns: inviteColumns, ...shownTable, id: idOf })
    if (limit.shown === 0) await output.remark(none)
    if (limit.remark !== '') await output.remark(limit.remark)
    if (unknown > 0) await output.remark(unknownText(unknown, ledgerFlag(place)))
    if (description !== '') await output.remark(`\nOnly ${description}; --all shows every service and account.`)
  })
}

/** The service and account to list. The description is empty if the scope is everything in the file. */
export function listedScope({ io, program }: Context, { all = false }: ListFlags, { account }: LedgerPlace) {
  const baseUrl = all ? undefined : readService(io, program.root.opts()).baseUrl.value
  const isNamed = account.origin === '--account' || (account.origin !== 'default' && !all)
  const filter: ScopeFilter = {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(isNamed && { account: account.value }),
  }
  const parts = [
    ...(baseUrl === undefined ? [] : [shownAddress(baseUrl)]),
    ...(isNamed ? [`account ${account.value}`] : []),
  ]
  return { filter, description: parts.join(', ') }
}

function unknownText(count: number, ledger: string): string {
  return (
    `\nUnknown: ${count}. \`certify invites list --state unknown${ledger}\` shows their references; when you know ` +
    `what became of one, \`certify invites resolve <reference>${ledger}\` records it; --from takes many.`
  )
}
