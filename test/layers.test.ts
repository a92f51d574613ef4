import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/* Who imports what, from file to file: a path in the repository, or the name of a package. Types count. */
const imports = ['src', 'bin', 'mock-server'].flatMap((part) =>
  readdirSync(join(import.meta.dirname, '..', part), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => importsOf(join(part, name))),
)

function importsOf(file: string): { file: string; imported: string }[] {
  const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  return Array.from(source.matchAll(/(?:from |import |import\()'([^'?]+)/g), ([, path = '']) => ({
    file,
    imported: path.startsWith('.') ? join(dirname(file), path) : path,
  }))
}

test.each([
  ['the SDK stands alone', /^src\//, /^(bin|mock-server)\//],
  ['the mock is a second reading of the specification', /^mock-server\//, /^(src|bin)\//],
  ['the CLI uses the public surfaces of the SDK', /^bin\//, /^src\/(?!((\w+\/)?index|ledger\/postgres)\.ts$)/],
  ['the client runs everywhere', /^src\/([\w-]+\.ts|transport|operations)/, /^(node:|src\/(ledger|campaign|node)\/)/],
  [
    'a receiver needs no client',
    /^src\/callbacks\//,
    /^(node:|zod|src\/(ledger|campaign|node|transport|operations)\/)/,
  ],
  /* default-fetch.ts is no part of it: it takes the place of a file of the transport in the build for Node.js. */
  [
    'a fetch knows no client',
    /^src\/node\/(?!default-fetch)/,
    /^src\/((client|errors)\.ts|(ledger|campaign|callbacks|transport|operations)\/)/,
  ],
  ['a ledger is used with any client', /^src\/ledger\//, /^src\/((client|errors)\.ts|(campaign|transport|node)\/)/],
  ['a campaign is one of its users', /^src\/campaign\//, /^src\/((client|errors)\.ts|(transport|node|callbacks)\/)/],
  ['the rules of a ledger are pure', /^src\/ledger\/rules\//, /^(node:|src\/ledger\/[\w-]+\.ts)/],
  [
    'there is one ledger over any database',
    /^src\/ledger\/(?!(sqlite|postgres|ledger-file|highest-id|index))/,
    /^(node:|pg$|src\/ledger\/(sqlite|postgres|ledger-file|highest-id))/,
  ],
  [
    'SQLite and Postgres are apart: Postgres',
    /^src\/ledger\/postgres/,
    /^(node:|src\/ledger\/(sqlite|ledger-file|highest))/,
  ],
  ['SQLite and Postgres are apart: SQLite', /^src\/ledger\/(sqlite|ledger-file|highest)/, /^src\/ledger\/postgres/],
  ['a world is pure', /^mock-server\/world\//, /^(node:|graphql$|msw)/],
  ['commands stand on top', /^bin\/(?!commands\/)/, /^bin\/commands\/(?!catalogue\.ts$)/],
])('%s', (_rule, importers, forbidden) => {
  const own = imports.filter(({ file }) => importers.test(file))
  expect(own).not.toEqual([])
  expect(own.filter(({ imported }) => forbidden.test(imported))).toEqual([])
})

const MOCK = ['world', 'contract', 'api', 'sandbox', 'control', 'pages']

test('no folder of the mock imports one above it', () => {
  const layer = (path: string) =>
    /^mock-server\/[\w-]+\.ts$/.test(path) ? MOCK.length : MOCK.indexOf(/^mock-server\/(\w+)/.exec(path)?.[1] ?? '')
  const own = imports.filter(({ file }) => /^mock-server\/(?!generated)/.test(file))
  expect(own.filter(({ file, imported }) => layer(imported) > layer(file))).toEqual([])
})

test.each(['src', 'bin'])('the folders of %s import each other in one order', (part) => {
  const folderOf = (path: string) => new RegExp(`^${part}/(?!generated)([\\w-]+)/`).exec(path)?.[1]
  let open = [...new Set(imports.map(({ file }) => folderOf(file)))].filter((folder) => folder !== undefined)
  const waits = (folder: string) =>
    imports.some(({ file, imported }) => {
      const other = folderOf(imported) ?? folder
      return folderOf(file) === folder && other !== folder && open.includes(other)
    })
  expect(open.length).toBeGreaterThan(3)
  while (open.some((folder) => !waits(folder))) open = open.filter(waits)
  expect(open).toEqual([])
})
