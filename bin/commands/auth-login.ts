import { CliError, configError } from '../cli-error.ts'
import { type Connection, isSameAddress, SANDBOX, shownAddress, storeOf } from '../config/connection.ts'
import { readText, readTime, type Setting, UNSET } from '../config/settings.ts'
import type { Stored } from '../config/store.ts'
import type { Context, DefineCommand } from '../context.ts'
import { checkKey } from '../diagnosis/check-key.ts'
import { addManual } from '../help/manual.ts'
import { maskKey } from '../terminal/mask.ts'
import { fieldColumns } from '../terminal/table.ts'

interface Flags {
  readonly withKey?: boolean
  readonly verify: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Asks for the key, or reads it from stdin with --with-key; it is never taken from the command line. One request ' +
        'that only reads checks whether the service knows the key. The address and the key are stored in a profile, ' +
        'which is then in use: the profile of --profile, else "default". A profile for another address is replaced only ' +
        'after your confirmation, or with --yes. The key is in a file of its own that only you can read.',
    ],
    output: 'the profile, the address, the end of the key and the file with the key.',
    fields: ['profile', 'baseUrl', 'key', 'storedIn'],
    ids: 'the name of the profile',
    refusesJq: true,
    hasNoDryRun: true,
    examples: [
      'certify auth login --base-url https://certify.example.com',
      'certify auth login --profile staging \\\n--base-url https://staging.example.com --with-key < key.txt',
    ],
  })
    .option('--with-key', 'read the key from stdin')
    .option('--no-verify', 'store the key without checking it')
    .action(async ({ withKey = false, verify }: Flags) => {
      const { io, output } = context
      const profile = profileToStore(context)
      const baseUrl = await readAddress(context, profile)
      /* An invalid address is refused before anybody types a key. */
      await context.client('check', { connection: connectionTo(context, profile, baseUrl, PLACEHOLDER) })
      const apiKey: Setting<string> = { value: await readNewKey(context, withKey), origin: 'stdin' }
      const connection = connectionTo(context, profile, baseUrl, apiKey)
      if (verify) await refuseUnknownKey(context, connection)
      else await context.client('check', { connection })
      const store = storeOf(io)
      await store.change((before) => withLogin(before, profile, baseUrl, apiKey.value))
      const key = maskKey(apiKey.value)
      const stored = { profile, baseUrl: shownAddress(baseUrl), key, storedIn: store.credentialsPath }
      const columns = fieldColumns<typeof stored>({
        PROFILE: 'profile',
        'BASE URL': 'baseUrl',
        KEY: 'key',
        'STORED IN': 'storedIn',
      })
      await output.data({ value: stored, columns, rows: [stored], ids: [profile] })
      if (io.env['CERTIFY_API_KEY']) await output.warn('CERTIFY_API_KEY is set, and overrides the key that was stored.')
    })
}

const PLACEHOLDER: Setting<string> = { value: 'not-yet-known', origin: 'login' }

/* Documentation and other clients name the whole endpoint. */
function withoutApiPath(address: string): string {
  return address.replace(/\/api\/developer\/graphql\/*$/, '')
}

function profileToStore({ io, program }: Context): string {
  const { value: name = 'default' } = readText('profile', program.root.opts(), io.env)
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && name !== SANDBOX.name) return name
  throw new CliError(
    name === SANDBOX.name ? 'the profile "sandbox" is built in.' : 'this is no name for a profile.',
    'Choose another with --profile: letters, digits, dots, underscores and hyphens, up to 64.',
  )
}

async function readAddress({ io, program, prompts, preferences }: Context, profile: string): Promise<string> {
  const { profiles } = storeOf(io).config()
  const stored = Object.hasOwn(profiles, profile) ? profiles[profile]?.baseUrl : undefined
  const { value } = readText('baseUrl', program.root.opts(), io.env, { value: stored, origin: `profile ${profile}` })
  const given = value ?? (await prompts.answer('The address of the service', 'Give it with --base-url.'))
  const baseUrl = withoutApiPath(given)
  if (stored !== undefined && !isSameAddress(stored, baseUrl) && !preferences.yes.value) {
    const instead = 'Choose another name with --profile, or give --yes to replace it.'
    await prompts.confirm(`The profile ${profile} is for another address. Replace it, and its key?`, instead)
  }
  return baseUrl
}

async function readNewKey({ io, prompts }: Context, fromStdin: boolean): Promise<string> {
  const how = 'Give it on stdin: certify auth login --with-key < file.'
  if (fromStdin && io.stdin.isTTY)
    throw new CliError('stdin is a terminal.', `${how} Or leave out --with-key, to type it at a prompt.`)
  const key = fromStdin ? (await io.stdin.text()).trim() : await prompts.answer('The API key (not shown)', how, true)
  if (key !== '') return key
  throw configError('the key is empty: nothing was stored.', how, 4)
}

/* A key without scopes is still a key. A key that could not be checked is not stored. */
async function refuseUnknownKey(context: Context, connection: Connection): Promise<void> {
  const { accepted, reads, error } = await checkKey(context, { connection })
  if (accepted !== true && error !== undefined) throw error
  if (reads === false) await context.output.warn('this key may not list tracks (CERTIFICATION_PACKAGE_READ).')
}

function connectionTo({ io, program }: Context, profile: string, baseUrl: string, apiKey: Setting<string>): Connection {
  const flags = program.root.opts()
  return {
    profile: { value: profile, origin: 'login' },
    baseUrl: { value: baseUrl, origin: 'login' },
    apiKey,
    timeoutMs: readTime('timeout', flags, io.env, UNSET),
    deadlineMs: readTime('deadline', flags, io.env, UNSET),
  }
}

function withLogin({ config, credentials }: Stored, profile: string, baseUrl: string, key: string): Stored {
  const profiles = { ...config.profiles, [profile]: { ...config.profiles[profile], baseUrl } }
  return {
    config: { ...config, profile, profiles },
    credentials: { ...credentials, keys: { ...credentials.keys, [profile]: key } },
  }
}
