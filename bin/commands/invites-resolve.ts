import type { Finding, LedgerEntry } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { Context, DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import { openToRead } from '../ledger/open-ledger.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import type { Column } from '../terminal/table.ts'

interface Flags extends LedgerFlags {
  readonly created?: readonly string[]
  readonly notCreated?: boolean
}

interface Resolved {
  readonly reference: string
  readonly state: LedgerEntry['state']
  readonly inviteIds: readonly string[]
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Records in the ledger what was found out: whether a send whose answer was lost created an invite. Ask the candidate ' +
        'whether an e-mail came, or the service by the reference, which the request carried as x-client-reference. ' +
        'With --not-created the candidate can be invited again; with --created the invite counts as open until 14 days ' +
        'after it was sent. It needs no key and no network.',
      'On a terminal you are asked first; --yes goes ahead. With --no-input or CI set, a terminal needs --yes; without a ' +
        'terminal on stdin the command line is the answer.',
      UNENCRYPTED,
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
    .action(async (argument: string, { created, notCreated, ...flags }: Flags) => {
      const { io, output, preferences, program } = context
      const place = readLedgerPlace(io, program.root.opts(), flags)
      const unknown = `\`certify invites list --state unknown --all${ledgerFlag(place)}\` shows those that can be resolved.`
      const reference = oneReference(argument, unknown)
      const finding = findingOf(created, notCreated)
      const ledger = await openToRead(context, place)
      try {
        const entry = fitting(await ledger.find(reference), finding, unknown)
        if (io.stdin.isTTY && !preferences.yes.value) await confirm(context, entry, finding)
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
  throw new CliError(
    inviteIds?.includes('') === true ? '--created must not be blank.' : 'it takes either --created or --not-created.',
    'Say what you found out: --created <invite-id>, or --not-created. See certify invites resolve --help.',
  )
}

/* What `$(certify invites list --state unknown --quiet)` gives may be several, or none. */
function oneReference(argument: string, hint: string): string {
  const references = argument.split(/\s+/).filter((word) => word !== '')
  const [reference] = references
  if (reference !== undefined && references.length === 1) return reference
  throw new CliError(`that is ${references.length} references; give one. Nothing was changed.`, hint)
}

/* Refuses what would record something false, or change what is known. */
function fitting(entry: LedgerEntry | undefined, { created }: Finding, hint: string): LedgerEntry {
  if (entry === undefined) {
    throw new CliError('the ledger has no such reference.', hint, { code: 'NOT_FOUND', exitCode: 5 })
  }
  if (entry.state !== 'unknown') {
    throw new CliError(`that send is not unknown, but ${entry.state}. Nothing was changed.`, hint)
  }
  if (entry.packageId === undefined && (created ?? []).length > 1) {
    throw new CliError(
      'that send was for a single invite, and --created names several. Nothing was changed.',
      'Give the one id.',
    )
  }
  return entry
}

/* The ledger cannot check it: whoever is at a terminal sees whose send it is. In a script the command line is the answer. */
async function confirm({ prompts }: Context, entry: LedgerEntry, finding: Finding): Promise<void> {
  const instead = 'Give --yes.'
  if (prompts.possible) await prompts.confirm(questionOf(entry, finding), instead)
  else await prompts.confirm('What was found out has to be confirmed at a terminal.', instead)
}

function questionOf({ input, quizId, packageId, sentAt }: LedgerEntry, { created }: Finding): string {
  const { email } = input.candidate
  const send = `${quizId ?? packageId ?? 'it'}, in the send of ${minuteOf(sentAt)} UTC?`
  if (created === undefined) return `Record that ${email} was never invited to ${send} They can then be invited again.`
  const ids = typeof created === 'string' ? [created] : created
  return `Record ${ids.join(', ')} as the invite${ids.length === 1 ? '' : 's'} of ${email} to ${send}`
}
