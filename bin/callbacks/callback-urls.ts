import { type Command, Option } from 'commander'
import type { CallbackUrls } from '../../src/callbacks/index.ts'
import { CliError, configError } from '../cli-error.ts'
import { readService } from '../config/connection.ts'
import { readOption, type Setting, UNSET } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { once } from '../flags.ts'
import { readSecrets } from './secrets.ts'

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
  const { preferences, connection, program } = context
  const isGiven = readOption(program.current, 'callbackBaseUrl')?.origin === '--callback-base-url'
  if (connection().authentication.value?.session !== undefined) {
    if (flags.callbacks !== true && flags.callbackUrl === undefined && !isGiven) return undefined
    throw new CliError(
      'an admin session has no callbacks. Nothing was sent.',
      'Leave the callback flags out, or use an API key.',
    )
  }
  if (flags.callbacks !== true && !isGiven) return undefined
  if (flags.callbackUrl !== undefined) {
    const hint = 'Leave one of them out: --callbacks makes a URL for each create.'
    throw new CliError('--callback-base-url and --callback-url cannot be used together. Nothing was sent.', hint)
  }
  const baseUrl = readBaseUrl(context)
  const { values: secrets } = await readSecrets(context, !preferences.dryRun)
  const { callbackUrls } = await import('../../src/callbacks/index.ts')
  return callbackUrls({ baseUrl, secrets })
}

/** The host that receives the events; `undefined` without callbacks. */
export function callbackHost(context: Context, urls: CallbackUrls | undefined): string | undefined {
  return urls === undefined ? undefined : new URL(readBaseUrl(context)).host
}

function readBaseUrl(context: Context): string {
  const { value: baseUrl, origin } = readOption(context.program.current, 'callbackBaseUrl') ?? ofProfile(context)
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

function ofProfile({ io, program }: Context): Setting<string | undefined> {
  const { profile, stored } = readService(io, program.root)
  return stored.callbackBaseUrl ? { value: stored.callbackBaseUrl, origin: `profile ${profile.value}` } : UNSET
}
