import type { Finding, LedgerEntry } from '../../src/ledger/index.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

interface Flags extends LedgerFlags {
  readonly created?: readonly string[]
  readonly notCreated?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Records in the ledger whether a send whose response was lost created an invite. Ask the candidate whether an e-mail ' +
        'came, or the service by the reference: the request had it as x-client-reference. With --not-created the ' +
        'candidate can be invited again; with --created the invite counts as open until 14 days after it was sent. It ' +
        'needs no key and no network.',
      'On a terminal it asks first; --yes confirms. With --no-input or CI set, a terminal needs --yes; without a ' +
        'terminal on stdin no confirmation is needed.',
      UNENCRYPTED,
    ],
    output: 'the reference, its new state, and the ids of its invites.',
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
      const { io, output, preferences, program, prompts } = context
      const flag = ledgerFlag(readLedgerPlace(io, program.root.opts(), flags))
      const hint = `\`certify invites list --state unknown --all${flag}\` shows those that can be resolved.`
      const reference = oneReference(argument, hint)
      const finding = findingOf(created, notCreated)
      await useLedger(context, flags, async (ledger) => {
        const entry = resolvable(await ledger.find(reference), finding, hint)
        if (io.stdin.isTTY && !preferences.yes.value) {
          const unasked = 'The result of your enquiry has to be confirmed at a terminal.'
          await prompts.confirm(questionOf(entry, finding), 'Give --yes.', unasked)
        }
        const { state, invites } = await ledger.resolve(reference, finding)
        const resolved = { reference, state, inviteIds: invites.map(({ inviteId }) => inviteId) }
        const columns: readonly Column<typeof resolved>[] = [
          ...fieldColumns<typeof resolved>({ REFERENCE: 'reference', STATE: 'state' }),
          { title: 'INVITE IDS', value: ({ inviteIds }) => inviteIds.join(', '), cut: true },
        ]
        await output.data({ value: resolved, columns, rows: [resolved], ids: [reference] })
      })
    })
}

function findingOf(created: readonly string[] | undefined, notCreated = false): Finding {
  const inviteIds = created?.map((each) => each.trim())
  const isBlank = inviteIds?.includes('') === true
  if ((inviteIds === undefined) === notCreated && !isBlank) {
    return inviteIds === undefined ? { notCreated: true } : { created: inviteIds }
  }
  throw new CliError(
    isBlank ? '--created must not be blank.' : 'it takes either --created or --not-created.',
    'Give --created <invite-id>, or --not-created. See certify invites resolve --help.',
  )
}

/* `$(certify invites list --state unknown --quiet)` may be several references, or none. */
function oneReference(argument: string, hint: string): string {
  const references = argument.split(/\s+/).filter((word) => word !== '')
  const [reference] = references
  if (reference !== undefined && references.length === 1) return reference
  throw new CliError(`that is ${references.length} references; give one. Nothing was changed.`, hint)
}

/* Refuses what would record something false, or change what is known. */
function resolvable(entry: LedgerEntry | undefined, { created }: Finding, hint: string): LedgerEntry {
  if (entry === undefined) throw notFoundError('the ledger has no such reference.', hint)
  if (entry.state !== 'unknown') {
    throw new CliError(`that send is not unknown, but ${entry.state}. Nothing was changed.`, hint)
  }
  if (entry.packageId === undefined && (created ?? []).length > 1) {
    const message = 'that send was for a single invite, and --created names several. Nothing was changed.'
    throw new CliError(message, 'Give the one id.')
  }
  return entry
}

/* The ledger cannot check it: the question shows whose send it is. */
function questionOf({ input, quizId, packageId, sentAt }: LedgerEntry, { created }: Finding): string {
  const { email } = input.candidate
  const send = `${quizId ?? packageId ?? 'it'}, in the send of ${minuteOf(sentAt)} UTC?`
  if (created === undefined) return `Record that ${email} was never invited to ${send} They can then be invited again.`
  const ids = typeof created === 'string' ? [created] : created
  return `Record ${ids.join(', ')} as the invite${ids.length === 1 ? '' : 's'} of ${email} to ${send}`
}
