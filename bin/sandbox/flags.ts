import { type Command, InvalidArgumentError } from 'commander'
import { filled, isMoment, once, RepeatedOption, wholeNumber } from '../flags.ts'

export interface MockFlags {
  readonly port?: number
  readonly host?: string
  readonly allowHost?: readonly string[]
  readonly control: boolean
  readonly seed?: string
  /** `true`: frozen at the time of the start. */
  readonly frozen?: string | true
  readonly world?: string
  readonly state?: string
  readonly exportOnExit?: string
  readonly mapCallback?: readonly Mapping[]
  /** Parsed JSON, not yet checked. */
  readonly fault?: readonly unknown[]
  readonly behaviour?: readonly (Switch | BehaviourFile)[]
}

/** A behaviour switch and its setting, not yet checked. */
type Switch = readonly [name: string, setting: unknown]

/** The path of a file with switches, such as `certify mock learn` writes. */
type BehaviourFile = readonly [path: string]

/** An origin, and the origin that receives its callbacks. */
type Mapping = readonly [origin: string, to: string]

export function addMockFlags(command: Command, port: string): Command {
  return command
    .option('--port <number>', `the port; 0 picks a free one; default: ${port}`, wholeNumber(0, 65_535))
    .option('--host <address>', 'the address to listen on; default: 127.0.0.1', filled)
    .addOption(new RepeatedOption('--allow-host <name>', 'a host name under which the page may be requested', readName))
    .option('--no-control', 'no page and no control API')
    .option('--seed <text>', 'the seed of all identifiers', once)
    .option('--frozen [time]', 'a frozen clock: now, or at a time', readTime)
    .option('--world <file>', 'start with the world in this file, in YAML or JSON', once)
    .option('--state <file>', 'start with the state in this file', once)
    .option('--export-on-exit <file>', 'write the state to this file on exit', once)
    .addOption(
      new RepeatedOption('--map-callback <from=to>', 'send the callbacks of one origin to another', readMapping),
    )
    .addOption(new RepeatedOption('--fault <json>', 'a fault rule, in JSON', readRule))
    .addOption(new RepeatedOption('--behaviour <switch>', 'a switch (docs/spec-gaps.md), or a file', readSwitch))
}

/** Options that the help of the mock only names. */
export const MORE_MOCK_OPTIONS = '--seed --allow-host --state --export-on-exit --map-callback --fault'

function readName(text: string): string {
  if (!/^([\w-]+(\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(text))
    throw new InvalidArgumentError('It must be the name of a host without a port, such as mock.')
  return text
}

function readTime(text: string): string {
  if (isMoment(text)) return text
  throw new InvalidArgumentError('It must be a date, or a time with its zone, such as 2030-01-01T09:00:00Z.')
}

function readMapping(text: string, previous: readonly Mapping[]): Mapping {
  const [, from = '', to = ''] = /^(https?:\/\/[^=]+)=(https?:\/\/.+)$/.exec(text) ?? []
  if (!URL.canParse(from) || !URL.canParse(to))
    throw new InvalidArgumentError('Write it as https://app.example=http://127.0.0.1:3000.')
  const { origin, pathname, search, hash } = new URL(from)
  if (pathname + search + hash !== '/')
    throw new InvalidArgumentError(
      'A mapping is for a whole origin: write it without a path, as https://app.example=….',
    )
  if (previous.some(([known]) => known === origin)) throw new InvalidArgumentError('This origin is mapped twice.')
  return [origin, to]
}

function readSwitch(text: string, previous: readonly (Switch | BehaviourFile)[]): Switch | BehaviourFile {
  const [, name = '', value = ''] = /^(\w+)=([\s\S]+)$/.exec(text) ?? []
  if (name === '' && /[./\\]/.test(text)) return [text]
  if (name === '') {
    throw new InvalidArgumentError('Write it as name=value, such as pendingInvite=refuse, or name a file.')
  }
  if (previous.some(([known]) => known === name)) throw new InvalidArgumentError(`${name} is set twice.`)
  return [name, settingOf(value)]
}

/* Words are strings, even `null`, which is the name of a setting. */
function settingOf(value: string): unknown {
  if (!/^[\d[{"]/.test(value)) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

function readRule(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidArgumentError('It must be JSON, such as {"fault":503}; put it in single quotes.')
  }
}
