import { isAbsolute, join } from 'node:path'
import { CliError, configError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { profileFlag, readService } from './connection.ts'
import { isUrl, readLedgerUrl } from './ledger-url.ts'
import { stateFolder } from './paths.ts'
import { type Flags, NO, type Setting, YES } from './settings.ts'

/** The flags of a command that may use the ledger. `true` is `--ledger` without a path, `false` is `--no-ledger`. */
export interface LedgerFlags {
  readonly ledger?: string | boolean
  readonly account?: string
}

/** The place of the ledger and the account of its entries; each with its origin. */
export interface LedgerPlace {
  /** The path of its file. Of a database: its URL without user and password. */
  readonly path: Setting<string>
  /** The URL to connect to; `undefined` for a file. It may have a password: it is never shown. */
  readonly databaseUrl: string | undefined
  /** What --ledger was given; `undefined` if the flag has no value. It has no password. */
  readonly flag: string | undefined
  readonly account: Setting<string>
  /** {@link profileFlag} */
  readonly profileFlag: string
  /** What turns the ledger on for single creates; `undefined` if nothing does. */
  readonly turnedOnBy: string | undefined
}

export const LEDGER_VARIABLES = { path: 'CERTIFY_LEDGER', account: 'CERTIFY_ACCOUNT' } as const

/** Reads the place of the ledger: flags override the environment, the environment the profile. @throws CliError */
export function readLedgerPlace(io: Io, root: Flags, flags: LedgerFlags): LedgerPlace {
  const { profile, stored } = readService(io, root)
  const origin = `profile ${profile.value}`
  const settings = ledgerSettings(io, flags, stored.ledger, origin)
  const [first] = settings
  const named = settings.find((each): each is Setting<string> => typeof each.value === 'string') ?? {
    value: join(stateFolder(io.env), 'ledger.sqlite'),
    origin: 'default',
  }
  const isVariable = named.origin === LEDGER_VARIABLES.path
  const database = isUrl(named.value) ? readLedgerUrl(io, named.value, named.origin, isVariable) : undefined
  return {
    path: { value: database?.shown ?? named.value, origin: named.origin },
    databaseUrl: database?.url,
    flag: typeof flags.ledger === 'string' ? named.value : undefined,
    profileFlag: profileFlag(root),
    account: readAccount(io, flags, { value: stored.account?.trim(), origin }),
    turnedOnBy: first === undefined || first.value === false ? undefined : first.origin,
  }
}

/** The path of the ledger's file; `undefined` for a database. */
export function fileOf({ path, databaseUrl }: LedgerPlace): string | undefined {
  return databaseUrl === undefined ? path.value : undefined
}

/* A path, or whether there is to be a ledger. The first one overrides the others. */
function ledgerSettings(
  { env }: Io,
  { ledger }: LedgerFlags,
  stored: string | boolean | undefined,
  profile: string,
): readonly Setting<string | boolean>[] {
  const flag = typeof ledger === 'string' ? filled('--ledger', ledger) : ledger
  if ((flag === undefined || flag === true) && env[LEDGER_VARIABLES.path]?.trim() === '') throw emptyVariable()
  const variable = parseLedger(env[LEDGER_VARIABLES.path])
  const inProfile = typeof stored === 'boolean' ? stored || undefined : parseLedger(stored)
  if (typeof inProfile === 'string' && !isAbsolute(inProfile) && !isUrl(inProfile)) {
    /* A relative path would be another file in each folder, and each would know only some of the invites. */
    throw configError(
      `the path of the ledger in ${profile} is not absolute.`,
      'Write the whole path into config.json, the URL of a database, or yes for the ledger at the default place.',
    )
  }
  const settings = [
    { value: flag, origin: flag === false ? '--no-ledger' : '--ledger' },
    { value: variable, origin: LEDGER_VARIABLES.path },
    { value: inProfile, origin: profile },
  ]
  return settings.filter((each): each is Setting<string | boolean> => each.value !== undefined)
}

/* Another ledger than the one that was meant would know nobody. */
function emptyVariable(): CliError {
  return configError(
    `${LEDGER_VARIABLES.path} is set, but empty.`,
    'Set it to a path, to postgres://<host>/<database>, to yes or to no; or unset it. In a pipeline, look whether the secret ' +
      'exists.',
  )
}

/* A word for no counts as not set. */
function parseLedger(text: string | undefined): string | true | undefined {
  const value = text?.trim()
  if (!value || NO.has(value.toLowerCase())) return undefined
  return YES.has(value.toLowerCase()) ? true : value
}

function readAccount({ env }: Io, { account }: LedgerFlags, stored: Setting<string | undefined>): Setting<string> {
  if (account !== undefined) return { value: filled('--account', account), origin: '--account' }
  const variable = env[LEDGER_VARIABLES.account]?.trim()
  if (variable) return { value: variable, origin: LEDGER_VARIABLES.account }
  /* One default for all: two keys of one account must never count as two accounts. */
  return stored.value ? { value: stored.value, origin: stored.origin } : { value: 'default', origin: 'default' }
}

function filled(flag: string, text: string): string {
  const value = text.trim()
  if (value !== '') return value
  throw new CliError(`${flag} must not be blank.`, 'Give it a value, or leave it out.')
}
