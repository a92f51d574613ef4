import { csvLine } from '../bulk/read/csv.ts'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, addShowLinks, LEDGER_ONLY_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import { type InviteRow, idOf, inviteRowsOf } from '../ledger/invite-row.ts'
import { addFilterFlags, type FilterFlags, readFilter, STATES_NOTE } from '../ledger/list-filter.ts'
import { type ListFlags, listedScope } from '../ledger/list-invites.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { printable } from '../terminal/printable.ts'
import { type Column, cellText } from '../terminal/table.ts'

interface Flags extends FilterFlags, ListFlags {
  readonly csv?: boolean
}

export const define: DefineCommand = (command, context) => {
  addFilterFlags(command)
    .option('--csv', 'as CSV on a terminal too')
    .option('--all', 'for every service and account in the file')
  addManual(addShowLinks(addLedgerFlags(command)), context, {
    notes: [
      LEDGER_ONLY_NOTE,
      `For a recruiter: what became of whom, newest first. ${STATES_NOTE}`,
      'It exports the current service (--base-url, CERTIFY_BASE_URL or the profile) and the named account; with --all, ' +
        'or without a service, everything in the file.',
      'A value that a spreadsheet would run as a formula has a quote before it, as in a report of certify bulk.',
      UNENCRYPTED,
    ],
    output:
      `into a pipe or a file, CSV with a heading, one row an invite: ${TITLES.join(', ')}. The link is masked unless ` +
      '--show-links is set. A terminal shows a table, or CSV with --csv.',
    json: 'list',
    fields: FIELDS,
    ids: 'the id of each invite; the reference if none is known',
    examples: ['certify invites export --since 26w > candidates.csv', 'certify invites export --state passed --json'],
  }).action(async ({ csv = false, showLinks = false, ...flags }: Flags) => {
    const { io, output } = context
    if (csv && output.json) throw new CliError('--csv and --json exclude each other.', 'Give one of them.')
    const { filter, includes } = readFilter(flags, io.now())
    await useLedger(context, flags, async (ledger, place) => {
      const scope = listedScope(context, flags, place)
      async function* rows(): AsyncGenerator<Exported> {
        for await (const entry of ledger.list({ ...scope.filter, ...filter })) {
          yield* inviteRowsOf(entry, showLinks).filter(includes).map(exported)
        }
      }
      const file = {
        header: csvLine(TITLES),
        line: (row: Exported) => csvLine(COLUMNS.map((column) => printable(cellText(column, row)))),
      }
      const isFile = csv || !io.stdout.isTTY
      await output.stream({ rows: rows(), columns: COLUMNS, table: TABLE, id: idOf, ...(isFile && { file }) })
      if (scope.description !== '') {
        await output.remark(`\nOnly ${scope.description}; --all exports every service and account.`)
      }
    })
  })
}

const FIELDS = [
  ...(['email', 'name', 'skillName', 'level', 'quizId', 'packageId', 'state', 'result', 'sentAt'] as const),
  ...(['resultAt', 'validUntil', 'expiresAt', 'inviteId', 'followUpOf', 'followUpKind', 'verified'] as const),
  ...(['reference', 'externalReference', 'campaign', 'challengeUrl'] as const),
] satisfies readonly (keyof InviteRow)[]

type Exported = Pick<InviteRow, (typeof FIELDS)[number]>

function exported(row: InviteRow): Exported {
  return Object.fromEntries(FIELDS.map((field) => [field, row[field]])) as unknown as Exported
}

const TITLES = FIELDS.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

const COLUMNS = FIELDS.map((field, at) => ({ title: TITLES[at] ?? '', value: (row: Exported) => row[field] }))

/* For a terminal. */
const TABLE: readonly Column<Exported>[] = [
  { title: 'E-MAIL', value: ({ email }) => email, cut: 'middle', narrowest: 24 },
  { title: 'STATE', value: ({ state }) => state, usual: 'created' },
  { title: 'RESULT', value: ({ result }) => result, spare: true },
  { title: 'RESULT AT', value: ({ resultAt }) => resultAt?.slice(0, 10), spare: true },
  { title: 'VALID UNTIL', value: ({ validUntil }) => validUntil?.slice(0, 10), spare: true },
  { title: 'QUIZ', value: ({ quizId, packageId }) => quizId ?? packageId, cut: 'middle', narrowest: 16 },
]
