import { isAbsolute, join } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { readService } from './connection.ts'
import { stateFolder } from './paths.ts'
import { type Flags, NO, type Setting, YES } from './settings.ts'
import type { Profile } from './store.ts'

/** The flags of a command that may use the ledger. `true` is the flag without a path, `false` is `--no-ledger`. */
export interface LedgerFlags {
  readonly ledger?: string | boolean
  readonly account?: string
}

/** Where the ledger is, and to which account its entries belong; each with where it was set. */
export interface LedgerPlace {
  readonly path: Setting<string>
  readonly account: Setting<string>
}

/** The variables of the ledger. */
export const LEDGER_VARIABLES = { path: 'CERTIFY_LEDGER', account: 'CERTIFY_ACCOUNT' } as const

/* One for all, on purpose: two keys of one account must never count as two accounts. */
const DEFAULT_ACCOUNT = 'default'

/** The ledger of a command that always has one: flag before environment before profile before the default. @throws CliError */
export function readLedgerPlace(io: Io, root: Flags, flags: LedgerFlags): LedgerPlace {
  const { profile, kept } = readService(io, root)
  const settings = ledgerSettings(io, flags, kept, `profile ${profile.value}`)
  const named = settings.find((each): each is Setting<string> => typeof each.value === 'string')
  const path = named ?? { value: defaultPath(io), origin: 'default' }
  return { path, account: readAccount(io, flags, kept, `profile ${profile.value}`) }
}

/** The ledger of a command that has one where it is turned on; `undefined` where it is not. @throws CliError */
export function readLedgerPlaceIfOn(
  io: Io,
  root: Flags,
  flags: LedgerFlags,
): (LedgerPlace & { readonly turnedOnBy: string }) | undefined {
  const { profile, kept } = readService(io, root)
  const [first] = ledgerSettings(io, flags, kept, `profile ${profile.value}`)
  if (first === undefined || first.value === false) return undefined
  return { ...readLedgerPlace(io, root, flags), turnedOnBy: first.origin }
}

/* Whatever is set, the first goes before the others: a path, or whether there is to be a ledger. */
function ledgerSettings(
  { env }: Io,
  { ledger }: LedgerFlags,
  kept: Profile,
  profile: string,
): readonly Setting<string | boolean>[] {
  const flag = typeof ledger === 'string' ? filled('--ledger', ledger) : ledger
  const variable = meaningOf(env[LEDGER_VARIABLES.path])
  const stored = typeof kept.ledger === 'boolean' ? kept.ledger || undefined : meaningOf(kept.ledger)
  if (typeof stored === 'string' && !isAbsolute(stored)) throw relative(profile)
  return [
    ...(flag === undefined ? [] : [{ value: flag, origin: flag === false ? '--no-ledger' : '--ledger' }]),
    ...(variable === undefined ? [] : [{ value: variable, origin: LEDGER_VARIABLES.path }]),
    ...(stored === undefined ? [] : [{ value: stored, origin: profile }]),
  ]
}

/* A word for no is as good as nothing. */
function meaningOf(text: string | undefined): string | true | undefined {
  const value = text?.trim()
  if (!value || NO.has(value.toLowerCase())) return undefined
  return YES.has(value.toLowerCase()) ? true : value
}

function defaultPath({ env }: Io): string {
  return join(stateFolder(env), 'ledger.sqlite')
}

function readAccount({ env }: Io, { account }: LedgerFlags, kept: Profile, profile: string): Setting<string> {
  if (account !== undefined) return { value: filled('--account', account), origin: '--account' }
  const variable = env[LEDGER_VARIABLES.account]?.trim()
  if (variable) return { value: variable, origin: LEDGER_VARIABLES.account }
  const stored = kept.account?.trim()
  return stored ? { value: stored, origin: profile } : { value: DEFAULT_ACCOUNT, origin: 'default' }
}

function filled(flag: string, text: string): string {
  const value = text.trim()
  if (value !== '') return value
  throw new CliError(`${flag} must not be blank.`, 'Give it a value, or leave it out.')
}

/* It would be another file in each folder, and each of them would know only some of the invites. */
function relative(profile: string): CliError {
  return new CliError(
    `the path of the ledger in ${profile} is not absolute.`,
    'Write the whole path into config.json, or yes for the ledger at the default place.',
    { code: 'CONFIG_INVALID' },
  )
}
