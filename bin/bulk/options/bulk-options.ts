import { type Command, InvalidArgumentError, Option } from 'commander'
import { addCallbackFlags, type CallbackFlags } from '../../callbacks/callback-urls.ts'
import { configError } from '../../cli-error.ts'
import type { readService } from '../../config/connection.ts'
import { readDuration } from '../../config/duration.ts'
import type { LedgerFlags } from '../../config/ledger.ts'
import { choice, once, RepeatedOption, wholeNumber } from '../../flags.ts'
import { IF_UNKNOWN } from '../../ledger/create-with-ledger.ts'
import { didYouMean } from '../../spelling.ts'
import { encodingName } from './encoding.ts'
import { FIELDS, type HeadingMeaning } from './fields.ts'

/** The formats of an input file. */
export const FORMATS = ['csv', 'tsv', 'ndjson', 'json'] as const

export type Format = (typeof FORMATS)[number]

export interface BulkOptions extends LedgerFlags, CallbackFlags {
  readonly format?: Format
  /** As `encodingName` returns it. */
  readonly encoding?: string
  /** The name of a sheet. */
  readonly sheet?: string
  readonly includeHidden?: boolean
  readonly skipHidden?: boolean
  /** The next three, and callbackUrl, are for rows without a value of their own. */
  readonly quizId?: string
  readonly packageId?: string
  readonly externalReference?: string
  readonly sendEmail: boolean
  readonly strictHeaders?: boolean
  /** What headings mean. It overrides their names. */
  readonly map?: readonly HeadingMeaning[]
  /** The same from the profile: a file need not have these headings. */
  readonly profileMap?: readonly HeadingMeaning[]
  readonly ignoreColumn?: readonly string[]
  readonly skipInvalid?: boolean
  /** In lower case. Default: every domain. */
  readonly allowDomain?: readonly string[]
  readonly shard?: Shard
  readonly concurrency?: number
  /** Requests in a second. */
  readonly rate?: number
  readonly maxFailures?: number
  /** In milliseconds. */
  readonly maxOutage?: number
  /** In milliseconds. */
  readonly maxWait?: number
  readonly ifUnknown: (typeof IF_UNKNOWN)[number]
  readonly allowClockSkew?: boolean
  readonly report?: string
  readonly includeLinks?: boolean
  readonly failedOut?: string
}

/** One part of the candidates, counted from 1. */
export interface Shard {
  readonly part: number
  readonly of: number
}

export function addBulkFlags(command: Command): Command {
  addFormatFlags(command)
    .option('--sheet <name>', 'the sheet of an Excel workbook; default: the first one', once)
    .addOption(new Option('--include-hidden', 'invite the hidden rows of the sheet too').conflicts('skipHidden'))
    .option('--skip-hidden', 'leave out the hidden rows of the sheet')
    .option('--quiz-id <quiz-id>', 'the quiz of rows without one', once)
    .option('--package-id <package-id>', 'the package of rows without one', once)
    .option('--external-reference <text>', 'the reference of rows without one', once)
    .option('--callback-url <url>', 'the address for events of rows without one; starts with https://', once)
  return addCallbackFlags(command)
    .option('--no-send-email', 'no e-mail for rows that do not say')
    .addOption(new RepeatedOption('--map <heading=field>', 'what a column is, as in "Kontakt=email"', readMeaning))
    .addOption(new RepeatedOption('--ignore-column <heading>', 'do not read this column'))
    .option('--strict-headers', 'refuse unknown columns')
    .option('--skip-invalid', 'leave out invalid rows, and send the others')
    .addOption(new RepeatedOption('--allow-domain <domain>', 'only addresses of this domain are valid', readDomain))
    .option('--shard <part/of>', 'only one part of the candidates, as in 2/4; needs a ledger in Postgres', readShard)
    .option('--concurrency <number>', 'the number of concurrent requests, up to 256; default: 8', wholeNumber(1, 256))
    .option('--rate <number>', 'the most requests in a second', readRate)
    .option('--max-failures <number>', 'stop after so many refused, failed or unknown rows', wholeNumber(1))
    .option(
      '--max-outage <duration>',
      'stop if the service does not answer for so long, 0s or more; default: 10m',
      durationOf('--max-outage'),
    )
    .option(
      '--max-wait <duration>',
      'stop if the service asks to wait longer, 0s or more; default: no limit',
      durationOf('--max-wait'),
    )
    .option(
      `--if-unknown <${IF_UNKNOWN.join('|')}>`,
      'rows of unknown outcome: refuse leaves them, create sends again',
      choice(IF_UNKNOWN),
      'refuse',
    )
    .option('--allow-clock-skew', 'send even if the clocks of this machine, the service and the ledger are apart')
    .option('--report <file>', 'write the result of each row: .csv, .ndjson or .json', once)
    .option('--include-links', 'put the links into the output and the report')
    .option('--failed-out <file>', 'write the rows to fix and run again: failed, refused or invalid, not unknown', once)
}

/** Adds the flags that say how to read a file. */
export function addFormatFlags(command: Command): Command {
  return command
    .option(`--format <${FORMATS.join('|')}>`, 'the format; default: detected from the content', choice(FORMATS))
    .option('--encoding <label>', 'the encoding, as in windows-1252; default: UTF-8, or by the mark', readEncoding)
}

function readEncoding(label: string): string {
  const encoding = encodingName(label)
  if (encoding !== undefined) return encoding
  throw new InvalidArgumentError('It has to be a label of the Encoding standard, as in windows-1252 or shift_jis.')
}

/** What headings mean in files of a profile. @throws CliError if a field is unknown */
export function readProfileMap({ profile, stored }: ReturnType<typeof readService>): readonly HeadingMeaning[] {
  return Object.entries(stored.map ?? {}).map(([heading, name]) => {
    const field = FIELDS.find((each) => each === name)
    if (field !== undefined) return { heading, field }
    throw configError(
      `the map of profile ${profile.value} has an unknown field. ${knownFields(name)}`,
      'Correct it in config.json.',
    )
  })
}

function knownFields(name: string): string {
  return `Its field has to be one of ${FIELDS.join(', ')}.${didYouMean(name, FIELDS)}`
}

function readMeaning(text: string, previous: readonly HeadingMeaning[]): HeadingMeaning {
  const [, heading = '', name = ''] = /^(.+)=([^=]*)$/s.exec(text)?.map((each) => each.trim()) ?? []
  if (heading === '') throw new InvalidArgumentError('It has to be a heading and a field, as in "Kontakt=email".')
  const field = FIELDS.find((each) => each === name)
  if (field === undefined) throw new InvalidArgumentError(knownFields(name))
  const isRepeated = previous.some((each) => each.heading.toLowerCase() === heading.toLowerCase())
  if (isRepeated) throw new InvalidArgumentError('The heading is given twice.')
  return { heading, field }
}

/** Reads a duration of 0s or more. */
export function durationOf(flag: string): (text: string) => number {
  return (text) => (/^0(ms|s|m|h)$/.test(text) ? 0 : readDuration(flag, text))
}

function readDomain(text: string): string {
  return text.replace(/^@/, '').toLowerCase()
}

function readShard(text: string): Shard {
  const [, part = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number)
  if (part < 1 || part > of) throw new InvalidArgumentError('It has to be a part and the number of parts, as in 2/4.')
  return { part, of }
}

/** Reads the number of requests in a second. */
export function readRate(text: string): number {
  const rate = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && rate > 0) return rate
  throw new InvalidArgumentError('It has to be a number above 0, as in 20 or 0.5.')
}
