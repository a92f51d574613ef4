import { configError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { readSecretFile } from '../read-file.ts'
import { didYouMean } from '../spelling.ts'
import { configFolder } from './paths.ts'
import { type Flags, longFlag, readText, readTime, type Setting, UNSET } from './settings.ts'
import { type Config, type Profile, Store } from './store.ts'

/** The service to talk to, the key, and the time limits; each with its origin. */
export interface Connection {
  readonly profile: Setting<string | undefined>
  readonly baseUrl: Setting<string | undefined>
  readonly apiKey: Setting<string | undefined> & { readonly isExposed?: boolean }
  readonly timeoutMs: Setting<number | undefined>
  readonly deadlineMs: Setting<number | undefined>
}

/** The built-in profile of `certify mock`, with its documented key. It is never stored. */
export const SANDBOX = { name: 'sandbox', baseUrl: 'http://127.0.0.1:4010', key: 'ck_sandbox_full_7h2m9q4x1v8c6t3w' }

/** The configuration files, in the folder that the environment names. */
export function storeOf(io: Io): Store {
  return new Store(configFolder(io.env), io, !io.env['CERTIFY_CONFIG_DIR'])
}

/** Reads the connection: flags override the environment, the environment the profile. @throws CliError */
export function readConnection(io: Io, flags: Flags): Connection {
  const { profile, baseUrl, stored } = readService(io, flags)
  const origin = `profile ${profile.value}`
  return {
    profile,
    baseUrl,
    apiKey: readKey(io) ?? keyOfProfile(storeOf(io), profile.value, stored, baseUrl),
    timeoutMs: readTime('timeout', flags, io.env, { value: stored.timeout, origin }),
    deadlineMs: readTime('deadline', flags, io.env, { value: stored.deadline, origin }),
  }
}

/** Reads the service and its stored profile, without the key. @throws CliError */
export function readService(
  io: Io,
  flags: Flags,
): Pick<Connection, 'profile' | 'baseUrl'> & { readonly stored: Profile } {
  const store = storeOf(io)
  const config = store.config()
  const profile = readText('profile', flags, io.env, { value: config.profile, origin: store.configPath })
  const { value: name } = profile
  const stored = name === undefined ? {} : profileOf(config, name)
  const baseUrl = readText('baseUrl', flags, io.env, { value: stored.baseUrl, origin: `profile ${name}` })
  refuseContradiction(profile, baseUrl, stored)
  return { profile, baseUrl, stored }
}

/** The flag that a hint's command needs for the same profile; empty if it finds it without. */
export function profileFlag({ profile }: Flags): string {
  return typeof profile === 'string' ? ` --profile ${profile}` : ''
}

export function profileOf({ profiles }: Config, name: string): Profile {
  if (name === SANDBOX.name) return { baseUrl: SANDBOX.baseUrl }
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  const names = [...Object.keys(profiles), SANDBOX.name]
  throw configError(
    `there is no profile of this name.${didYouMean(name, names)}`,
    `Known: ${names.join(', ')}. \`certify auth login --profile <profile>\` makes one.`,
  )
}

export function isSameAddress(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && normalised(one) === normalised(other)
}

function normalised(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/(?<!\/)\/+$/, '') : address
}

/** An address without its user, password and query: they may be secret. */
export function shownAddress(address: string): string {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return address.replace(/[?#][\s\S]*$|^[\s\S]*@/g, '')
  const { origin, pathname } = new URL(address)
  return origin + (pathname === '/' ? '' : pathname)
}

/* Who names a profile means its service. A forgotten variable must not send an invite elsewhere. */
function refuseContradiction(named: Setting<unknown>, baseUrl: Setting<string | undefined>, profile: Profile): void {
  const contradicts = named.origin === longFlag('profile') && baseUrl.origin === 'CERTIFY_BASE_URL'
  if (!contradicts || profile.baseUrl === undefined || isSameAddress(profile.baseUrl, baseUrl.value)) return
  throw configError(
    `--profile means ${shownAddress(profile.baseUrl)}, but CERTIFY_BASE_URL names another address.`,
    'Unset CERTIFY_BASE_URL, leave out --profile, or set the address with --base-url.',
  )
}

function readKey(io: Io): Setting<string> | undefined {
  const key = io.env['CERTIFY_API_KEY']
  if (key !== undefined && key.trim() !== '') return { value: key, origin: 'CERTIFY_API_KEY' }
  const origin = 'CERTIFY_API_KEY_FILE'
  const path = io.env[origin]
  if (path === undefined || path.trim() === '') return undefined
  const value = readSecretFile(io, path, (reason) =>
    configError(`the file of ${origin} ${reason}.`, 'Check its path, its permissions and its content.', 4),
  )
  return { value, origin }
}

/* A stored key is only for the service that it was stored for. */
function keyOfProfile(
  store: Store,
  name: string | undefined,
  profile: Profile,
  baseUrl: Setting<string | undefined>,
): Connection['apiKey'] {
  if (name === undefined) return UNSET
  const { keys } = name === SANDBOX.name ? { keys: { [name]: SANDBOX.key } } : store.credentials()
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined
  if (key === undefined) return UNSET
  if (isSameAddress(profile.baseUrl, baseUrl.value))
    return { value: key, origin: `profile ${name}`, isExposed: name !== SANDBOX.name && store.isExposed }
  throw configError(
    `the key of profile ${name} is for ${shownAddress(profile.baseUrl ?? 'no address')}; it is not sent to the address of ${baseUrl.origin}.`,
    'Set CERTIFY_API_KEY to a key for that address, or make a profile for it: certify auth login --help.',
  )
}
