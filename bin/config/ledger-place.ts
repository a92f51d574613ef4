import { isAbsolute, join } from 'node:path'
import type { Command } from 'commander'
import { type CliError, configError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { profileFlag, readService } from './connection.ts'
import { isUrl, type LedgerUrl, readLedgerUrl } from './ledger-url.ts'
import { stateFolder } from './paths.ts'
import { readOption, type Setting } from './settings.ts'

/** The place of the ledger and the account of its records; each with its origin. */
export interface LedgerPlace {
  /** The path of its file, `:memory:`, or the URL of a database without user and password. */
  readonly path: Setting<string>
  readonly database: LedgerUrl | undefined
  readonly account: Setting<string>
  /** {@link hintFlags} */
  readonly flags: string
}

/** The ledger that keeps nothing. */
export const IN_MEMORY = ':memory:'

/** Reads the place of the ledger: flags override the environment, the environment the profile. @throws CliError */
export function readLedgerPlace(io: Io, root: Command, command: Command): LedgerPlace {
  if (command.getOptionValueSource('ledger') === 'env' && io.env['CERTIFY_LEDGER']?.trim() === '') throw emptyVariable()
  const { profile, stored } = readService(io, root)
  const origin = `profile ${profile.value}`
  const given = readOption(command, 'ledger')
  const place = given ??
    (stored.ledger === undefined ? undefined : { value: absolute(stored.ledger, origin), origin }) ?? {
      value: join(stateFolder(io.env), 'ledger.sqlite'),
      origin: 'default',
    }
  const database = isUrl(place.value) ? readLedgerUrl(place.value, place.origin) : undefined
  /* The same default for every key: two keys of one account must never count as two accounts. */
  const account = readOption(command, 'account') ?? {
    value: stored.account ?? 'default',
    origin: stored.account === undefined ? 'default' : origin,
  }
  return {
    path: { value: database?.shown ?? place.value, origin: place.origin },
    database,
    account,
    flags: hintFlags(root, command),
  }
}

/** The flags that a command in a hint needs to use the same profile and ledger; empty if it needs none. */
export function hintFlags(root: Command, command: Command): string {
  const ledger = readOption(command, 'ledger')
  return profileFlag(root) + (ledger?.origin === '--ledger' ? ` --ledger ${shellQuoted(ledger.value)}` : '')
}

/** The file of a ledger; `undefined` if it has none. */
export function fileOf({ path, database }: LedgerPlace): string | undefined {
  return database === undefined && path.value !== IN_MEMORY ? path.value : undefined
}

/* A relative path would be a different file in each folder, and each would know only some of the invites. */
function absolute(stored: string, origin: string): string {
  if (isAbsolute(stored) || isUrl(stored) || stored === IN_MEMORY) return stored
  throw configError(
    `the path of the ledger in ${origin} is not absolute.`,
    'Store the whole path: certify auth login --ledger "$PWD/invites.ledger".',
  )
}

/* Falling back to another ledger than the intended one could invite everybody again. */
function emptyVariable(): CliError {
  return configError(
    'CERTIFY_LEDGER is set, but empty.',
    'Set it to a path or to postgres://<host>/<database>, or unset it. In a pipeline, check whether the secret exists.',
  )
}

/** A word of a command for a shell. */
export function shellQuoted(path: string): string {
  return /^[\w./:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
