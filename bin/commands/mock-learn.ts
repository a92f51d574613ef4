import { CliError, systemCode } from '../cli-error.ts'
import { type Connection, isSameAddress, shownAddress, storeOf } from '../config/connection.ts'
import { isAgent } from '../config/settings.ts'
import type { Context, DefineCommand } from '../context.ts'
import { replaceFile } from '../files.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import type { Finding, Learned } from '../sandbox/learn.ts'
import type { Column } from '../terminal/table.ts'

interface Flags {
  readonly out?: string
  readonly refusedCreates?: boolean
  readonly readKey?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about:
      'Asks the service harmless questions, and says with which switches a mock behaves like it. It only queries, unless ' +
      'an option adds creates that the specification refuses: their quiz does not exist. You confirm those.',
    output: 'one row per gap of the specification. With --json {"findings","warnings","behaviour"}.',
    columns,
    examples: ['certify mock learn --profile staging --out behaviour.json', 'certify mock --behaviour behaviour.json'],
    guide: 'sandbox.md',
  })
    .option('--out <file>', 'write the switches to this file, for certify mock --behaviour', once)
    .option('--refused-creates', 'also send three creates that the specification refuses')
    .option('--read-key <name>', 'send one with a key that may not create, of this profile or variable', once)
    .action(async ({ out, refusedCreates = false, readKey }: Flags) => {
      const { output } = context
      const reader = readKey === undefined ? undefined : readerOf(context, readKey)
      await confirmCreates(context, (refusedCreates ? 3 : 0) + (reader ? 1 : 0))
      const { learn } = await import('../sandbox/learn.ts')
      const learned = await learn(context, { refusedCreates, reader })
      const { findings, warnings, behaviour } = learned
      if (out !== undefined) write(out, learned)
      await output.data({ value: { findings, warnings, behaviour }, columns, rows: findings })
      if (!output.json) for (const warning of warnings) await output.warn(warning)
      const open = findings.filter(({ switch: name, setting }) => name !== null && setting === null).length
      await output.remark(
        `${Object.keys(behaviour).length} switches were learned, ${open} are open.${
          out === undefined ? '' : ` Start a mock like it with: certify mock --behaviour ${out}`
        }`,
      )
    })
}

const columns: readonly Column<Finding>[] = [
  { title: 'GAP', value: ({ gap }) => gap, fit: 'end' },
  { title: 'ASKED', value: ({ asked }) => asked, fit: 'drop' },
  { title: 'FOUND', value: ({ found }) => found, fit: 'end', narrowest: 20, note: 'what the service did' },
  {
    title: 'SWITCH',
    value: ({ switch: name, setting }) => name && `${name}${setting === null ? ': open' : `=${setting}`}`,
    note: 'the switch with its setting, or that it is open',
  },
]

/** @throws CliError unless a person agrees, or --yes was given outside an agent's shell */
async function confirmCreates({ io, connection, preferences, prompts }: Context, number: number): Promise<void> {
  if (number === 0) return
  if (isAgent(io.env)) {
    throw new CliError('an agent may not send creates.', 'A person runs this in a terminal of their own.')
  }
  if (preferences.yes) return
  const { baseUrl } = connection()
  const creates = number === 1 ? 'one create' : `${number} creates`
  await prompts.confirm(
    `Send ${creates} to ${shownAddress(baseUrl.value ?? '')}? The service has to refuse ${number === 1 ? 'it' : 'each'}: the quiz does not exist.`,
    'Give --yes.',
    'Creates must be confirmed at a terminal.',
  )
}

/** The connection with the key of a profile for the same service, or of a variable. Its value is never an argument. @throws CliError */
function readerOf({ io, connection }: Context, name: string): Connection {
  const used = connection()
  const store = storeOf(io)
  const { profiles } = store.config()
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  const stored = profile && store.credentials()[name]
  const origin = profile ? `profile ${name}` : name
  if (profile && !isSameAddress(profile.baseUrl, used.baseUrl.value)) {
    throw new CliError(`--read-key: the profile ${name} is for another service.`, 'Name a profile for the same one.')
  }
  const key = typeof stored === 'string' ? stored : io.env[name]?.trim()
  if (key) return { ...used, authentication: { value: { apiKey: key }, origin } }
  throw new CliError(
    '--read-key names neither a profile with a key nor a variable that is set.',
    'Store the key with `certify auth login --profile reader`, or set a variable, and give its name.',
  )
}

/** @throws CliError */
function write(path: string, { behaviour }: Learned): void {
  try {
    replaceFile(path, `${JSON.stringify({ behaviour }, null, 2)}\n`)
  } catch (error) {
    throw new CliError(
      `the file of --out, ${path}, cannot be written (${systemCode(error)}).`,
      'Name a file in a folder that exists and can be written to.',
    )
  }
}
