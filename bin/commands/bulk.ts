import { InvalidArgumentError, Option } from 'commander'
import { addFileOptions } from '../bulk/file-options.ts'
import { reportColumns } from '../bulk/report.ts'
import { addCallbackOptions } from '../callbacks/callback-urls.ts'
import { durationOrZeroMs, once, wholeNumber } from '../flags.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'

export const define: DefineCommand = (command, context) => {
  addFileOptions(command, 'invite')
    .addOption(
      new Option('--if-expired <what>', 'people whose link has expired; default: skip').choices(['skip', 'invite']),
    )
    .option('--skip-invalid', 'leave out invalid rows, and create the others')
    .option('--report <file>', 'write the results as CSV, in the order of the file', readReport)
    .option('--failed-out <file>', 'write the rows to fix or to run again', once)
    .option('--show-links', 'put the links into the output and the report, as the last column')
    .option('--no-send-email', 'no e-mail for rows that do not say whether')
    .option('--concurrency <number>', 'the number of concurrent requests, up to 256; default: 8', wholeNumber(1, 256))
    .option('--rate <number>', 'the maximum number of requests per second', readRate)
    .option('--max-failures <number>', 'stop after this many refused, failed or unknown rows', wholeNumber(1))
    .option('--max-outage <duration>', 'stop after no response for this long; default: 10m', durationOrZeroMs)
    .option('--allow-clock-skew', 'send even if the clocks of this machine, the service and the ledger disagree')
  addManual(addLedgerOptions(addCallbackOptions(command)), {
    about:
      'It asks for what is missing, and shows a plan. Columns: email, quiz_id or package_id, name. To resume, run it again.',
    output:
      'one row for each row of the file, as each is done. A terminal shows the summary, or in a dry run the rows. With --json one ' +
      'line for each row, then one with "type":"summary".',
    columns: reportColumns(false),
    ids: 'the ids of the created invites',
    dryRun: 'end with the plan; create nothing',
    advancedOptions:
      '--ledger --only --skip --if-expired --sheet --header-row --hidden --encoding --show-links --no-send-email --callbacks --callback-base-url ' +
      '--concurrency --rate --max-failures --max-outage --allow-clock-skew --account',
    examples: ['certify bulk spring.csv --dry-run', 'certify bulk spring.xlsx --yes --report report.csv'],
    guide: 'bulk.md',
  }).action(async (file?: string) => {
    const { runAsking } = await import('../bulk/questions.ts')
    await runAsking(context, command, file)
  })
}

function readReport(text: string, previous: string | undefined): string {
  if (/\.csv$/i.test(once(text, previous))) return text
  throw new InvalidArgumentError('It must be the name of a file that ends in .csv.')
}

function readRate(text: string): number {
  const rate = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && rate > 0) return rate
  throw new InvalidArgumentError('It must be a number above 0, as in 20 or 0.5.')
}
