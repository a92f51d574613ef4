import { type Command, InvalidArgumentError } from 'commander'
import type { BulkOptions } from '../bulk/plan/plan-file.ts'
import type { Shard } from '../bulk/read/campaign-row.ts'
import { FORMATS, type Format } from '../bulk/read/file-record.ts'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { once, RepeatedOption } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { IF_UNKNOWN } from '../ledger/create-with-ledger.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'

interface Flags
  extends Omit<
    BulkOptions,
    'sendEmail' | 'ratePerSecond' | 'skipInvalid' | 'strictHeaders' | 'includeLinks' | 'allowDomain'
  > {
  readonly sendEmail: boolean
  readonly rate?: number
  readonly skipInvalid?: boolean
  readonly strictHeaders?: boolean
  readonly includeLinks?: boolean
  readonly allowDomain?: readonly string[]
}

export const define: DefineCommand = (command, context) => {
  command
    .argument('<file>', 'a table, or JSON, with one row an invite; - is stdin')
    /* The flags behind the name of a command below it are that one's. */
    .enablePositionalOptions()
  addLedgerFlags(addRunFlags(addReadingFlags(command)))
  addManual(command, context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [
      'Columns: email; quiz_id or package_id; and name (or first_name and last_name), external_reference, send_email ' +
        '(yes or no), callback_url, in any order and under their usual other names. Flags fill what a row leaves empty. ' +
        '`certify bulk template` prints a file to begin with.',
      'First everything is read and checked, and the plan is printed to stderr: nothing is sent before that. --dry-run ends there. Then ' +
        'you are asked; --yes goes ahead, and without a terminal it is needed.',
      'Every send is recorded in the ledger before it leaves. So the way to resume, whatever ended the run before, is to run ' +
        `the same command again: nobody is invited twice. ${UNENCRYPTED}`,
      'Ctrl-C or SIGTERM once: no further row is begun, what is on its way is waited for, the report is written. Twice: it ' +
        'ends at once; what was on its way is then unknown, and is not sent again.',
    ],
    output:
      'one row a row of the file, as each is done: row, status (created, already_invited, duplicate, rejected, refused, ' +
      'failed, unknown; in a dry run also planned), e-mail, quiz id, package id, external reference, invite ids, expiry, ' +
      'whether it was e-mailed, reference, code, message, and with --include-links the links. On a terminal only what it ' +
      'came to. The plan, the progress and the end go to stderr.',
    json:
      'one line for each row, {"type":"row","row","status","email","invites":[…],…}, and a last one, {"type":"summary",…}; ' +
      'then the plan and the progress are not printed.',
    ids: 'the ids of the invites that were created',
    writes: true,
    words: {
      json: 'print one JSON object a line; errors as one JSON object',
      dryRun: 'end with the plan; send nothing',
    },
    examples: [
      'certify bulk spring.csv --dry-run',
      'certify bulk spring.csv --quiz-id quiz_123 --report report.csv \\\n--failed-out to-fix.csv',
      'certify bulk spring.csv --yes --json --rate 20 > rows.ndjson',
      'export-candidates | certify bulk - --yes --allow-domain example.com',
    ],
  }).action(async (file: string, flags: Flags) => {
    const { rate, allowDomain, ...others } = flags
    if (flags.quizId !== undefined && flags.packageId !== undefined) throw twoTargets()
    const { bulk } = await import('../bulk/run-bulk.ts')
    await bulk(context, file, {
      ...others,
      ...(rate !== undefined && { ratePerSecond: rate }),
      skipInvalid: flags.skipInvalid === true,
      strictHeaders: flags.strictHeaders === true,
      includeLinks: flags.includeLinks === true,
      allowDomain: (allowDomain ?? []).map((domain) => domain.replace(/^@/, '').toLowerCase()),
    })
  })
}

/* What of a file is taken, and how. */
function addReadingFlags(command: Command): Command {
  return command
    .option(`--format <${FORMATS.join('|')}>`, 'the format; default: what the file looks like', readFormat)
    .option('--quiz-id <quiz-id>', 'the quiz of rows that name none', once)
    .option('--package-id <package-id>', 'the package of rows that name none', once)
    .option('--external-reference <text>', 'the reference of rows that have none', once)
    .option('--callback-url <url>', 'where events are sent for rows that do not say; starts with https://', once)
    .option('--no-send-email', 'no e-mail for rows that do not say')
    .option('--strict-headers', 'refuse columns that are not known')
    .option('--skip-invalid', 'leave out rows that are not valid, and send the others')
    .addOption(new RepeatedOption('--allow-domain <domain>', 'only addresses of this domain are valid'))
    .option('--shard <part/of>', 'only one part of the candidates, as in 2/4, always the same ones', readShard)
}

/* How it is sent, and reported. */
function addRunFlags(command: Command): Command {
  return command
    .option(
      '--concurrency <number>',
      'how many requests are on their way at once, up to 256; default: 8',
      readConcurrency,
    )
    .option('--rate <number>', 'how many requests may leave in a second', readRate)
    .option('--max-failures <number>', 'stop when so many rows were refused, failed or are unknown', readCount)
    .option(
      `--if-unknown <${IF_UNKNOWN.join('|')}>`,
      'rows of unknown outcome: refuse leaves them, create sends again',
      readIfUnknown,
      'refuse',
    )
    .option('--report <file>', 'what became of each row: .csv, .ndjson or .json', once)
    .option('--include-links', 'put the links into the output and the report')
    .option('--failed-out <file>', 'the rows to fix and run again: failed, refused or not valid, not the unknown', once)
}

function readFormat(text: string): Format {
  const format = FORMATS.find((each) => each === text)
  if (format === undefined) throw new InvalidArgumentError(`It has to be one of ${FORMATS.join(', ')}.`)
  return format
}

function readIfUnknown(text: string): BulkOptions['ifUnknown'] {
  if (text !== 'refuse' && text !== 'create') throw new InvalidArgumentError('It has to be refuse or create.')
  return text
}

function readShard(text: string): Shard {
  const [, part = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number)
  if (part < 1 || part > of) throw new InvalidArgumentError('It has to be a part and how many there are, as in 2/4.')
  return { part, of }
}

function readConcurrency(text: string): number {
  const count = readCount(text)
  if (count > 256) throw new InvalidArgumentError('It has to be a whole number from 1 to 256.')
  return count
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It has to be a whole number, 1 or more.')
  return Number(text)
}

function readRate(text: string): number {
  const rate = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || rate <= 0)
    throw new InvalidArgumentError('It has to be a number above 0, as in 20 or 0.5.')
  return rate
}

function twoTargets(): CliError {
  return new CliError('--quiz-id and --package-id exclude each other.', 'Give one of them; rows can name their own.')
}
