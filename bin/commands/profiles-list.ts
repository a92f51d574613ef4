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
    json: 'list',
    fields: ['name', 'baseUrl', 'hasKey', 'inUse'],
    ids: 'the names',
    examples: ['certify profiles list', 'certify profiles list --json'],
  }).action(async () => {
    const { io, output, program } = context
    const store = storeOf(io)
    const { profile, profiles } = store.config()
    const inUse = readText('profile', program.root.opts(), io.env, { value: profile, origin: '' }).value
    const { keys } = store.credentials()
    const stored = Object.entries(profiles).map(([name, { baseUrl = null }]) => ({
      name,
      baseUrl: baseUrl === null ? null : shownAddress(baseUrl),
      hasKey: Object.hasOwn(keys, name),
    }))
    const sandbox = { name: SANDBOX.name, baseUrl: SANDBOX.baseUrl, hasKey: true }
    const rows: readonly Row[] = [...stored, sandbox].map((each) => ({ ...each, inUse: each.name === inUse }))
    await output.data({ value: rows, columns, rows, ids: rows.map(({ name }) => name) })
  })
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'BASE URL', value: ({ baseUrl }) => baseUrl },
  { title: 'KEY', value: ({ hasKey }) => (hasKey ? 'yes' : 'no') },
  { title: 'IN USE', value: ({ inUse }) => (inUse ? 'yes' : 'no') },
]
