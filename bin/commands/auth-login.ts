import { resolve } from 'node:path'
import { isUrl } from '../../src/util/index.ts'
import { CliError, configError } from '../cli-error.ts'
import {
  type Authentication,
  type Connection,
  isSameAddress,
  parseSession,
  SANDBOX,
  shownAddress,
  storeOf,
} from '../config/connection.ts'
import { IN_MEMORY, readLedgerUrl, refuseUnexpanded } from '../config/ledger-place.ts'
import { readOption } from '../config/settings.ts'
import type { Profile, Stored } from '../config/store.ts'
import type { Context, DefineCommand } from '../context.ts'
import { checkKey, keyText } from '../diagnosis.ts'
import { filled, once } from '../flags.ts'
import { addManual } from '../help.ts'
import { fieldColumns } from '../terminal/table.ts'

interface Flags {
  readonly withKey?: boolean
  readonly session?: boolean
  readonly verify: boolean
  readonly ledger?: string
  readonly account?: string
  readonly callbackBaseUrl?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about:
      'Asks for the key, or reads it from stdin, but never from the command line. The profile of --profile, or "default", ' +
      'becomes the active one. Without a new key, only its settings change.',
    output: 'the profile as it is stored, with the end of the key.',
    columns,
    ids: 'the name of the profile',
    examples: [
      'certify auth login --base-url https://certify.example.com',
      'certify auth login --profile acme --session < headers.json',
    ],
    guide: 'getting-started.md',
  })
    .option('--with-key', 'read the key from stdin')
    .option('--session', 'store the headers of an admin session instead of a key')
    .option('--no-verify', 'store the key without checking it')
    .option('--ledger <path>', 'the ledger of this profile: a file, or postgres://…', readLedger)
    .option('--account <name>', 'the account of this profile', filled)
    .option('--callback-base-url <url>', 'the public https address of your receiver', once)
    .action(async (flags: Flags) => {
      const { io, output, preferences } = context
      const profile = profileToStore(context)
      const store = storeOf(io)
      const { profile: active, profiles } = store.config()
      const stored = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
      const baseUrl = await readAddress(context, profile, stored)
      if (!preferences.json) await output.show(() => `Profile ${profile}, for ${shownAddress(baseUrl)}\n`)
      /* An invalid address is refused before anyone types a key. */
      await context.client('check', { connection: connectionTo(profile, baseUrl, { apiKey: 'not-yet-known' }) })
      const kept = isSameAddress(stored?.baseUrl, baseUrl) ? store.credentials()[profile] : undefined
      const credential = (await readCredential(context, flags, kept !== undefined)) ?? kept
      if (credential === undefined) throw configError('the key is empty: nothing was stored.', HOW, 4)
      const authentication = typeof credential === 'string' ? { apiKey: credential } : { session: credential }
      const connection = connectionTo(profile, baseUrl, authentication)
      if (flags.verify && credential !== kept) await refuseUnknownKey(context, connection)
      const isOwn = stored === undefined && flags.account === undefined && isOtherService(baseUrl, profiles)
      const settings = settingsOf(stored, baseUrl, isOwn ? { ...flags, account: profile } : flags)
      store.change((before) => withLogin(before, profile, settings, credential))
      const row = {
        profile,
        baseUrl: shownAddress(baseUrl),
        key: keyText(authentication),
        storedIn: store.credentialsPath,
      }
      await output.data({ value: row, columns, rows: [row], ids: [profile] })
      if (isOwn)
        await output.remark(`Its account in the ledger is ${profile}: the other profiles are for another service.`)
      if (active !== undefined && active !== profile)
        await output.remark(`The profile in use was ${active}; it is ${profile} now.`)
      if (io.env['CERTIFY_API_KEY']) await output.warn('CERTIFY_API_KEY is set, and overrides the key that was stored.')
    })
}

const columns = fieldColumns<Readonly<Record<'profile' | 'baseUrl' | 'key' | 'storedIn', string>>>(
  ['profile', 'baseUrl', 'key', 'storedIn'],
  { 'BASE URL': 'base URL' },
)

