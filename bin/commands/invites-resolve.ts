import { CliError } from '../cli-error.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { type ResolveFlags, resolve } from '../resolve/resolve.ts'

export const define: DefineCommand = (command, context) => {
  command
    .argument('[reference...]', 'the references of unknown creates')
    .option('--created <invite-id...>', 'it was created with this id, or a package with these ids')
    .option('--not-created', 'nothing was created; it can be created again')
    .option('--from <file>', 'a report of bulk, filled in with what became of each create; - is stdin', once)
  addManual(addLedgerOptions(command), {
    about:
      'Ask the candidate whether an e-mail came, or the service about the reference. It shows a plan, and asks. In the file of ' +
      '--from, fill in "created" (yes or no) and "invite_id"; rows without them stay as they are.',
    output:
      'one row per create: row, status (resolved, planned, undecided, duplicate, invalid, failed), reference, state and ' +
      'invite ids as they are recorded, e-mail, quiz id, package id, message.',
    ids: 'the references that were resolved',
    dryRun: 'end with the plan; change nothing',
    more: '--account',
    examples: [
      'certify invites resolve 0b6f5f0e-… --created inv_123',
      'certify invites resolve --from report.csv --dry-run',
    ],
    guide: 'ledger.md',
  }).action(async (given: readonly string[], flags: ResolveFlags) => {
    for (const each of given) checkReference(each)
    const references = given.map((each) => each.trim())
    await resolve(context, references, flags)
  })
}

/* `"$(certify invites list --state unknown --quiet)"` may contain several references, or none. */
function checkReference(argument: string): void {
  const { length } = argument.split(/\s+/).filter((word) => word !== '')
  if (length === 1) return
  throw new CliError(
    `that argument contains ${length} references; pass each one separately. Nothing was changed.`,
    '`certify invites list --state unknown` shows those that can be resolved.',
  )
}
