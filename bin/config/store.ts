import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError } from '../cli-error.ts'
import { replaceFile } from '../replace-file.ts'
import { type Clock, withFileLock } from './file-lock.ts'
import { makeFolder } from './make-folder.ts'

/** What is kept of one service: no secret. */
export interface Profile {
  readonly baseUrl?: string
  readonly timeout?: string
  readonly deadline?: string
  /** The path of the ledger, or whether creates go through the one at the default place. */
  readonly ledger?: string | boolean
  readonly account?: string
}

/** The file config.json. */
export interface Config {
  /** The profile that is used where none is named. */
  readonly profile?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

/** The file credentials.json: a key for each profile. */
export interface Credentials {
  readonly keys: Readonly<Record<string, string>>
}

/** Everything that this program keeps about its user. */
export interface Kept {
  readonly config: Config
  readonly credentials: Credentials
}

/** The two files of the configuration in their folder. */
export class Store {
  readonly configPath: string
  readonly credentialsPath: string
  readonly #clock: Clock
  readonly #isOwn: boolean

  /** A folder of its own is closed to everybody else; one that somebody named stays as open as it is. */
  constructor(folder: string, clock: Clock, isOwn: boolean) {
    this.#isOwn = isOwn
    this.configPath = join(folder, 'config.json')
    this.credentialsPath = join(folder, 'credentials.json')
    this.#clock = clock
  }

  /** @throws CliError where the file is not what it should be */
  config(): Config {
    const { profile, profiles = {}, ...rest } = readObject(this.configPath)
    const sound =
      (profile === undefined || typeof profile === 'string') &&
      isObject(profiles) &&
      Object.values(profiles).every(isProfile)
    if (!sound) throw corrupt(this.configPath, 'it is not a configuration of this program')
    /* What a later version may have added stays. */
    return { ...rest, ...(profile !== undefined && { profile }), profiles: profiles as Config['profiles'] }
  }

  /** @throws CliError where the file is not what it should be */
  credentials(): Credentials {
    const { keys = {}, ...rest } = readObject(this.credentialsPath)
    const sound = isObject(keys) && Object.values(keys).every((key) => typeof key === 'string')
    if (!sound) throw corrupt(this.credentialsPath, 'it holds no keys of this program')
    return { ...rest, keys: keys as Credentials['keys'] }
  }

  /** Whether anybody else on this machine can read the keys. */
  get isExposed(): boolean {
    const mode = statSync(this.credentialsPath, { throwIfNoEntry: false })?.mode ?? 0
    return process.platform !== 'win32' && (mode & 0o077) !== 0
  }

  /** Changes what is kept, whole or not at all, while nobody else does. A file that cannot be read is left as it is. */
  async change(change: (kept: Kept) => Kept): Promise<void> {
    await this.#write(() => {
      const before = { config: this.config(), credentials: this.credentials() }
      const after = change(before)
      if (after.credentials !== before.credentials) writeJson(this.credentialsPath, after.credentials, true)
      if (after.config !== before.config) writeJson(this.configPath, after.config, true)
    })
  }

  /** Forgets every key, also those of a file that cannot be read. */
  async forgetKeys(): Promise<void> {
    await this.#write(() => rmSync(this.credentialsPath, { force: true }))
  }

  async #write(write: () => void): Promise<void> {
    const folder = dirname(this.configPath)
    try {
      makeFolder(folder)
      if (this.#isOwn) chmodSync(folder, 0o700)
      await withFileLock(this.configPath, this.#clock, write)
    } catch (error) {
      throw error instanceof CliError ? error : unwritable(folder, systemCode(error))
    }
  }
}

/** Replaces a JSON file as a whole, and makes its folder where there is none. */
export function writeJson(path: string, value: unknown, flush: boolean): void {
  makeFolder(dirname(path))
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`, flush)
}

function readObject(path: string): Record<string, unknown> {
  const text = readIfThere(path)
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    throw corrupt(path, 'it is not JSON')
  }
  throw corrupt(path, 'it is not a JSON object')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return undefined
    throw corrupt(path, code)
  }
}

function isProfile(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, given]) =>
        !/^(baseUrl|timeout|deadline|ledger|account)$/.test(name) ||
        typeof given === 'string' ||
        (name === 'ledger' && typeof given === 'boolean'),
    )
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function systemCode(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  throw error
}

function unwritable(folder: string, code: string): CliError {
  return new CliError(
    `the configuration cannot be written to ${folder} (${code}).`,
    'Correct its permissions, or set CERTIFY_CONFIG_DIR to a folder that can be written to.',
    { code: 'CONFIG_INVALID' },
  )
}

function corrupt(path: string, reason: string): CliError {
  return new CliError(
    `the file ${path} cannot be used: ${reason}. It was left as it is.`,
    'Correct it, or move it away and run `certify auth login` again.',
    { code: 'CONFIG_INVALID' },
  )
}
