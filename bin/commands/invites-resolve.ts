import { CliError } from '../cli-error.ts'
import { momentOf } from '../config/duration.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import type { ResolveFlags } from '../resolve/findings.ts'
import { REPORTED_FIELDS } from '../resolve/plan.ts'
import { resolve } from '../resolve/resolve.ts'
import { readEncoding } from '../table/file.ts'

export const define: DefineCommand = (command, context) => {
  command
    .argument('[reference...]', 'references of unknown creates; - is stdin')
    .option('--created <invite-id...>', 'it was created, with this id, or these of a package')
    .option('--not-created', 'nothing was created; it can be created again')
    .option('--from <file>', 'a file that says what became of each; - is stdin', once)
    .option('--encoding <label>', 'of that file; default: UTF-8, or by the mark', readEncoding)
    .option('--campaign <name>', 'the unknown creates of this campaign', once)
    .option('--since <when>', 'the unknown creates since: 7d, 2030-01-31', momentOf)
    .option('--until <when>', 'the unknown creates before this time', momentOf)
    .option('--code <code>', 'the unknown creates with this code, as in TIMED_OUT', once)
    .option('--all', 'of every service and account in the ledger')
    .option('--skip-invalid', 'leave out what cannot be resolved')
    .option('--report <file>', 'write the result; alone: a worksheet for --from', once)
  addManual(addLedgerOptions(command), {
    about: 'Ask the candidate whether an e-mail came, or the service by the reference. It shows a plan, and asks.',
    output:
      'one row each: row, status (resolved, planned, undecided, duplicate, invalid, failed), reference, state, created and ' +
      'invite ids as they are recorded, e-mail, quiz id, package id, time of sending, campaign, code, message. The file of ' +
      '--from has columns reference, or email and quiz_id or package_id; created (yes or no); invite_id.',
    fields: REPORTED_FIELDS,
    ids: 'the references that were resolved',
    dryRun: 'end with the plan; change nothing',
    more: '--ledger --since --encoding --until --code --all --account',
    examples: [
      'certify invites resolve 0b6f5f0e-… --created inv_123',
      'certify invites resolve --campaign spring.csv --report worksheet.csv',
    ],
    guide: 'unknown-outcomes.md',
  }).action(async (given: readonly string[], flags: ResolveFlags) => {
    for (const each of given) checkReference(each)
    await resolve(
      context,
      given.map((each) => each.trim()),
      flags,
    )
  })
}

/* `"$(certify invites list --state unknown --quiet)"` may be several references, or none. */
function checkReference(argument: string): void {
  const { length } = argument.split(/\s+/).filter((word) => word !== '')
  if (length === 1) return
  throw new CliError(
    `that is ${length} references; give one in an argument, or - and all of them on stdin. Nothing was changed.`,
    '`certify invites list --state unknown` shows those that can be resolved.',
  )
}
