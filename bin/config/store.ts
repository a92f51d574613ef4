import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import os from 'node:os'
import { CliError, codeOf, configError } from '../cli-error.ts'
import { makeFolder, replaceFile } from '../files.ts'
import { isJsonObject } from '../parsing.ts'
import type { Env } from '../io.ts'

/** The settings of one service, without secrets. `certify auth login` stores them. */
export interface Profile {
  readonly baseUrl?: string
  /** An absolute path, or the URL of a database without its password. */
  readonly ledger?: string
  readonly account?: string
  /** The public address of the receiver of events. Its secrets are in a separate file. */
  readonly callbackBaseUrl?: string
}

export interface Config {
  /** The profile that is used if none is named. */
  readonly profile?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

/** The headers of an admin session. */
export type SessionHeaders = Readonly<Record<string, string>>

/** The content of credentials.json: a key, or the headers of a session, for each profile. */
export type Credentials = Readonly<Record<string, string | SessionHeaders>>

export interface Stored {
  readonly config: Config
  readonly credentials: Credentials
}

const SECRETS_FILE = 'callback-secrets.json'

/** The files of the configuration in their folder. */
export class Store {
  readonly configPath: string
  readonly credentialsPath: string
  /** Separate from the keys: a logout must not end the callbacks of invites that were sent. */
  readonly callbackSecretsPath: string
  readonly #folder: string | undefined
  readonly #isOwn: boolean

  /**
   * @param folder `undefined`: there is none, so nothing is stored
   * @param isOwn whether it is the program's own folder, which is closed to others
   */
  constructor(folder: string | undefined, isOwn: boolean) {
    const path = (name: string) => (folder === undefined ? '' : join(folder, name))
    this.#folder = folder
    this.#isOwn = isOwn
    this.configPath = path('config.json')
    this.credentialsPath = path('credentials.json')
    this.callbackSecretsPath = path(SECRETS_FILE)
  }

  /** @throws CliError if the file is invalid */
  config(): Config {
    const { profile, profiles = {}, ...rest } = readObject(this.configPath)
    const isValid =
      (profile === undefined || typeof profile === 'string') &&
      isJsonObject(profiles) &&
      Object.values(profiles).every(isProfile)
    if (!isValid) throw unusableFile(this.configPath, 'it is not a configuration of this program')
    /* Fields that a later version may have added are kept. */
    return { ...rest, ...(profile !== undefined && { profile }), profiles: profiles as Config['profiles'] }
  }

  /** @throws CliError if the file is invalid */
  credentials(): Credentials {
    const credentials = readObject(this.credentialsPath)
    const isValid = Object.values(credentials).every(
      (each) => isText(each) || (isJsonObject(each) && Object.values(each).every(isText)),
    )
    if (!isValid) throw unusableFile(this.credentialsPath, 'it has no keys of this program')
    return credentials as Credentials
  }

  /** The callback secrets of a profile, newest first; empty if it has none. @throws CliError if the file is invalid */
  callbackSecrets(profile: string): readonly string[] {
    const secrets = readObject(this.callbackSecretsPath)
    const own = Object.hasOwn(secrets, profile) ? secrets[profile] : []
    if (Array.isArray(own) && own.every((secret) => typeof secret === 'string')) return own
    throw unusableFile(this.callbackSecretsPath, 'it has no list of secrets for this profile')
  }

  keepCallbackSecret(profile: string, secret: string): void {
    this.#write(() =>
      writeJson(this.callbackSecretsPath, { ...readObject(this.callbackSecretsPath), [profile]: [secret] }),
    )
  }

  /** Whether other users of this machine can read the keys. */
  get isExposed(): boolean {
    const mode = statSync(this.credentialsPath, { throwIfNoEntry: false })?.mode ?? 0
    return process.platform !== 'win32' && (mode & 0o077) !== 0
  }