/* A relative path would be a different file in each folder. */
function readLedger(text: string, previous: string | undefined): string {
  const ledger = once(text, previous)
  if (isUrl(ledger)) readLedgerUrl(ledger, '--ledger')
  else refuseUnexpanded(ledger, '--ledger')
  return isUrl(ledger) || ledger === IN_MEMORY ? ledger : resolve(ledger)
}

function profileToStore({ program }: Context): string {
  const { value: name } = readOption(program.root, 'profile') ?? { value: 'default' }
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && name !== SANDBOX.name) return name
  throw new CliError(
    name === SANDBOX.name ? 'the profile "sandbox" is built in.' : 'this is not a valid name for a profile.',
    'Choose another with --profile: letters, digits, dots, underscores and hyphens, up to 64.',
  )
}

async function readAddress(context: Context, profile: string, stored: Profile | undefined): Promise<string> {
  const { program, prompts, preferences } = context
  const given =
    readOption(program.root, 'baseUrl')?.value ??
    stored?.baseUrl ??
    (await prompts.answer('The address of the service', 'Give it with --base-url.'))
  /* People may paste the full endpoint from documentation or another client. */
  const baseUrl = given.replace(/\/api\/developer\/graphql\/*$/, '')
  if (stored?.baseUrl !== undefined && !isSameAddress(stored.baseUrl, baseUrl) && !preferences.yes) {
    const instead = 'Choose another name with --profile, or give --yes to replace it.'
    await prompts.confirm(`The profile ${profile} is for another address. Replace it, and its key?`, instead)
  }
  return baseUrl
}

const HOW = 'Give it on stdin: certify auth login --with-key < file.'

/* The key, or the headers of a session; `undefined` to keep the stored one. */
async function readCredential({ io, prompts }: Context, { withKey = false, session = false }: Flags, isKept: boolean) {
  if (withKey && io.stdin.isTTY) {
    throw new CliError('stdin is a terminal.', `${HOW} Or leave out --with-key, to type it at a prompt.`)
  }
  const fromStdin = withKey || (session && !io.stdin.isTTY)
  if (!fromStdin && !prompts.possible && isKept) return undefined
  const what = session ? 'The headers of the session' : 'The API key'
  const note = isKept ? '(not shown; Enter keeps the stored one)' : '(not shown)'
  const text = fromStdin ? (await io.stdin.text()).trim() : await prompts.answer(`${what} ${note}`, HOW, true)
  if (text === '') return undefined
  return session ? parseSession(text, 'the input') : text
}

/* A key without scopes is still stored. A key that could not be checked is not. */
async function refuseUnknownKey(context: Context, connection: Connection): Promise<void> {
  const check = await checkKey(context, { connection })
  if (check.accepted !== true) throw check.error
  if (!check.reads) await context.output.warn('this key cannot list tracks (CERTIFICATION_PACKAGE_READ).')
}

const setting = <T>(value: T) => ({ value, origin: 'login' })

function connectionTo(profile: string, baseUrl: string, authentication: Authentication): Connection {
  return { profile: setting(profile), baseUrl: setting(baseUrl), authentication: setting(authentication) }
}

/* An account belongs to one service, and profiles share a ledger. */
function isOtherService(baseUrl: string, profiles: Readonly<Record<string, Profile>>): boolean {
  const others = Object.values(profiles)
  return others.length > 0 && others.every((each) => !isSameAddress(each.baseUrl, baseUrl))
}

function settingsOf(stored: Profile | undefined, baseUrl: string, flags: Flags): Profile {
  const { ledger, account, callbackBaseUrl } = flags
  return {
    ...stored,
    baseUrl,
    ...(ledger !== undefined && { ledger }),
    ...(account !== undefined && { account }),
    ...(callbackBaseUrl !== undefined && { callbackBaseUrl }),
  }
}

function withLogin(
  { config, credentials }: Stored,
  name: string,
  profile: Profile,
  credential: Stored['credentials'][string],
): Stored {
  return {
    config: { ...config, profile: name, profiles: { ...config.profiles, [name]: profile } },
    credentials: { ...credentials, [name]: credential },
  }
}
