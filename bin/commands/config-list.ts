import { readService, shownAddress } from '../config/connection.ts'
import { readCallbackBaseUrl } from '../config/callback-settings.ts'
import { readLedgerPlace } from '../config/ledger.ts'
import { longFlag, type Setting, type SettingName } from '../config/settings.ts'
import type { Context, DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { maskKey } from '../terminal/mask.ts'
import { fieldColumns } from '../terminal/table.ts'

interface Row {
  readonly name: string
  readonly value: string | number | boolean | null
  readonly origin?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'A flag overrides the environment, the environment the profile, and the profile the default. The ledger ' +
        'is empty if invites create and package-invites create do not use it. The map is what headings mean in bulk: ' +
        '"map": {"Kontakt": "email"} in the profile, in config.json. The callback base URL is for the callbacks commands and ' +
        '--callbacks.',
    ],
    output: 'one row a setting: name, value and, with --show-origin, where it was set. The key shows its end only.',
    json: 'list',
    fields: ['name', 'value', 'origin'],
    ids: 'the names',
    examples: ['certify config list --show-origin', 'certify config list --profile staging --json'],
  })
    .option('--show-origin', 'show the origin of each value')
    .action(async ({ showOrigin = false }: { showOrigin?: boolean }) => {
      const { output } = context
      const rows = readAll(context).map(({ origin, ...rest }) => (showOrigin ? { ...rest, origin } : rest))
      await output.data({
        value: rows,
        columns: showOrigin ? [...columns, ...originColumn] : columns,
        rows,
        ids: rows.map(({ name }) => name),
      })
    })
}

const columns = fieldColumns<Row>({ NAME: 'name', VALUE: 'value' })
const originColumn = fieldColumns<Row>({ ORIGIN: 'origin' })

function readAll({ io, program, connection, preferences }: Context): readonly (Row & { readonly origin: string })[] {
  const { profile, baseUrl, apiKey, timeoutMs, deadlineMs } = connection()
  const { path, account, turnedOnBy } = readLedgerPlace(io, program.root.opts(), {})
  const ledger =
    turnedOnBy === undefined
      ? { value: null, origin: 'default' }
      : { value: path.value, origin: path.origin === 'default' ? turnedOnBy : path.origin }
  return [
    row('profile', profile),
    row('baseUrl', shown(baseUrl)),
    { name: 'api-key', value: apiKey.value === undefined ? null : maskKey(apiKey.value), origin: apiKey.origin },
    row('timeout', withUnit(timeoutMs, 30_000)),
    row('deadline', withUnit(deadlineMs, 90_000)),
    { name: 'ledger', ...ledger },
    { name: 'account', ...account },
    { name: 'callback-base-url', ...shown(readCallbackBaseUrl(io, program.root.opts())) },
    { name: 'map', ...readMap(io, program.root.opts()) },
    ...SWITCHES.map((name) => row(name, preferences[name])),
    row('fields', { ...preferences.fields, value: preferences.fields.value?.join(',') }),
  ]
}

function shown({ value, origin }: Setting<string | undefined>): Setting<string | null> {
  return { value: value === undefined ? null : shownAddress(value), origin }
}

function readMap(...from: Parameters<typeof readService>): Setting<string | null> {
  const { profile, stored } = readService(...from)
  const entries = Object.entries(stored.map ?? {})
  if (entries.length === 0) return { value: null, origin: 'default' }
  return { value: entries.map((entry) => entry.join('=')).join(', '), origin: `profile ${profile.value}` }
}

const SWITCHES = ['color', 'json', 'quiet', 'noInput', 'yes', 'dryRun', 'debug'] as const

function row(name: SettingName, { value, origin }: Setting<string | number | boolean | null | undefined>) {
  return { name: longFlag(name).slice(2), value: value ?? null, origin }
}

function withUnit({ value, origin }: Setting<number | undefined>, defaultMs: number): Setting<string> {
  const durationMs = value ?? defaultMs
  return { value: durationMs % 1_000 === 0 ? `${durationMs / 1_000}s` : `${durationMs}ms`, origin }
}
