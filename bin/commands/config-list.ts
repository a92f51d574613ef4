import { shownAddress } from '../config/connection.ts'
import { readLedgerPlace, readLedgerPlaceIfOn } from '../config/ledger.ts'
import { type Preferences, SETTINGS, type Setting, type SettingName } from '../config/settings.ts'
import type { Context, DefineCommand } from '../context.ts'
import { masked } from '../diagnosis/check-key.ts'
import { addManual } from '../help/manual.ts'
import type { Column } from '../terminal/table.ts'

interface Row {
  readonly name: string
  readonly value: string | number | boolean | null
  readonly origin?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'A flag overrides the environment, the environment the profile, and the profile the default. The ledger ' +
        'is empty where invites create and package-invites create keep no record.',
    ],
    output: 'one row a setting: name, value and, with --show-origin, where it was set. The key shows its end only.',
    json: 'the list of {"name","value","origin"}.',
    fields: ['name', 'value', 'origin'],
    ids: 'the names',
    examples: ['certify config list --show-origin', 'certify config list --profile staging --json'],
  })
    .option('--show-origin', 'say where each value was set')
    .action(async ({ showOrigin = false }: { showOrigin?: boolean }) => {
      const { output } = context
      const rows = readAll(context).map(({ origin, ...rest }) => (showOrigin ? { ...rest, origin } : rest))
      await output.data({
        value: rows,
        columns: showOrigin ? [...columns, originColumn] : columns,
        rows,
        ids: rows.map(({ name }) => name),
      })
    })
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VALUE', value: ({ value }) => String(value ?? '') },
]
const originColumn: Column<Row> = { title: 'ORIGIN', value: ({ origin = '' }) => origin }

function readAll({ io, program, connection, preferences }: Context): readonly (Row & { readonly origin: string })[] {
  const { profile, baseUrl, apiKey, timeoutMs, deadlineMs } = connection()
  const place = readLedgerPlaceIfOn(io, program.root.opts(), {})
  const { account } = readLedgerPlace(io, program.root.opts(), {})
  const key = apiKey.value === undefined ? null : masked(apiKey.value)
  return [
    row('profile', profile),
    row('baseUrl', { ...baseUrl, value: baseUrl.value === undefined ? undefined : shownAddress(baseUrl.value) }),
    { name: 'api-key', value: key, origin: apiKey.origin },
    row('timeout', inUnits(timeoutMs, 30_000)),
    row('deadline', inUnits(deadlineMs, 90_000)),
    ledgerRow(place),
    { name: 'account', ...account },
    ...SWITCHES.map((name) => row(name, preferences[name])),
    row('fields', { ...preferences.fields, value: preferences.fields.value?.join(',') }),
  ]
}

function ledgerRow(place: ReturnType<typeof readLedgerPlaceIfOn>) {
  if (place === undefined) return { name: 'ledger', value: null, origin: 'default' }
  const { value, origin } = place.path
  return { name: 'ledger', value, origin: origin === 'default' ? place.turnedOnBy : origin }
}

const SWITCHES = [
  'color',
  'json',
  'quiet',
  'noInput',
  'yes',
  'dryRun',
  'debug',
] as const satisfies (keyof Preferences)[]

function row(name: SettingName, { value, origin }: Setting<string | number | boolean | undefined>) {
  const [, word = name] = /--([a-z-]+)/.exec(SETTINGS[name].flags) ?? []
  return { name: word, value: value ?? null, origin }
}

/* With the largest unit that leaves no rest, as one would write it. */
function inUnits({ value, origin }: Setting<number | undefined>, otherwiseMs: number): Setting<string> {
  const durationMs = value ?? otherwiseMs
  const text = durationMs % 1_000 === 0 ? `${durationMs / 1_000}s` : `${durationMs}ms`
  return { value: text, origin }
}
