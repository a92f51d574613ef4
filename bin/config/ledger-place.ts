import { isAbsolute, join } from 'node:path'
import type { Command } from 'commander'
import {
  isUrl,
  NOT_EXPANDED,
  parsePostgresUrl,
  schemaIn,
  shownPostgresUrl,
  unexpandedIn,
} from '../../src/util/index.ts'
import { CliError, configError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { profileFlag, readService } from './connection.ts'
import { stateFolder } from './store.ts'
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

/** The account of records whose account nobody named. */
export const DEFAULT_ACCOUNT = 'default'

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
  if (database === undefined && place.origin !== 'default') refuseUnexpanded(place.value, place.origin)
  /* The same default for every key: two keys of one account must never count as two accounts. */
  const account = readOption(command, 'account') ?? {
    value: stored.account ?? DEFAULT_ACCOUNT,
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

/** A ledger in a database. */
interface LedgerUrl {
  /** The URL to connect to. It may have a password: it is never shown. */
  readonly url: string
  /** The same for people and reports: without the user, the password and other details of the connection. */
  readonly shown: string
}

/** @throws CliError if the path of a ledger is not expanded */
export function refuseUnexpanded(path: string, origin: string): void {
  const unexpanded = unexpandedIn(path, process.platform)
  if (unexpanded !== undefined) throw configError(`the path of the ledger (${origin}) has ${unexpanded}.`, NOT_EXPANDED)
}

/**
 * Reads the URL of a ledger in Postgres. No message contains the URL, which may have a password.
 *
 * @param origin a flag, a variable or a profile: only a variable may have a password
 * @throws CliError
 */
export function readLedgerUrl(text: string, origin: string): LedgerUrl {
  const url = parse(text, origin)
  const hasPassword = url.password !== '' || [...url.searchParams.keys()].some((name) => /password/i.test(name))
  if (hasPassword && origin !== 'CERTIFY_LEDGER') throw passwordShown(origin)
  return { url: url.href, shown: shownPostgresUrl(url, schemaIn(url)) }
}

function parse(text: string, origin: string): URL {
  if (!/^\s*postgres(ql)?:/i.test(text)) {
    throw configError(
      `the ledger of ${origin} is a URL, but not of Postgres.`,
      'Give the path of a file, with ./ before a name with a colon, or postgres://<host>/<database>.',
    )
  }
  /* A user without a host is valid for Postgres: it means the socket of this machine. */
  const url = parsePostgresUrl(text) ?? parsePostgresUrl(text.replace('@/', '@localhost/'))
  if (url !== undefined && text.includes('://')) return url
  throw configError(
    `the URL of the ledger (${origin}) is not valid.`,
    'Write postgres://<user>@<host>:<port>/<database>?schema=<schema>, with %40 for an @ inside a part.',
  )
}

function passwordShown(origin: string): CliError {
  return new CliError(
    `the ledger URL of ${origin} has a password, which others on this machine could read. Nothing was sent.`,
    'Set the password in PGPASSWORD or a password file (~/.pgpass), or put the whole URL into the variable CERTIFY_LEDGER.',
    { code: origin.startsWith('--') ? 'USAGE' : 'CONFIG_INVALID' },
  )
}
