import { addBulkFlags, type BulkOptions, readProfileMap } from '../bulk/options/bulk-options.ts'
import { CALLBACKS_NOTE } from '../callbacks/callback-urls.ts'
import { CliError } from '../cli-error.ts'
import { readService } from '../config/connection.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, POSTGRES_NOTE, UNENCRYPTED } from '../ledger/flags.ts'

export const define: DefineCommand = (command, context) => {
  command
    .argument('<file>', 'a table, an Excel workbook or JSON, with one row an invite; - is stdin')
    /* Flags after the name of a subcommand belong to the subcommand. */
    .enablePositionalOptions()
  addManual(addLedgerFlags(addBulkFlags(command)), context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [
      'Columns: email; quiz_id or package_id; and name (or first_name and last_name), external_reference, send_email ' +
        '(yes or no), callback_url, in any order and under their usual other names. Flags fill what a row leaves empty. ' +
        '`certify bulk template` prints a file to begin with. What --map says can be kept in the profile: ' +
        '`certify config list --help`.',
      'An Excel workbook (.xlsx) is read directly: its first sheet, or that of --sheet. The values are those that the sheet ' +
        'shows. Hidden or filtered rows stop it, unless --include-hidden or --skip-hidden is given. The plan tells merged ' +
        'cells, hidden columns, and formulas.',
      'First it reads and checks everything, and prints the plan to stderr. Nothing is sent before that. --dry-run ends ' +
        'there. Then it asks; --yes confirms, and is needed without a terminal.',
      `${CALLBACKS_NOTE} A row with a callback_url of its own is then not valid.`,
      'Every send is recorded in the ledger before it leaves. To resume after any interruption, run the same command ' +
        `again: nobody is invited twice. ${UNENCRYPTED}`,
      `${POSTGRES_NOTE} Then the same command may run several times at once: each row is sent by one of them, and is ` +
        'already_invited for the others. --rate, pauses and outages are those of each process.',
      'Before the first create, and in an outage, a query checks whether the service answers. Until it does, no create is ' +
        'sent. An outage makes at most as many rows unknown as --concurrency; all others are sent when it is over.',
      'Ctrl-C, SIGTERM or SIGHUP (a closed terminal) once: no further row is started, requests in progress are completed, the report is written. ' +
        'Ctrl-C or SIGTERM again: it ends at once; the outcome of requests in progress is then unknown, and they are not sent again.',
    ],
    output:
      'one row for each row of the file, as each is done: row, status (created, already_invited, partly_invited, duplicate, ' +
      'rejected, refused, failed, unknown; in a dry run also planned), e-mail, quiz id, package id, external reference, invite ids, ' +
      'expiry, whether it was e-mailed, reference, code, message, and with --include-links the links. A terminal shows ' +
      'only the summary. The plan, the progress and the summary go to stderr.',
    json:
      'one line for each row, {"type":"row","row","status","email","invites":[…],…}, and a last one, {"type":"summary",…}; ' +
      'then the plan and the progress are not printed.',
    ids: 'the ids of the created invites',
    writes: true,
    words: {
      json: 'print one JSON object a line; errors as one JSON object',
      dryRun: 'end with the plan; send nothing',
    },
    refusesJq: true,
    examples: [
      'certify bulk spring.csv --dry-run',
      'certify bulk spring.csv --quiz-id quiz_123 --report report.csv \\\n--failed-out to-fix.csv',
      'certify bulk spring.csv --yes --json --rate 20 > rows.ndjson',
      'export-candidates | certify bulk - --yes --allow-domain example.com',
    ],
  }).action(async (file: string, options: BulkOptions) => {
    if (options.quizId !== undefined && options.packageId !== undefined) {
      const hint = 'Give one of them; rows can name their own.'
      throw new CliError('--quiz-id and --package-id exclude each other.', hint)
    }
    const { runBulk } = await import('../bulk/run-bulk.ts')
    const profileMap = readProfileMap(readService(context.io, context.program.root.opts()))
    await runBulk(context, file, { ...options, profileMap })
  })
}
