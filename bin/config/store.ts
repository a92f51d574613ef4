import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError, codeOf, configError } from '../cli-error.ts'
import { isJsonObject } from '../json-object.ts'
import { replaceFile } from '../replace-file.ts'
import { type Clock, withFileLock } from './file-lock.ts'
import { makeFolder } from './make-folder.ts'

/** The settings of one service, without secrets. */
export interface Profile {
  readonly baseUrl?: string
  readonly timeout?: string
  readonly deadline?: string
  /** The path of the ledger, or whether creates use the one at the default place. */
  readonly ledger?: string | boolean
  readonly account?: string
  /** The public address of the receiver of events. Its secrets are in a file of their own. */
  readonly callbackBaseUrl?: string
  /** What headings of files mean in `certify bulk`: a field for each. */
  readonly map?: Readonly<Record<string, string>>
}

export interface Config {
  /** The profile that is used if none is named. */
  readonly profile?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

/** The content of credentials.json: a key for each profile. */
export interface Credentials {
  readonly keys: Readonly<Record<string, string>>
}

export interface Stored {
  readonly config: Config
  readonly credentials: Credentials
}

const SECRETS_FILE = 'callback-secrets.json'

/** The files of the configuration in their folder. */
export class Store {
  readonly configPath: string
  readonly credentialsPath: string
  /** Apart from the keys: a logout must not end the callbacks of invites that were sent. */
  readonly callbackSecretsPath: string
  readonly #folder: string
  readonly #clock: Clock
  readonly #isOwn: boolean

  /** @param isOwn whether it is the program's own folder: it is closed to others then */
  constructor(folder: string, clock: Clock, isOwn: boolean) {
    this.#folder = folder
    this.#clock = clock
    this.#isOwn = isOwn
    this.configPath = join(folder, 'config.json')
    this.credentialsPath = join(folder, 'credentials.json')
    this.callbackSecretsPath = join(folder, SECRETS_FILE)
  }

  /** @throws CliError if the file is invalid */
  config(): Config {
    const { profile, profiles = {}, ...rest } = readObject(this.configPath)
    const isValid =
      (profile === undefined || typeof profile === 'string') &&
      isJsonObject(profiles) &&
      Object.values(profiles).every(isProfile)
    if (!isValid) throw unusableFile(this.configPath, 'it is not a configuration of this program')
    /* What a later version may have added stays. */
    return { ...rest, ...(profile !== undefined && { profile }), profiles: profiles as Config['profiles'] }
  }

  /** @throws CliError if the file is invalid */
  credentials(): Credentials {
    const { keys = {}, ...rest } = readObject(this.credentialsPath)
    const isValid = isJsonObject(keys) && Object.values(keys).every((key) => typeof key === 'string')
    if (!isValid) throw unusableFile(this.credentialsPath, 'it has no keys of this program')
    return { ...rest, keys: keys as Credentials['keys'] }
  }

  /** The callback secrets of a profile, the newest first; none if it has none. @throws CliError if the file is invalid */
  callbackSecrets(profile: string): readonly string[] {
    const secrets = readObject(this.callbackSecretsPath)
    const own = Object.hasOwn(secrets, profile) ? secrets[profile] : []
    if (Array.isArray(own) && own.every((secret) => typeof secret === 'string')) return own
    throw unusableFile(this.callbackSecretsPath, 'it has no list of secrets for this profile')
  }

  /** Keeps a callback secret for a profile, unless it has one. Resolves with those it then has. */
  async keepCallbackSecret(profile: string, secret: string): Promise<readonly string[]> {
    await this.#write(() => {
      if (this.callbackSecrets(profile).length > 0) return
      const others = readObject(this.callbackSecretsPath)
      writeJson(this.callbackSecretsPath, { ...others, [profile]: [secret] }, true)
    })
    return this.callbackSecrets(profile)
  }

  /** Whether other users of this machine can read the keys. */
  get isExposed(): boolean {
    const mode = statSync(this.credentialsPath, { throwIfNoEntry: false })?.mode ?? 0
    return process.platform !== 'win32' && (mode & 0o077) !== 0
  }

  /** Changes both files under a lock, each as a whole. A file that cannot be read stays as it is. */
  async change(change: (before: Stored) => Stored): Promise<void> {
    await this.#write(() => {
      const before = { config: this.config(), credentials: this.credentials() }
      const after = change(before)
      if (after.credentials !== before.credentials) writeJson(this.credentialsPath, after.credentials, true)
      if (after.config !== before.config) writeJson(this.configPath, after.config, true)
    })
  }

  /** Deletes every key, also those of a file that cannot be read. */
  async forgetKeys(): Promise<void> {
    await this.#write(() => rmSync(this.credentialsPath, { force: true }))
  }

  async #write(write: () => void): Promise<void> {
    try {
      makeFolder(this.#folder)
      if (this.#isOwn) chmodSync(this.#folder, 0o700)
      await withFileLock(this.configPath, this.#clock, write)
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

/** Replaces a JSON file in a folder of the user as a whole: one that is a link, to dotfiles, stays a link. Makes its folder. */
export function writeJson(path: string, value: unknown, flush: boolean): void {
  makeFolder(dirname(path))
  replaceFile(existsSync(path) ? realpathSync(path) : path, `${JSON.stringify(value, null, 2)}\n`, flush)
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

function isProfile(profile: unknown): boolean {
  return isJsonObject(profile) && Object.entries(profile).every(isProfileSetting)
}

function isProfileSetting([name, value]: readonly [string, unknown]): boolean {
  if (name === 'map') return isJsonObject(value) && Object.values(value).every((field) => typeof field === 'string')
  if (!/^(baseUrl|timeout|deadline|ledger|account|callbackBaseUrl)$/.test(name)) return true
  return typeof value === 'string' || (name === 'ledger' && typeof value === 'boolean')
}

function unusableFile(path: string, reason: string): CliError {
  return configError(
    `the file ${path} cannot be used: ${reason}. It was left as it is.`,
    path.endsWith(SECRETS_FILE)
      ? 'Correct it. Without its secrets, the events of invites that were sent are refused.'
      : 'Correct it, or move it away and run `certify auth login` again.',
  )
}
