import type { Ledger, LedgerEntry, LedgerFilter } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { readService, shownAddress } from '../config/connection.ts'
import type { LedgerFlags, LedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import type { Column } from '../terminal/table.ts'
import { type InviteRow, idOf, inviteColumns, inviteRowsOf } from './invite-row.ts'
import { useLedger } from './open-ledger.ts'
import { ledgerFlag } from './resolve-hints.ts'

/** The flags of a command that lists what the ledger has. */
export interface ListFlags extends LedgerFlags {
  readonly all?: boolean
  readonly limit?: string
  readonly showLinks?: boolean
}

/** What to list, and what is printed where there is nothing. */
export interface Listed {
  readonly entries: (ledger: Ledger, scope: ScopeFilter) => AsyncIterable<LedgerEntry>
  /** Which invites of an entry: a package has several. Default: all. */
  readonly keeps?: (row: InviteRow) => boolean
  /** For a terminal. */
  readonly drawn: readonly Column<InviteRow>[]
  readonly nothing: string
}

/* What a person can overlook. Programs get everything. */
const LIMIT_ON_TERMINAL = 50
/* Counting takes its time in a long list: beyond this it is said to be more. */
const COUNTED_AT_MOST = 10_000

/** Prints what the ledger has, row by row, however much it is. @throws CliError, CertifyError LEDGER_UNUSABLE */
export async function listInvites(context: Context, flags: ListFlags, listed: Listed): Promise<void> {
  const { io, output, preferences } = context
  const isDrawn = io.stdout.isTTY && !preferences.json.value && !preferences.quiet.value
  const limit = limitOf(flags.limit) ?? (isDrawn ? LIMIT_ON_TERMINAL : Number.POSITIVE_INFINITY)
  await useLedger(context, flags, async (ledger, place) => {
    const scope = scopeOf(context, flags, place)
    const tally: Tally = { shown: 0, unknown: 0, more: 0 }
    const rows = limited(rowsOf(listed, listed.entries(ledger, scope.filter), flags), limit, isDrawn, tally)
    await output.stream({ rows, columns: inviteColumns, drawn: listed.drawn, id: idOf })
    for (const remark of remarksOn(tally, scope, listed, ledgerFlag(place))) await output.remark(remark)
  })
}

/* Of the service that is set; of everything in the file where none is, or all are asked for. */
function scopeOf({ io, program }: Context, { all = false }: ListFlags, { account }: LedgerPlace): Scope {
  const { value: set } = readService(io, program.root.opts()).baseUrl
  const baseUrl = all ? undefined : set
  const isNamed = account.origin === '--account' || (account.origin !== 'default' && !all)
  const limits = [
    ...(baseUrl === undefined ? [] : [shownAddress(baseUrl)]),
    ...(isNamed ? [`account ${account.value}`] : []),
  ]
  const filter = { ...(baseUrl !== undefined && { baseUrl }), ...(isNamed && { account: account.value }) }
  return { filter, description: limits.join(', ') }
}

type ScopeFilter = Pick<LedgerFilter, 'baseUrl' | 'account'>

interface Scope {
  readonly filter: ScopeFilter
  /** Empty where nothing is left out. */
  readonly description: string
}

interface Tally {
  shown: number
  unknown: number
  more: number
}

async function* rowsOf(
  { keeps = () => true }: Listed,
  entries: AsyncIterable<LedgerEntry>,
  { showLinks = false }: ListFlags,
) {
  for await (const entry of entries) for (const row of inviteRowsOf(entry, showLinks)) if (keeps(row)) yield row
}

async function* limited(rows: AsyncIterable<InviteRow>, limit: number, counts: boolean, tally: Tally) {
  for await (const row of rows) {
    if (tally.shown < limit) {
      tally.shown += 1
      if (row.state === 'unknown') tally.unknown += 1
      yield row
    } else if (!counts || tally.more === COUNTED_AT_MOST) return
    else tally.more += 1
  }
}

function remarksOn(
  { shown, unknown, more }: Tally,
  { description }: Scope,
  { nothing }: Listed,
  ledger: string,
): readonly string[] {
  const others =
    more === COUNTED_AT_MOST ? `${more} others or more are` : more === 1 ? '1 other is' : `${more} others are`
  return [
    ...(shown === 0 ? [nothing] : []),
    ...(more === 0 ? [] : [`\n${others} not shown: --limit <number> shows more.`]),
    ...(unknown === 0
      ? []
      : [
          `\nUnknown: ${unknown}. \`certify invites list --state unknown${ledger}\` shows their references; when you know ` +
            `what became of one, \`certify invites resolve <reference>${ledger}\` records it.`,
        ]),
    ...(description === '' ? [] : [`\nOf ${description} alone; --all shows every service and account.`]),
  ]
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit > 0) return limit
  throw new CliError('--limit is no whole number of 1 or more.', 'Leave it out for everything, but on a terminal.')
}
