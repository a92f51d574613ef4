import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const files = ['src', 'bin', 'mock-server'].flatMap((part) =>
  readdirSync(join(import.meta.dirname, '..', part), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(part, name)),
)
const sourceOf = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')

/* The imports of every file: a path in the repository, or the name of a package. Type imports count. */
const imports = files.flatMap(importsOf)

function importsOf(file: string): { file: string; imported: string }[] {
  return Array.from(sourceOf(file).matchAll(/(?:from |import |import\()'([^'?]+)/g), ([, path = '']) => ({
    file,
    imported: path.startsWith('.') ? join(dirname(file), path) : path,
  }))
}

test.each([
  ['the SDK imports neither the mock nor the CLI', /^src\//, /^(bin|mock-server)\//],
  ['the mock imports neither the SDK nor the CLI', /^mock-server\//, /^(src|bin)\//],
  ['the CLI imports only the index files of the SDK', /^bin\//, /^src\/(?!((\w+\/)?index|ledger\/postgres)\.ts$)/],
  ['no file of the SDK imports its public index', /^src\/(?!(\w+\/)?index\.ts$)/, /^src\/(\w+\/)?index\.ts$/],
  [
    'the client imports nothing of Node.js, the ledger or a campaign',
    /^src\/([\w-]+\.ts|transport|util)/,
    /^(node:|src\/(ledger|campaign|node)\/)/,
  ],
  [
    'the transport knows neither the operations nor the client',
    /^src\/(transport|util)\//,
    /^src\/((client|operations|options|parts)\.ts|callbacks\/)/,
  ],
  [
    'a callback receiver needs no client',
    /^src\/callbacks\//,
    /^(node:|zod|src\/((client|operations|options|validation)\.ts|(ledger|campaign|node|transport)\/))/,
  ],
  /* Without default-fetch.ts, which replaces a file of the transport in the build for Node.js. */
  [
    'the fetch of Node.js knows no client',
    /^src\/node\/(?!default-fetch)/,
    /^src\/((client|operations|options)\.ts|(ledger|campaign|callbacks)\/)/,
  ],
  ['the ledger knows no campaign', /^src\/ledger\//, /^src\/(campaign|node)\//],
  ['a campaign knows no callbacks', /^src\/campaign\//, /^src\/(node|callbacks)\//],
  ['the rules of the ledger are pure', /^src\/ledger\/rules\//, /^(node:|src\/ledger\/[\w-]+\.ts)/],
  [
    'the ledger itself knows no database engine',
    /^src\/ledger\/(?!(sqlite|postgres|ledger-file|highest-id|owner|process-lock|index))/,
    /^(node:|pg$|src\/ledger\/(sqlite|postgres|ledger-file|highest-id|owner|process-lock))/,
  ],
  [
    'the Postgres ledger imports nothing of SQLite',
    /^src\/ledger\/postgres/,
    /^(node:|src\/ledger\/(sqlite|ledger-file|highest))/,
  ],
  [
    'the SQLite ledger imports nothing of Postgres',
    /^src\/ledger\/(sqlite|ledger-file|highest)/,
    /^src\/ledger\/postgres/,
  ],
  ['only one file of the mock imports Node.js', /^mock-server\/(?!standalone\.ts$)/, /^node:/],
  ['only one file of the mock imports MSW', /^mock-server\/(?!msw\.ts$)/, /^msw/],
  ['the world of the mock is pure', /^mock-server\/world\//, /^(node:|graphql$|msw)/],
  [
    'the rest of the CLI imports commands only through the registry',
    /^bin\/(?!commands\/|registry\.ts$)/,
    /^bin\/commands\//,
  ],
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

test('no file of the mock has a variable that its worlds would share', () => {
  const own = files.filter((file) => file.startsWith('mock-server/'))
  expect(own.filter((file) => /^(let|var) /m.test(sourceOf(file)))).toEqual([])
})

test.each(['src', 'bin'])('the folders of %s have no circular imports', (part) => {
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

test('no file of the SDK imports itself by way of others, types included', () => {
  let open = files.filter((file) => file.startsWith('src/'))
  const waits = (file: string) => imports.some((each) => each.file === file && open.includes(each.imported))
  while (open.some((file) => !waits(file))) open = open.filter(waits)
  expect(open).toEqual([])
})

test('at most eight files of the SDK lie outside its folders', () => {
  expect(files.filter((file) => /^src\/[\w-]+\.ts$/.test(file)).length).toBeLessThanOrEqual(8)
})
