import type { Command } from 'commander'
import { configError } from '../cli-error.ts'
import { readSecretFile } from '../files.ts'
import type { Io } from '../io.ts'
import { didYouMean } from '../spelling.ts'
import { type Config, configFolder, type Profile, type SessionHeaders, Store } from './store.ts'
import { readOption, type Setting, UNSET } from './settings.ts'

/** The credentials: an API key, or the headers of an admin session. */
export type Authentication =
  | { readonly apiKey: string; readonly session?: undefined }
  | { readonly session: SessionHeaders; readonly apiKey?: undefined }

/** The service to talk to, each part with its origin. */
export interface Service {
  readonly profile: Setting<string | undefined>
  readonly baseUrl: Setting<string | undefined>
  readonly stored: Profile
}

/** The same with its credentials. */
export interface Connection extends Omit<Service, 'stored'> {
  readonly authentication: Setting<Authentication | undefined> & { readonly isExposed?: boolean }
}

/** The built-in profile of `certify mock`, with its documented key. It is never stored. */
export const SANDBOX = { name: 'sandbox', baseUrl: 'http://127.0.0.1:4010', key: 'ck_sandbox_full_7h2m9q4x1v8c6t3w' }

/** The configuration files, in the folder that the environment names. */
export function storeOf({ env }: Pick<Io, 'env'>): Store {
  return new Store(configFolder(env), !env['CERTIFY_CONFIG_DIR'])
}

/** Reads the connection: flags override the environment, the environment the profile. @throws CliError */
export function readConnection(io: Io, root: Command): Connection {
  const { stored, ...service } = readService(io, root)
  return { ...service, authentication: fromEnvironment(io) ?? ofProfile(storeOf(io), service, stored) }
}

/** Reads the service and its stored profile, without credentials. @throws CliError */
export function readService(io: Io, root: Command): Service {
  const store = storeOf(io)
  const config = store.config()
  const active = config.profile === undefined ? UNSET : { value: config.profile, origin: store.configPath }
  const profile = readOption(root, 'profile') ?? active
  const { value: name } = profile
  const stored = name === undefined ? {} : profileOf(config, name)
  const ofStored = stored.baseUrl === undefined ? UNSET : { value: stored.baseUrl, origin: `profile ${name}` }
  const baseUrl = readOption(root, 'baseUrl') ?? ofStored
  refuseContradiction(profile, baseUrl, stored)
  return { profile, baseUrl, stored }
}

/** The flag that a command in a hint needs for the same profile; empty if it needs none. */
export function profileFlag(root: Command): string {
  const { origin, value } = readOption(root, 'profile') ?? UNSET
  return origin === '--profile' ? ` --profile ${value}` : ''
}

function profileOf({ profiles }: Config, name: string): Profile {
  if (name === SANDBOX.name) return { baseUrl: SANDBOX.baseUrl }
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  const names = [...Object.keys(profiles), SANDBOX.name]
  throw configError(
    `there is no profile with this name.${didYouMean(name, names)}`,
    `Known: ${names.join(', ')}. \`certify auth login --profile <name>\` makes one.`,
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

/* Naming a profile means naming its service: a forgotten variable must not send an invite elsewhere. */
function refuseContradiction(named: Setting<unknown>, baseUrl: Setting<string | undefined>, profile: Profile): void {
  const contradicts = named.origin === '--profile' && baseUrl.origin === 'CERTIFY_BASE_URL'
  if (!contradicts || profile.baseUrl === undefined || isSameAddress(profile.baseUrl, baseUrl.value)) return
  throw configError(
    `--profile means ${shownAddress(profile.baseUrl)}, but CERTIFY_BASE_URL names another address.`,
    'Unset CERTIFY_BASE_URL, leave out --profile, or set the address with --base-url.',
  )
}

function fromEnvironment(io: Io): Setting<Authentication> | undefined {
  const names = ['CERTIFY_API_KEY', 'CERTIFY_API_KEY_FILE', 'CERTIFY_SESSION_HEADERS'] as const
  const [name, other] = names.filter((each) => io.env[each]?.trim())
  const text = name && io.env[name]
  if (name === undefined || text === undefined) return undefined
  if (other === 'CERTIFY_SESSION_HEADERS') {
    throw configError(`${name} and ${other} are both set.`, 'Unset one of them: it is a key or a session.', 4)
  }
  if (name === 'CERTIFY_SESSION_HEADERS') return { value: { session: parseSession(text, name) }, origin: name }
  if (name === 'CERTIFY_API_KEY') return { value: { apiKey: text }, origin: name }
  const apiKey = readSecretFile(io, text, (reason) =>
    configError(`the file of ${name} ${reason}.`, 'Check its path, its permissions and its content.', 4),
  )
  return { value: { apiKey }, origin: name }
}

/** Reads the headers of an admin session: a JSON object of strings, or lines like `cookie: …`. @throws CliError */
export function parseSession(text: string, where: string): SessionHeaders {
  const lines = text.trim().startsWith('{') ? undefined : text.trim().split(/\r?\n/)
  const pairs = lines?.map((line) => /^([!#$%&'*+.^\w`|~-]+):\s*(.+)$/.exec(line.trim())?.slice(1) ?? [])
  const headers = pairs === undefined ? parsed(text) : Object.fromEntries(pairs)
  const names = Object.keys(headers)
  if (names.length > 0 && !names.includes('undefined')) return headers
  throw configError(
    `${where} has no headers of a session.`,
    'Write a JSON object such as {"cookie":"…"}, or a line "name: value" for each header.',
    4,
  )
}

function parsed(text: string): SessionHeaders {
  try {
    const value = JSON.parse(text) as SessionHeaders
    return Object.values(value).every((each) => typeof each === 'string') ? value : {}
  } catch {
    /* The content stays out of the message. */
    return {}
  }
}

/* Stored credentials are sent only to the service that they were stored for. */
function ofProfile(
  store: Store,
  { profile: { value: name }, baseUrl }: Omit<Service, 'stored'>,
  profile: Profile,
): Connection['authentication'] {
  if (name === undefined) return UNSET
  const credentials = name === SANDBOX.name ? { [name]: SANDBOX.key } : store.credentials()
  const found = Object.hasOwn(credentials, name) ? credentials[name] : undefined
  if (found === undefined) return UNSET
  if (isSameAddress(profile.baseUrl, baseUrl.value)) {
    const value = typeof found === 'string' ? { apiKey: found } : { session: found }
    return { value, origin: `profile ${name}`, isExposed: name !== SANDBOX.name && store.isExposed }
  }
  throw configError(
    `the key of profile ${name} is for ${shownAddress(profile.baseUrl ?? 'no address')}; it is not sent to the address of ${baseUrl.origin}.`,
    'Set CERTIFY_API_KEY to a key for that address, or make a profile for it: certify auth login --help.',
  )
}
