import type { Finding, LedgerEntry } from '../../src/ledger/index.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import { readLedgerPlace } from '../config/ledger.ts'
import type { Context, DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import { isSaidNotCreated } from '../resolve/not-created.ts'
import { addResolveFlags, findingOf, type ResolveFlags, sourceOf } from '../resolve/options.ts'
import { REPORTED_FIELDS, toReportedFinding } from '../resolve/reported-finding.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addResolveFlags(addLedgerFlags(command)), context, {
    notes: [
      'Records in the ledger whether a send whose response was lost created an invite. Ask the candidate whether an e-mail ' +
        'came, or the service by the reference: the request had it as x-client-reference. With --not-created the ' +
        'candidate can be invited again; with --created the invite counts as open until 14 days after it was sent. If the ' +
        'invite is found later, --created corrects --not-created. It needs no key and no network.',
      'Of one reference, a terminal asks first; --yes confirms. With --no-input or CI set, a terminal needs --yes; without a ' +
        'terminal on stdin no confirmation is needed.',
      'Of several references, a selection or a file, it first prints the plan to stderr: how many sends will count as not ' +
        'created, how many as created, and what cannot be resolved and why. --dry-run ends there. Then it asks; --yes ' +
        'confirms, and is needed without a terminal. If something cannot be resolved, nothing is changed, unless ' +
        '--skip-invalid leaves it out. Only unknown sends are changed: what somebody else settles meanwhile stays.',
      'A selection has the unknown sends that fit all of its flags, of the service and account that certify invites list ' +
        'shows; --all chooses from the whole file. --created is for one send: the ids of others belong into a file.',
      'The file of --from is a table or JSON. Columns: reference, or email (and quiz_id or package_id, if the address has ' +
        'several unknown sends); created (yes or no); invite_id (several ids with spaces between them). Others are ignored. ' +
        'A row without created and invite_id stays unknown. Without --created and --not-created, --report writes such a ' +
        'file to fill in, and nothing is recorded.',
      UNENCRYPTED,
    ],
    output:
      'the reference, its new state, and the ids of its invites. Of several, one row each: row, status (resolved, planned, ' +
      'undecided, duplicate, rejected, failed), reference, state, created and invite ids as they are recorded, e-mail, quiz ' +
      'id, package id, time of sending, campaign, code, message. A terminal then shows only the summary.',
    json: 'an object with reference, state and inviteIds. Of several, the list of objects with all fields.',
    fields: REPORTED_FIELDS,
    ids: 'the references that were resolved',
    writes: true,
    words: { dryRun: 'end with the plan; change nothing' },
    refusesJq: true,
    examples: [
      'certify invites list --state unknown',
      'certify invites resolve 0b6f5f0e-… --created inv_123',
      'certify invites resolve 0b6f5f0e-… --not-created',
      'certify invites resolve --campaign spring.csv --report found.csv',
      'certify invites resolve --from found.csv --report resolved.csv',
    ],
  })
    .argument('[reference...]', 'references, as `certify invites list --state unknown` shows them; - is stdin')
    .action(async (given: readonly string[], flags: ResolveFlags) => {
      const { io, preferences, program } = context
      const place = readLedgerPlace(io, program.root.opts(), flags)
      const hint = `\`certify invites list --state unknown --all${ledgerFlag(place)}\` shows those that can be resolved.`
      for (const each of given) checkReference(each, hint)
      const references = given.map((each) => each.trim())
      const [reference] = references
      const isPlanned = preferences.dryRun.value || flags.skipInvalid === true || flags.report !== undefined
      if (reference !== undefined && reference !== '-' && references.length === 1 && !isPlanned) {
        sourceOf(references, flags)
        return resolveOne(context, reference, flags, hint)
      }
      const { resolveMany } = await import('../resolve/resolve-many.ts')
      return resolveMany(context, references, flags)
    })
}

async function resolveOne(context: Context, reference: string, flags: ResolveFlags, hint: string): Promise<void> {
  const { io, output, preferences, prompts } = context
  const finding = findingOf(flags)
  await useLedger(context, flags, async (ledger) => {
    const entry = resolvable(await ledger.find(reference), finding, hint)
    if (io.stdin.isTTY && !preferences.yes.value) {
      const unasked = 'The result of your enquiry has to be confirmed at a terminal.'
      await prompts.confirm(questionOf(entry, finding), 'Give --yes.', unasked)
    }
    const after = await ledger.resolve(reference, finding)
    const { state, invites } = after
    const resolved = { reference, state, inviteIds: invites.map(({ inviteId }) => inviteId) }
    const columns: readonly Column<typeof resolved>[] = [
      ...fieldColumns<typeof resolved>({ REFERENCE: 'reference', STATE: 'state' }),
      { title: 'INVITE IDS', value: ({ inviteIds }) => inviteIds.join(', '), cut: true },
    ]
    /* All fields can be chosen. */
    const given = { row: 1, finding, faults: [] }
    const value =
      preferences.fields.value === undefined
        ? resolved
        : toReportedFinding(
            { given, entry, status: 'planned', message: undefined },
            { status: 'resolved', entry: after },
          )
    await output.data({ value, columns, rows: [resolved], ids: [reference] })
  })
}

/* `"$(certify invites list --state unknown --quiet)"` may be several references, or none. */
function checkReference(argument: string, hint: string): void {
  const { length } = argument.split(/\s+/).filter((word) => word !== '')
  if (length === 1) return
  throw new CliError(
    `that is ${length} references; give one in an argument, or - and all of them on stdin. Nothing was changed.`,
    hint,
  )
}

/* Refuses what would record something false, or change what is known. */
function resolvable(entry: LedgerEntry | undefined, { created }: Finding, hint: string): LedgerEntry {
  if (entry === undefined) throw notFoundError('the ledger has no such reference.', hint)
  const isCorrection = created !== undefined && isSaidNotCreated(entry)
  if (entry.state !== 'unknown' && !isCorrection) {
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
