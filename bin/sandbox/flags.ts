import { type Command, InvalidArgumentError } from 'commander'
import { once, RepeatedOption } from '../flags.ts'

/** What the flags of a mock say. */
export interface MockFlags {
  readonly port?: number
  readonly host?: string
  readonly allowHost?: readonly string[]
  readonly control: boolean
  readonly controlTokenFile?: string
  readonly seed?: string
  /** `true` for the time at which it starts. */
  readonly frozen?: string | true
  readonly state?: string
  readonly exportOnExit?: string
  readonly mapCallback?: readonly Mapping[]
  /** Rules as they were given, not yet checked. */
  readonly fault?: readonly unknown[]
  readonly session?: readonly string[]
}

/** An origin, and where its callbacks are sent instead. */
type Mapping = readonly [origin: string, to: string]

/** Gives a command the flags of a mock. */
export function addMockFlags(command: Command, port: string): Command {
  return command
    .option('--port <number>', `the port to listen on; 0 picks a free one; default: ${port}`, readPort)
    .option('--host <address>', 'the address to listen on; default: 127.0.0.1', readHost)
    .addOption(new RepeatedOption('--allow-host <name>', 'a name that the page may be asked for by', readName))
    .option('--no-control', 'no page and no control API')
    .option('--control-token-file <file>', 'a file with the token that these two ask for', once)
    .option('--seed <text>', 'what identifiers are derived from', once)
    .option('--frozen [time]', 'a frozen clock: now, or at a time', readTime)
    .option('--state <file>', 'begin with the state in this file', once)
    .option('--export-on-exit <file>', 'write the state to this file at the end', once)
    .addOption(
      new RepeatedOption('--map-callback <from=to>', 'send the callbacks of one origin to another', readMapping),
    )
    .addOption(new RepeatedOption('--fault <json>', 'a rule for what goes wrong', readRule))
    .addOption(new RepeatedOption('--session <id>', 'open another world behind the address'))
}

/** What the help says of them, beside a line each. */
export const MOCK_NOTES = [
  'State: --state takes what --export-on-exit wrote, or the export of the page. Where both name one file that is not ' +
    'there yet, the mock starts afresh and writes it at its end. Faults and sessions are no part of it; ' +
    'its links keep the address they were made with, so use the same --port.',
  'Callbacks go to this machine alone, and to where --map-callback sends them, as in ' +
    '--map-callback https://app.example=http://127.0.0.1:3000.',
  'A fault is a rule of mock.faults.add in JSON; docs/mock-control.md has more of them: ' +
    '--fault \'{"phase":"after","fault":"cut"}\' creates the next invite, and cuts the connection.',
  'Others can reach a mock that does not listen on 127.0.0.1. Its page and its control API then answer to the names of ' +
    '--allow-host, and ask for a token where CERTIFY_CONTROL_TOKEN or the file of --control-token-file has one.',
]

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It has to be a whole number from 0 to 65535.')
  return port
}

/* An empty one would be every address of this machine. */
function readHost(text: string, previous: string | undefined): string {
  if (once(text, previous).trim() === '') throw new InvalidArgumentError('It has to be an address, such as 127.0.0.1.')
  return text
}

function readName(text: string): string {
  if (!/^([\w-]+(\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(text))
    throw new InvalidArgumentError('It has to be the name of a host without a port, such as mock.')
  return text
}

/* A time without its zone would be another one on another machine. */
function readTime(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  if (isTime && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError('It has to be a date, or a time with its zone, such as 2030-01-01T09:00:00Z.')
}

/* A day that a month does not have would be one of the next month. */
function isDay(date: string): boolean {
  const time = new Date(date)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
}

function readMapping(text: string, previous: readonly Mapping[]): Mapping {
  const [, from = '', to = ''] = /^(https?:\/\/[^=]+)=(https?:\/\/.+)$/.exec(text) ?? []
  if (!URL.canParse(from) || !URL.canParse(to))
    throw new InvalidArgumentError('Write it as https://app.example=http://127.0.0.1:3000.')
  const { origin, pathname, search, hash } = new URL(from)
  if (pathname + search + hash !== '/')
    throw new InvalidArgumentError('All of an origin is mapped: write it without a path, as https://app.example=….')
  if (previous.some(([known]) => known === origin)) throw new InvalidArgumentError('This origin is mapped twice.')
  return [origin, to]
}

function readRule(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidArgumentError('It has to be JSON, such as {"fault":503}; put it in single quotes.')
  }
}
