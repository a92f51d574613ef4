import type { Command } from 'commander'
import type { CallbackUrls } from '../../src/callbacks/index.ts'
import type { CertifyClient } from '../../src/index.ts'
import { CliError, configError } from '../cli-error.ts'
import { CALLBACK_VARIABLES, readCallbackBaseUrl } from '../config/callback-settings.ts'
import type { Context } from '../context.ts'
import { once } from '../flags.ts'
import { readSecrets } from './secrets.ts'

/** The flag of a command that makes callback URLs. */
export interface CallbackUrlFlags {
  readonly callbackBaseUrl?: string
}

/** The flags of a command that creates invites. */
export interface CallbackFlags extends CallbackUrlFlags {
  readonly callbacks?: boolean
  readonly callbackUrl?: string
}

const BASE_URL_VARIABLE = CALLBACK_VARIABLES.baseUrl

export function addCallbackBaseUrl(command: Command): Command {
  return command.option(
    '--callback-base-url <url>',
    `the public address of your receiver; starts with https:// (${BASE_URL_VARIABLE}, or callbackBaseUrl in the profile)`,
    once,
  )
}

export function addCallbackFlags(command: Command): Command {
  return addCallbackBaseUrl(
    command.option('--callbacks', 'give each create a callback URL of its own, for certify callbacks listen'),
  )
}

/** A note for the help of every create. */
export const CALLBACKS_NOTE =
  'With --callbacks the events of an invite come to a URL with a token, which only your secret can make; certify callbacks ' +
  'listen receives them. With the ledger, the token has the reference of the recorded send.'

/** What makes callback URLs. @throws CliError if a setting is missing or invalid */
export async function openCallbackUrls(
  context: Context,
  flags: CallbackUrlFlags,
  keepsSecret = true,
): Promise<CallbackUrls> {
  const baseUrl = readBaseUrl(context, flags)
  const { values: secrets } = await readSecrets(context, keepsSecret)
  const { callbackUrls } = await import('../../src/callbacks/index.ts')
  return callbackUrls({ baseUrl, secrets })
}

/** What is made of a client for --callbacks; without the flag, it stays as it is. @throws CliError */
export async function callbacksOf(
  context: Context,
  flags: CallbackFlags,
): Promise<(client: CertifyClient) => CertifyClient> {
  refuseContradiction(flags)
  if (flags.callbacks !== true) return (client) => client
  const urls = await openCallbackUrls(context, flags, !context.preferences.dryRun.value)
  const { withCallbacks } = await import('../../src/callbacks/index.ts')
  return (client) => withCallbacks(client, urls)
}

/** The host that the events of a bulk run come to; `undefined` without --callbacks. */
export function callbackHost(context: Pick<Context, 'io' | 'program'>, flags: CallbackFlags): string | undefined {
  return flags.callbacks === true ? new URL(readBaseUrl(context, flags)).host : undefined
}

function refuseContradiction({ callbacks = false, callbackUrl, callbackBaseUrl }: CallbackFlags): void {
  if (callbacks && callbackUrl !== undefined) {
    const hint = 'Leave one of them out: --callbacks makes a URL for each create.'
    throw new CliError('--callbacks and --callback-url exclude each other. Nothing was sent.', hint)
  }
  if (callbacks || callbackBaseUrl === undefined) return
  throw new CliError('--callback-base-url needs --callbacks. Nothing was sent.', 'Give --callbacks as well.')
}

function readBaseUrl({ io, program }: Pick<Context, 'io' | 'program'>, { callbackBaseUrl }: CallbackUrlFlags): string {
  const { value: baseUrl, origin } = readCallbackBaseUrl(io, program.root.opts(), callbackBaseUrl)
  if (baseUrl === undefined) {
    throw configError(
      'no callback base URL: the public address of your receiver is not set.',
      `Give --callback-base-url, set ${BASE_URL_VARIABLE}, or keep "callbackBaseUrl" in the profile, as in https://app.example/certify.`,
    )
  }
  if (baseUrl.startsWith('https://') && URL.canParse(baseUrl) && !/[?#]/.test(baseUrl)) return baseUrl
  throw configError(
    `the callback base URL of ${origin} has to start with https://, without a query or a fragment.`,
    'Give the address at which the service reaches your receiver, as in https://app.example/certify.',
  )
}
