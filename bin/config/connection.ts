import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { didYouMean } from '../spelling.ts'
import { configFolder } from './paths.ts'
import { type Flags, longFlag, readText, readTime, type Setting } from './settings.ts'
import { type Config, type Profile, Store } from './store.ts'

/** The service that is meant, each with where it was set. */
export interface Service {
  readonly profile: Setting<string | undefined>
  readonly baseUrl: Setting<string | undefined>
}

/** The service to talk to, who is talking, and for how long; each with where it was set. */
export interface Connection extends Service {
  readonly apiKey: Setting<string | undefined> & { readonly isExposed?: boolean }
  readonly timeoutMs: Setting<number | undefined>
  readonly deadlineMs: Setting<number | undefined>
}

/** The profile of `certify mock`, as its documentation shows it. It is built in, and never stored. */
export const SANDBOX = { name: 'sandbox', baseUrl: 'http://127.0.0.1:4010', key: 'ck_sandbox_full_7h2m9q4x1v8c6t3w' }

/** What this program keeps, in the folder that the environment names. */
export function storeOf(io: Io): Store {
  return new Store(configFolder(io.env), io, !io.env['CERTIFY_CONFIG_DIR'])
}

/** Reads what is set: flag before environment before profile. @throws CliError where that is nothing sensible */
export function readConnection(io: Io, flags: Flags): Connection {
  const { profile, baseUrl, kept } = readService(io, flags)
  const { value: name } = profile
  const origin = `profile ${name}`
  return {
    profile,
    baseUrl,
    apiKey: readKey(io) ?? keyOfProfile(storeOf(io), name, kept, baseUrl),
    timeoutMs: readTime('timeout', flags, io.env, { value: kept.timeout, origin }),
    deadlineMs: readTime('deadline', flags, io.env, { value: kept.deadline, origin }),
  }
}

/** Reads which service is meant, and what its profile keeps, but no key. @throws CliError */
export function readService(io: Io, flags: Flags): Service & { readonly kept: Profile } {
  const store = storeOf(io)
  const config = store.config()
  const profile = readText('profile', flags, io.env, { value: config.profile, origin: store.configPath })
  const { value: name } = profile
  const kept = name === undefined ? {} : profileOf(config, name)
  const baseUrl = readText('baseUrl', flags, io.env, { value: kept.baseUrl, origin: `profile ${name}` })
  refuseContradiction(profile, baseUrl, kept)
  return { profile, baseUrl, kept }
}

/** A profile by its name. @throws CliError where there is none */
export function profileOf({ profiles }: Config, name: string): Profile {
  if (name === SANDBOX.name) return { baseUrl: SANDBOX.baseUrl }
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  const known = [...Object.keys(profiles), SANDBOX.name]
  throw new CliError(
    `there is no profile of this name.${didYouMean(name, known)}`,
    `Known: ${known.join(', ')}. \`certify auth login --profile <profile>\` makes one.`,
    { code: 'CONFIG_INVALID' },
  )
}

/** The key of the environment, by itself or in a file. @throws CliError where that file cannot be read */
export function readKey(io: Io): Setting<string> | undefined {
  const key = io.env['CERTIFY_API_KEY']
  if (key !== undefined && key.trim() !== '') return { value: key, origin: 'CERTIFY_API_KEY' }
  const path = io.env['CERTIFY_API_KEY_FILE']
  if (path === undefined || path.trim() === '') return undefined
  return { value: readKeyFile(io, path), origin: 'CERTIFY_API_KEY_FILE' }
}

/** Two spellings of one address are the same. */
export function sameAddress(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && normalised(one) === normalised(other)
}

/** An address without what may be a secret in it: user, password and query. */
export function shownAddress(address: string): string {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return address.replace(/[?#][\s\S]*$|^[\s\S]*@/g, '')
  const { origin, pathname } = new URL(address)
  return origin + (pathname === '/' ? '' : pathname)
}

/* Whoever names a profile means its service. A variable that still stands somewhere must not send an invite elsewhere. */
function refuseContradiction(named: Setting<unknown>, baseUrl: Setting<string | undefined>, profile: Profile): void {
  const contradicts = named.origin === longFlag('profile') && baseUrl.origin === 'CERTIFY_BASE_URL'
  if (!contradicts || profile.baseUrl === undefined || sameAddress(profile.baseUrl, baseUrl.value)) return
  throw new CliError(
    `--profile means ${shownAddress(profile.baseUrl)}, but CERTIFY_BASE_URL names another address.`,
    'Unset CERTIFY_BASE_URL, leave out --profile, or give the address with --base-url.',
    { code: 'CONFIG_INVALID' },
  )
}

/* A stored key is for the service that it was stored for. */
function keyOfProfile(
  store: Store,
  name: string | undefined,
  profile: Profile,
  baseUrl: Setting<string | undefined>,
): Connection['apiKey'] {
  const none = { value: undefined, origin: 'default' }
  if (name === undefined) return none
  const { keys } = name === SANDBOX.name ? { keys: { [name]: SANDBOX.key } } : store.credentials()
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined
  if (key === undefined) return none
  if (sameAddress(profile.baseUrl, baseUrl.value))
    return { value: key, origin: `profile ${name}`, isExposed: name !== SANDBOX.name && store.isExposed }
  throw new CliError(
    `the key of profile ${name} is for ${shownAddress(profile.baseUrl ?? 'no address')}; it is not sent to the address of ${baseUrl.origin}.`,
    'Set CERTIFY_API_KEY to a key for that address, or make a profile for it: certify auth login --help.',
    { code: 'CONFIG_INVALID' },
  )
}

function readKeyFile(io: Io, path: string): string {
  try {
    const key = io.readFile(path).trim()
    if (key !== '') return key
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw noKeyIn(`cannot be read${reason}`)
  }
  throw noKeyIn('is empty')
}

function noKeyIn(what: string): CliError {
  return new CliError(
    `the file that CERTIFY_API_KEY_FILE names ${what}.`,
    'Check its path, its permissions and what is in it.',
    { code: 'CONFIG_INVALID', exitCode: 4 },
  )
}

function normalised(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address
}