  /** Changes both files, each as a whole. A file that cannot be read stays as it is. @throws CliError */
  change(change: (before: Stored) => Stored): void {
    this.#write(() => {
      const before = { config: this.config(), credentials: this.credentials() }
      const after = change(before)
      if (after.credentials !== before.credentials) writeJson(this.credentialsPath, after.credentials)
      if (after.config !== before.config) writeJson(this.configPath, after.config)
    })
  }

  /** Deletes every key, even in a file that cannot be read. Returns the names of the profiles, as far as they are known. */
  forgetKeys(): readonly string[] {
    let names: readonly string[] = []
    try {
      names = Object.keys(this.credentials())
    } catch {
      /* It is deleted all the same. */
    }
    this.#write(() => rmSync(this.credentialsPath, { force: true }))
    return names
  }

  #write(write: () => void): void {
    if (this.#folder === undefined) throw noHome('its configuration', 'CERTIFY_CONFIG_DIR')
    try {
      makeFolder(this.#folder)
      if (this.#isOwn) chmodSync(this.#folder, 0o700)
      write()
    } catch (error) {
      const code = codeOf(error)
      if (error instanceof CliError || code === undefined) throw error
      throw configError(
        `the configuration cannot be written to ${this.#folder} (${code}).`,
        'Correct its permissions, or set CERTIFY_CONFIG_DIR to a folder that can be written to.',
      )
    }
  }
}

/* Replaces a JSON file of the user atomically, and makes its folder. A symbolic link, as into dotfiles, stays one. */
function writeJson(path: string, value: unknown): void {
  makeFolder(dirname(path))
  replaceFile(existsSync(path) ? realpathSync(path) : path, `${JSON.stringify(value, null, 2)}\n`)
}

function readObject(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isJsonObject(value)) return value
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {}
    throw unusableFile(path, codeOf(error) ?? 'it is not JSON')
  }
  throw unusableFile(path, 'it is not a JSON object')
}

const isText = (value: unknown) => typeof value === 'string'

function isProfile(profile: unknown): boolean {
  if (!isJsonObject(profile)) return false
  const { baseUrl, ledger, account, callbackBaseUrl } = profile
  return [baseUrl, ledger, account, callbackBaseUrl].every((each) => each === undefined || typeof each === 'string')
}

function unusableFile(path: string, reason: string): CliError {
  return configError(
    `the file ${path} cannot be used: ${reason}. It was left as it is.`,
    path.endsWith(SECRETS_FILE)
      ? 'Correct it. Without its secrets, the events of invites that were sent are refused.'
      : 'Correct it, or move it away and run `certify auth login` again.',
  )
}

/** The folder of the configuration: CERTIFY_CONFIG_DIR, or the system's place for such files, if there is one. */
export function configFolder(env: Env, platform: string = process.platform): string | undefined {
  return env['CERTIFY_CONFIG_DIR'] || base(env, platform, 'XDG_CONFIG_HOME', '.config', 'APPDATA')
}

/** The folder for data that cannot be recreated: the ledger. @throws CliError if there is no place for it */
export function stateFolder(env: Env, platform: string = process.platform): string {
  const folder = base(env, platform, 'XDG_STATE_HOME', '.local/state', 'LOCALAPPDATA')
  if (folder === undefined) throw noHome('a ledger', 'CERTIFY_LEDGER or XDG_STATE_HOME')
  return folder
}

function noHome(what: string, variable: string): CliError {
  return configError(`this user has no home folder, and so no default place for ${what}.`, `Set ${variable}, or HOME.`)
}

/* The XDG standard ignores a relative path. */
function base(env: Env, platform: string, xdg: string, fallback: string, windows: string) {
  const onWindows = platform === 'win32' ? env[windows] : undefined
  if (onWindows) return join(onWindows, 'certify')
  const parent = env[xdg]
  if (parent !== undefined && isAbsolute(parent)) return join(parent, 'certify')
  const home = env['HOME'] || homeFolder()
  return home === undefined ? undefined : join(home, fallback, 'certify')
}

/* A user who is not in the list of users, as in many containers, has none. */
function homeFolder(): string | undefined {
  try {
    return os.homedir()
  } catch {
    return undefined
  }
}
