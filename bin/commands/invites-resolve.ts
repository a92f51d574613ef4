import { CliError } from '../cli-error.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { filled } from '../flags.ts'
import { addManual } from '../help.ts'
import { columns, type ResolveFlags, resolve } from '../ledger/resolve.ts'

export const define: DefineCommand = (command, context) => {
  command
    .argument('[reference...]', 'the references of unknown creates; - reads them from stdin, one per line')
    .option(
      '--created [invite...]',
      'it was created: with this id or link, or these for a package; without one if it is unknown',
    )
    .option('--not-created', 'nothing was created; it can be created again')
    .option('--undo', 'withdraw what was recorded last, as long as nothing else has happened')
    .option('--note <text>', 'how you know; it stays in the history', filled)
    .option('--by <who>', 'who found it out; default: the user of this machine', filled)
  addManual(addLedgerOptions(command), {
    about: 'Ask the candidate whether an e-mail came, or the service about the reference. It shows a plan, and asks.',
    output: 'one row per create, as it is recorded.',
    columns,
    ids: 'the references that were resolved',
    dryRun: 'end with the plan; change nothing',
    advancedOptions: '--undo --by --ledger --account',
    examples: [
      'certify invites resolve 0b6f5f0e-… --created --note "the e-mail came"',
      'certify invites resolve - --created --yes < references.txt',
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
