import { CliError } from '../cli-error.ts'
import type { Env } from '../io.ts'
import { didYouMean } from '../spelling.ts'
import { readDuration } from './duration.ts'

/** A setting of every command: a flag and, for most, a variable of the environment and an entry of a profile. */
export interface Definition {
  readonly flags: string
  /** `undefined` where one value for every command has no use. */
  readonly variable: string | undefined
  readonly summary: string
  readonly values?: readonly string[]
}

export type SettingName = keyof typeof SETTINGS

/** The flags that every command takes, in the order of the help. */
export const SETTINGS = {
  profile: {
    flags: '--profile <profile>',
    variable: 'CERTIFY_PROFILE',
    summary: 'the profile to use; sandbox is for certify mock',
  },
  baseUrl: { flags: '--base-url <url>', variable: 'CERTIFY_BASE_URL', summary: 'the address of the service' },
  json: {
    flags: '--json',
    variable: 'CERTIFY_JSON',
    summary: 'print one JSON document; errors as one JSON object',
  },
  fields: {
    flags: '--fields <fields>',
    variable: 'CERTIFY_FIELDS',
    summary: 'print only these fields, as in a,b; implies --json',
  },
  jq: {
    flags: '--jq <filter>',
    variable: undefined,
    summary: 'print what the program jq makes of the document; implies --json',
  },
  quiet: { flags: '-q, --quiet', variable: 'CERTIFY_QUIET', summary: 'print identifiers only, one a line' },
  noInput: { flags: '--no-input', variable: 'CERTIFY_NO_INPUT', summary: 'never ask; fail if an answer is needed' },
  yes: { flags: '-y, --yes', variable: 'CERTIFY_YES', summary: 'do not ask for confirmation' },
  dryRun: {
    flags: '--dry-run',
    variable: 'CERTIFY_DRY_RUN',
    summary: 'print the request, without the key; send nothing',
  },
  color: {
    flags: '--color <when>',
    variable: 'CERTIFY_COLOR',
    summary: 'colours: auto, always or never',
    values: ['auto', 'always', 'never'],
  },
  debug: {
    flags: '--debug',
    variable: 'CERTIFY_DEBUG',
    summary: 'trace each request on stderr, without keys and data',
  },
  timeout: {
    flags: '--timeout <duration>',
    variable: 'CERTIFY_TIMEOUT',
    summary: 'the time limit of one attempt; default: 30s',
  },
  deadline: {
    flags: '--deadline <duration>',
    variable: 'CERTIFY_DEADLINE',
    summary: 'the time limit of a whole call; default: 90s',
  },
} as const satisfies Readonly<Record<string, Definition>>

/** Flags as commander parsed them. */
export type Flags = Readonly<Record<string, unknown>>

/** A value and its origin: a flag, a variable, a profile or `default`. */
export interface Setting<T> {
  readonly value: T
  readonly origin: string
}

export const UNSET: Setting<undefined> = { value: undefined, origin: 'default' }

/** The settings that have nothing to do with the service. */
export type Preferences = ReturnType<typeof readPreferences>

/** A variable is for every command: one that this command cannot use counts as not set. */
export function usableVariables(
  env: Env,
  { ids, fields }: { readonly ids?: unknown; readonly fields?: readonly string[] },
): Env {
  const { CERTIFY_QUIET, CERTIFY_FIELDS, ...others } = env
  const isKnown = CERTIFY_FIELDS?.split(',').every((each) => fields?.includes(each.trim()))
  return { ...others, ...(ids !== undefined && { CERTIFY_QUIET }), ...(isKnown === true && { CERTIFY_FIELDS }) }
}

/** Reads the preferences: flags override the environment. @throws CliError */
export function readPreferences(flags: Flags, env: Env) {
  const fields = map(readText('fields', flags, env), (text) => text?.split(',').map((each) => each.trim()))
  const jq = readText('jq', flags, env)
  const set = (name: Exclude<SettingName, 'jq'>) => readSwitch(name, flags, env)
  const implied = [jq, fields].find(({ value }) => value !== undefined)
  const json = implied === undefined || set('json').value ? set('json') : { value: true, origin: implied.origin }
  const quiet = set('quiet')
  const color = readText('color', flags, env)
  const noInput = set('noInput')
  return {
    fields,
    jq,
    ...oneOutputForm(json, quiet),
    noInput: noInput.origin === 'default' && isOn(env['CI']) ? { value: true, origin: 'CI' } : noInput,
    yes: set('yes'),
    dryRun: set('dryRun'),
    debug: set('debug'),
    color: map(color, (text = 'auto') => oneOf(color.origin, text, SETTINGS.color.values)),
  }
}

