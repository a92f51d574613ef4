import { CliError } from '../cli-error.ts'
import { type Connection, SANDBOX, sameAddress, shownAddress, storeOf } from '../config/connection.ts'
import { readText, readTime, type Setting } from '../config/settings.ts'
import type { Kept } from '../config/store.ts'
import type { Context, DefineCommand } from '../context.ts'
import { checkKey, masked } from '../diagnosis/check-key.ts'
import { addManual } from '../help/manual.ts'
import type { Column } from '../terminal/table.ts'

interface Flags {
  readonly withKey?: boolean
  readonly verify: boolean
}

interface LoggedIn {
  readonly profile: string
  readonly baseUrl: string
  readonly key: string
  readonly storedIn: string
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Asks for the key, or reads it from stdin with --with-key; it is never taken from the command line. The service ' +
        'is asked once, with the operation that only reads, whether it knows the key. Both are stored in a profile, ' +
        'which is the one in use from then on: the one that --profile names, else "default". One that is for another ' +
        'address is replaced only when you confirm it, or with --yes. The key goes to a file of its own that nobody else on this machine can read.',
    ],
    output: 'the profile, the address, the end of the key and the file that holds it.',
    json: '{"profile","baseUrl","key","storedIn"}.',
    fields: ['profile', 'baseUrl', 'key', 'storedIn'],
    ids: 'the name of the profile',
    examples: [
      'certify auth login --base-url https://certify.example.com',
      'certify auth login --profile staging --base-url https://staging.example.com \\\n--with-key < key.txt',
    ],
  })
    .option('--with-key', 'read the key from stdin')
    .option('--no-verify', 'store the key without asking the service whether it knows it')
    .action(async ({ withKey = false, verify }: Flags) => {
      const { io, output } = context
      const profile = profileToFill(context)
      const baseUrl = await readAddress(context, profile)
      const apiKey: Setting<string> = { value: await readNewKey(context, withKey), origin: 'stdin' }
      const connection = connectionTo(context, profile, baseUrl, apiKey)
      if (verify) await refuseUnknownKey(context, connection)
      else await context.client('check', { connection })
      const store = storeOf(io)
      await store.change((kept) => withLogin(kept, profile, baseUrl, apiKey.value))
      const stored = {
        profile,
        baseUrl: shownAddress(baseUrl),
        key: masked(apiKey.value),
        storedIn: store.credentialsPath,
      }
      await output.data({ value: stored, columns, rows: [stored], ids: [profile] })
      if (io.env['CERTIFY_API_KEY']) await output.warn('CERTIFY_API_KEY is set, and overrides the key that was stored.')
    })
}

const columns: readonly Column<LoggedIn>[] = [
  { title: 'PROFILE', value: ({ profile }) => profile },
  { title: 'BASE URL', value: ({ baseUrl }) => baseUrl },
  { title: 'KEY', value: ({ key }) => key },
  { title: 'STORED IN', value: ({ storedIn }) => storedIn },
]

function profileToFill({ io, program }: Context): string {
  const { value: name = 'default' } = readText('profile', program.root.opts(), io.env)
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && name !== SANDBOX.name) return name
  throw new CliError(
    name === SANDBOX.name ? 'the profile "sandbox" is built in.' : 'this is no name for a profile.',
    'Choose another with --profile: letters, digits, dots, underscores and hyphens, up to 64.',
  )
}

async function readAddress({ io, program, prompts, preferences }: Context, profile: string): Promise<string> {
  const { profiles } = storeOf(io).config()
  const known = Object.hasOwn(profiles, profile) ? profiles[profile]?.baseUrl : undefined
  const origin = `profile ${profile}`
  const { value } = readText('baseUrl', program.root.opts(), io.env, { value: known, origin })
  const baseUrl = value ?? (await prompts.answer('The address of the service', 'Give it with --base-url.'))
  if (known !== undefined && !sameAddress(known, baseUrl) && !preferences.yes.value) {
    const instead = 'Choose another name with --profile, or give --yes to replace it.'
    await prompts.confirm(`The profile ${profile} is for another address. Replace it, and its key?`, instead)
  }
  return baseUrl
}

async function readNewKey({ io, prompts }: Context, fromStdin: boolean): Promise<string> {
  const how = 'Give it on stdin: certify auth login --with-key < file.'
  if (fromStdin && io.stdin.isTTY)
    throw new CliError('stdin is a terminal.', `${how} Or leave out --with-key: you are then asked.`)
  const key = fromStdin ? (await io.stdin.text()).trim() : await prompts.answer('The API key (not shown)', how, true)
  if (key !== '') return key
  throw new CliError('the key is empty: nothing was stored.', how, { code: 'CONFIG_INVALID', exitCode: 4 })
}

/* A key that may do nothing here is still a key; one that the service could not be asked about is not stored unseen. */
async function refuseUnknownKey(context: Context, connection: Connection): Promise<void> {
  const { accepted, reads, error } = await checkKey(context, { connection })
  if (accepted !== true && error !== undefined) throw error
  if (reads === false) await context.output.warn('this key may not list tracks (CERTIFICATION_PACKAGE_READ).')
}

function connectionTo({ io, program }: Context, profile: string, baseUrl: string, apiKey: Setting<string>): Connection {
  const unset = { value: undefined, origin: 'default' }
  const flags = program.root.opts()
  return {
    profile: { value: profile, origin: 'login' },
    baseUrl: { value: baseUrl, origin: 'login' },
    apiKey,
    timeoutMs: readTime('timeout', flags, io.env, unset),
    deadlineMs: readTime('deadline', flags, io.env, unset),
  }
}

function withLogin({ config, credentials }: Kept, profile: string, baseUrl: string, key: string): Kept {
  const profiles = { ...config.profiles, [profile]: { ...config.profiles[profile], baseUrl } }
  return {
    config: { ...config, profile, profiles },
    credentials: { ...credentials, keys: { ...credentials.keys, [profile]: key } },
  }
}
