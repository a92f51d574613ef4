import { Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { spanMs, wholeNumber } from '../flags.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import {
  idOf,
  INVITE_CSV_HEADER,
  inviteColumns,
  inviteCsvLine,
  type InviteRow,
  inviteRowsOf,
  inviteTable,
  linkColumn,
  LISTED_STATES,
  resultTable,
  sendTable,
} from '../ledger/invite-row.ts'
import { addFilterOptions, type FilterFlags, listedScope, readFilter } from '../ledger/invite-filters.ts'
import { sayNone, useLedger } from '../ledger/open-ledger.ts'
import { formatNumber, printable } from '../terminal/text.ts'

interface Flags extends FilterFlags {
  readonly expiringWithin?: number
  readonly csv?: boolean
  readonly excel?: boolean
  readonly limit?: number
  readonly showLinks?: boolean
}

/* Programs get all rows. */
const LIMIT_ON_TERMINAL = 50

export const define: DefineCommand = (command, context) => {
  addFilterOptions(command)
    .option(
      '--expiring-within <span>',
      'only open invites that expire within a span such as 12h, 3d or 1w; soonest first',
      spanMs,
    )
    .option('--csv', 'as CSV with a header row and all fields')
    .addOption(new Option('--excel', 'like --csv, with the UTF-8 byte order mark for Excel').implies({ csv: true }))
    .option('--limit <number>', 'at most this many rows; default: 50 on a terminal', wholeNumber(1))
    .option('--show-links', 'show links unmasked: anyone who has one can use it')
  addManual(addLedgerOptions(command), {
    about: 'Reads the ledger, newest first; the specification shows no operation that lists invites.',
    output: 'one row per invite, or create without a known invite. With --csv, all fields.',
    columns: inviteColumns,
    ids: 'the id of each invite, or the reference if none is known,',
    advancedOptions: '--ledger --email --quiz-id --campaign --excel --account',
    examples: ['certify invites list --state unknown', 'certify invites list --since 26w --csv > candidates.csv'],
    guide: 'ledger.md',
  }).action(async ({ expiringWithin, csv = false, excel = false, limit, showLinks = false, all, ...flags }: Flags) => {
    const { io, output, preferences } = context
    if (csv && output.json) throw new CliError('--csv and --json cannot be combined.', 'Give one of them.')
    const { filter, includes } = readFilter(flags, io.now())
    const isForPeople = io.stdout.isTTY && !csv && !preferences.json && !preferences.quiet
    const most = limit ?? (isForPeople ? LIMIT_ON_TERMINAL : Number.POSITIVE_INFINITY)
    let [shown, isCut, unknown] = [0, false, 0]
    await useLedger(
      context,
      async (ledger, place) => {
        const scope = listedScope(context, all)
        if (isForPeople && flags.state !== 'open') {
          const counts = countsText(await ledger.count({ ...scope.filter, ...filter }, { by: 'state' }))
          if (counts !== '') await output.remark(`${counts}\n`)
        }
        async function* matching(within: typeof scope): AsyncGenerator<InviteRow, undefined> {
          const chosen = { ...within.filter, ...filter, expiringWithinMs: expiringWithin }
          for await (const record of ledger.list(chosen)) {
            if (!within.isListed(record)) continue
            for (const row of inviteRowsOf(record, showLinks).filter(includes)) {
              /* No event says when a follow-up expires. An invite with a result is no longer open. */
              if (expiringWithin === undefined || (row.result === null && row.expiresAt !== null)) yield row
            }
          }
        }
        async function* rows(): AsyncGenerator<InviteRow> {
          for await (const row of matching(scope)) {
            isCut = shown === most
            if (isCut) return
            shown += 1
            if (row.state === 'unknown') unknown += 1
            yield row
          }
        }
        const table = tableFor(flags.state)
        await output.stream({
          rows: rows(),
          columns: inviteColumns,
          table: showLinks ? [...table, linkColumn] : table,
          id: idOf,
          ...(csv && { file: { header: `${excel ? '\uFEFF' : ''}${INVITE_CSV_HEADER}`, line: inviteCsvLine } }),
        })
        /* An empty list must not hide what another base URL or account has. */
        const elsewhere = shown === 0 ? (await matching(listedScope(context, true)).next()).value : undefined
        if (elsewhere !== undefined)
          await output.warn(
            `no invites found here, but the ledger has some of ${placeOf(elsewhere)}: --all lists them.`,
          )
        else if (shown === 0) await sayNone(context, 'No invites found.')
        if (isCut) await output.remark('\nThere are more: --limit <number> shows them.')
        if (unknown > 0) {
          await output.remark(
            `\nUnknown: ${unknown}. When you know what became of one, record it: certify invites resolve <reference>${place.flags}`,
          )
        }
        if (scope.description !== '')
          await output.remark(`\nOnly ${scope.description}; --all shows every service and account.`)
      },
      { ifMissing: 'empty' },
    )
  })
}

function placeOf({ baseUrl, account }: InviteRow): string {
  return `${printable(baseUrl)}, account ${printable(account)}`
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return LISTED_STATES.flatMap((state) => (counts[state] ? [`${formatNumber(counts[state])} ${state}`] : [])).join(', ')
}

function tableFor(state: FilterFlags['state']) {
  if (state === 'passed' || state === 'failed') return resultTable
  return state === undefined || state === 'created' ? inviteTable : sendTable
}
