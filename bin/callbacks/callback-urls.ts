import { type Command, Option } from 'commander'
import type { CallbackUrls } from '../../src/callbacks/index.ts'
import { CliError, configError } from '../cli-error.ts'
import { readService, storeOf } from '../config/connection.ts'
import { readOption } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { once } from '../flags.ts'
import { readSecretFile } from '../files.ts'
import type { Io } from '../io.ts'

/** The options of a command that creates invites. */
export interface CallbackFlags {
  readonly callbacks?: boolean
  readonly callbackUrl?: string
  readonly callbackBaseUrl?: string
}

export function addCallbackOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--callbacks', 'give each create a callback URL for certify callbacks listen').conflicts(
        'callbackUrl',
      ),
    )
    .addOption(
      new Option('--callback-base-url <url>', 'the public https address of your receiver; implies --callbacks')
        .env('CERTIFY_CALLBACK_BASE_URL')
        .argParser(once),
    )
}

/** Makes callback URLs; `undefined` if none were requested. @throws CliError if a setting is missing or invalid */
export async function callbacksOf(context: Context, flags: CallbackFlags): Promise<CallbackUrls | undefined> {
  const isGiven = readOption(context.program.current, 'callbackBaseUrl')?.origin === '--callback-base-url'
  if (flags.callbacks !== true && !isGiven) return undefined
  if (flags.callbackUrl !== undefined) {
    const hint = 'Leave one of them out: --callbacks makes a URL for each create.'
    throw new CliError('--callback-base-url and --callback-url cannot be used together. Nothing was sent.', hint)
  }
  const baseUrl = readBaseUrl(context)
  const { values: secrets } = await readSecrets(context, !context.preferences.dryRun)
  const { callbackUrls } = await import('../../src/callbacks/index.ts')
  return callbackUrls({ baseUrl, secrets })
}

/** The host that receives the events; `undefined` without callbacks. */
export function callbackHost(context: Context, urls: CallbackUrls | undefined): string | undefined {
  return urls === undefined ? undefined : new URL(readBaseUrl(context)).host
}

function readBaseUrl({ io, program }: Context): string {
  const { profile, stored } = readService(io, program.root)
  const kept = { value: stored.callbackBaseUrl, origin: `profile ${profile.value}` }
  const { value: baseUrl, origin } = readOption(program.current, 'callbackBaseUrl') ?? kept
  if (baseUrl === undefined) {
    throw configError(
      'no callback base URL: the public address of your receiver is not set.',
      'Give --callback-base-url, set CERTIFY_CALLBACK_BASE_URL, or store it with certify auth login --callback-base-url.',
    )
  }
  if (baseUrl.startsWith('https://') && URL.canParse(baseUrl) && !/[?#]/.test(baseUrl)) return baseUrl
  throw configError(
    `the callback base URL of ${origin} must start with https://, without a query or a fragment.`,
    'Give the address at which the service reaches your receiver, as in https://app.example/certify.',
  )
}

/** The secrets of the callback URLs, newest first. */
export interface CallbackSecrets {
  readonly values: readonly string[]
  /** A variable, or the profile and the file. */
  readonly origin: string
}

const VARIABLE = 'CERTIFY_CALLBACK_SECRET'
const MIN_SECRET_LENGTH = 32

/**
 * Reads the secrets from the environment, else from the profile. A profile without a secret gets one.
 *
 * @param keeps whether a new secret is kept. A dry run changes nothing
 * @throws CliError
 */
export async function readSecrets({ io, program }: Context, keeps = true): Promise<CallbackSecrets> {
  const given = fromEnvironment(io)
  if (given !== undefined) return checked(given)
  const { value: profile = 'default' } = readService(io, program.root).profile
  const store = storeOf(io)
  const kept = store.callbackSecrets(profile)
  const origin = `profile ${profile}, in ${store.callbackSecretsPath}`
  if (kept.length > 0) return checked({ values: kept, origin })
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  if (keeps) store.keepCallbackSecret(profile, made)
  return { values: [made], origin }
}

function fromEnvironment(io: Io): CallbackSecrets | undefined {
  const text = io.env[VARIABLE]
  if (text?.trim()) return { values: linesOf(text), origin: VARIABLE }
  const origin = `${VARIABLE}_FILE`
  const path = io.env[origin]?.trim()
  if (!path) return undefined
  const content = readSecretFile(io, path, (reason) =>
    configError(`the file of ${origin} ${reason}.`, 'Check its path, its permissions and its content.'),
  )
  return { values: linesOf(content), origin }
}

/* One per line, newest first: an old one still verifies what it has signed. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}

function checked({ values, origin }: CallbackSecrets): CallbackSecrets {
  if (values.every((secret) => secret.length >= MIN_SECRET_LENGTH)) return { values, origin }
  throw configError(
    `a callback secret of ${origin} is shorter than ${MIN_SECRET_LENGTH} characters.`,
    'Make one with a command such as openssl rand -hex 32. Write several as one per line, newest first.',
  )
}
