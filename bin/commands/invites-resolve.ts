import type { Finding, LedgerEntry } from '../../src/ledger/index.ts'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import { addManual } from '../help/manual.ts'
import { openToRead } from '../ledger/open.ts'
import type { Column } from '../terminal/table.ts'
import { UsageError } from '../usage-error.ts'
import type { DefineCommand } from './command.ts'
import { addLedgerFlags, IN_CLEAR } from './ledger-flags.ts'

interface Flags extends LedgerFlags {
  readonly created?: readonly string[]
  readonly notCreated?: boolean
}

interface Resolved {
  readonly reference: string
  readonly state: LedgerEntry['state']
  readonly inviteIds: readonly string[]
}

/** certify invites resolve */
export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Settles in the ledger what nobody knew: whether a send whose answer was lost created an invite. Ask the candidate ' +
        'whether an e-mail came, or the service by the reference, which the request carried as x-client-reference. ' +
        'With --not-created the candidate can be invited again; with --created the invite counts as open until 14 days ' +
        'after it was sent. It needs no key and asks nobody.',
      IN_CLEAR,
    ],
    output: 'the reference, its state from now on, and the ids of its invites.',
    json: '{"reference","state","inviteIds"}.',
    fields: ['reference', 'state', 'inviteIds'],
    ids: 'the reference',
    examples: [
      'certify invites list --state unknown',
      'certify invites resolve 0b6f5f0e-… --created inv_123',
      'certify invites resolve 0b6f5f0e-… --not-created',
    ],
  })
    .option('--created <invite-id...>', 'it was created, with this id; for a package, the ids of all its invites')
    .option('--not-created', 'nothing was created')
    .argument('<reference>', 'the reference, as `certify invites list --state unknown` shows it')
    .action(async (reference: string, { created, notCreated, ...flags }: Flags) => {
      const { io, output, program } = context
      const finding = findingOf(created, notCreated)
      const ledger = await openToRead(context, readLedgerPlace(io, program.root.opts(), flags))
      try {
        refuseUnfit(await ledger.find(reference), finding)
        const { state, invites } = await ledger.resolve(reference, finding)
        const resolved: Resolved = { reference, state, inviteIds: invites.map(({ inviteId }) => inviteId) }
        await output.data({ value: resolved, columns, rows: [resolved], ids: [reference] })
      } finally {
        await ledger.close()
      }
    })
}

const columns: readonly Column<Resolved>[] = [
  { title: 'REFERENCE', value: ({ reference }) => reference },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'INVITE IDS', value: ({ inviteIds }) => inviteIds.join(', '), cut: true },
]

function findingOf(created: readonly string[] | undefined, notCreated = false): Finding {
  const inviteIds = created?.map((each) => each.trim())
  if ((inviteIds === undefined) === notCreated && inviteIds?.includes('') !== true) {
    return inviteIds === undefined ? { notCreated: true } : { created: inviteIds }
  }
  throw new UsageError({
    message:
      inviteIds?.includes('') === true ? '--created must not be blank.' : 'it takes either --created or --not-created.',
    hint: 'Say what you found out: --created <invite-id>, or --not-created. See certify invites resolve --help.',
  })
}

/* What would record something false, or change what is known. */
function refuseUnfit(entry: LedgerEntry | undefined, { created }: Finding): void {
  if (entry === undefined) {
    throw new UsageError({
      code: 'NOT_FOUND',
      message: 'the ledger has no such reference.',
      hint: '`certify invites list --state unknown --all` shows those that can be settled.',
      exitCode: 5,
    })
  }
  if (entry.state !== 'unknown') {
    throw new UsageError({
      message: `that send is not unknown, but ${entry.state}. Nothing was changed.`,
      hint: '`certify invites list --state unknown --all` shows those that can be settled.',
    })
  }
  if (entry.packageId === undefined && (created ?? []).length > 1) {
    throw new UsageError({
      message: 'that send was for a single invite, and --created names several. Nothing was changed.',
      hint: 'Give the one id.',
    })
  }
}