/* JSON and bare identifiers exclude each other. A flag overrides a variable. */
function oneOutputForm(json: Setting<boolean>, quiet: Setting<boolean>): Record<'json' | 'quiet', Setting<boolean>> {
  if (!json.value || !quiet.value) return { json, quiet }
  if (quiet.origin.startsWith('-') && json.origin.startsWith('-')) {
    throw new CliError(
      `${json.origin} and ${quiet.origin} exclude each other.`,
      'Give one of them: --quiet prints identifiers only, one a line.',
    )
  }
  return quiet.origin.startsWith('-')
    ? { quiet, json: { value: false, origin: quiet.origin } }
    : { json, quiet: { value: false, origin: json.origin } }
}

/** The style of an error, as far as a command line that cannot be parsed shows it. */
export function styleBeforeParsing(
  argv: readonly string[],
  env: Env,
): { json: boolean; color: 'auto' | 'always' | 'never' } {
  const color = argv.find((word) => word.startsWith('--color='))?.slice(8) ?? argv[argv.indexOf('--color') + 1]
  const values = SETTINGS.color.values
  const isQuiet = argv.some((word) => /^(--quiet|-y?qy?)$/.test(word))
  return {
    json:
      argv.includes('--json') ||
      argv.some((word) => /^--(fields|jq)(=|$)/.test(word)) ||
      (!isQuiet && (isOn(env['CERTIFY_JSON']) || Boolean(env['CERTIFY_FIELDS']?.trim()))),
    color: values.find((each) => each === color) ?? values.find((each) => each === env['CERTIFY_COLOR']) ?? 'auto',
  }
}

/** Reads a text: flags override the environment, that the profile. An empty variable counts as not set. */
export function readText(
  name: SettingName,
  flags: Flags,
  env: Env,
  profile?: Setting<string | undefined>,
): Setting<string | undefined> {
  const { variable } = SETTINGS[name]
  const flag = flags[name]
  if (typeof flag === 'string') return { value: flag, origin: longFlag(name) }
  const text = variable && env[variable]?.trim()
  if (variable && text) return { value: text, origin: variable }
  return profile?.value === undefined ? UNSET : profile
}

export function readTime(
  name: 'timeout' | 'deadline',
  flags: Flags,
  env: Env,
  profile: Setting<string | undefined>,
): Setting<number | undefined> {
  const setting = readText(name, flags, env, profile)
  return map(setting, (text) => (text === undefined ? undefined : readDuration(setting.origin, text)))
}

/** The long form of a flag, as in `--json`. */
export function longFlag(name: SettingName): string {
  return /--[a-z-]+/.exec(SETTINGS[name].flags)?.[0] ?? name
}

function readSwitch(name: Exclude<SettingName, 'jq'>, flags: Flags, env: Env): Setting<boolean> {
  const { variable } = SETTINGS[name]
  const on = name === 'noInput' ? flags['input'] === false : flags[name] === true
  if (on) return { value: true, origin: longFlag(name) }
  const text = env[variable]?.trim().toLowerCase()
  if (!text) return { value: false, origin: 'default' }
  return { value: YES.has(oneOf(variable, text, [...YES, ...NO])), origin: variable }
}

/** @throws CliError if `text` is none of the values */
export function oneOf<Value extends string>(where: string, text: string, values: readonly Value[]): Value {
  const known = values.find((value) => value === text)
  if (known !== undefined) return known
  throw new CliError(
    `${where} has to be one of ${values.join(', ')}.${didYouMean(text, values)}`,
    'Correct it and run the command again.',
  )
}

function map<From, To>({ value, origin }: Setting<From>, change: (value: From) => To): Setting<To> {
  return { value: change(value), origin }
}

/* CI services set it to any text, or to a word for no. */
function isOn(text: string | undefined): boolean {
  return text !== undefined && text !== '' && !NO.has(text.toLowerCase())
}

export const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on'])
export const NO: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off'])
