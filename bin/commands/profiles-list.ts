import { SANDBOX, shownAddress, storeOf } from '../config/connection.ts'
import { readText } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import type { Column } from '../terminal/table.ts'

interface Row {
  readonly name: string
  readonly baseUrl: string | null
  readonly hasKey: boolean
  readonly inUse: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    output: 'one row a profile: name, base URL, whether a key is stored, whether it is the one in use.',
    json: 'the list of {"name","baseUrl","hasKey","inUse"}.',
    fields: ['name', 'baseUrl', 'hasKey', 'inUse'],
    ids: 'the names',
    examples: ['certify profiles list', 'certify profiles list --json'],
  }).action(async () => {
    const { io, output, program } = context
    const store = storeOf(io)
    const { profile: chosen, profiles } = store.config()
    const { value: profile } = readText('profile', program.root.opts(), io.env, { value: chosen, origin: '' })
    const { keys } = store.credentials()
    const rows: readonly Row[] = [
      ...Object.entries(profiles).map(([name, { baseUrl = null }]) => ({
        name,
        baseUrl: baseUrl === null ? null : shownAddress(baseUrl),
        hasKey: Object.hasOwn(keys, name),
        inUse: name === profile,
      })),
      { name: SANDBOX.name, baseUrl: SANDBOX.baseUrl, hasKey: true, inUse: profile === SANDBOX.name },
    ]
    await output.data({ value: rows, columns, rows, ids: rows.map(({ name }) => name) })
  })
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'BASE URL', value: ({ baseUrl }) => baseUrl ?? '' },
  { title: 'KEY', value: ({ hasKey }) => (hasKey ? 'yes' : 'no') },
  { title: 'IN USE', value: ({ inUse }) => (inUse ? 'yes' : 'no') },
]
