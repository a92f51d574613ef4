import { expect, test } from 'vitest'
import { createRunner } from './run.ts'

const hostile = ['$(touch x)', '`id`', 'a;b', 'a b', 'a\nb', '\u001B[2J', ':files', '--yes', '-', '', "a'b", '~', 'a*']

/* A service that names a track and a package like this. */
function serviceOf(names: readonly string[]) {
  const tracks = names.map((name) => ({ id: name, name: `${name}\u001B[2J\u202E`, slug: name, packages: [] }))
  return async () => Response.json({ data: { developerCertificationPackageTracks: tracks } })
}

test('of the names that a service sends only those are offered in which no shell reads anything', async () => {
  const { certify } = createRunner()
  const names = ['react', 'a.b:c@d/e-f_1', ...hostile]
  await certify(['tracks', 'list'], { fetch: serviceOf(names) })
  const { stdout } = await certify(['__complete', '--', 'tracks', 'view', ''])
  expect(stdout).toBe('react\treact\na.b:c@d/e-f_1\ta.b:c@d/e-f_1\n')
})

test.each([
  [['invites', 'list', '--state', 'un'], 'unknown\t\n'],
  [['callbacks', 'list', '--state', 'par'], 'parked\t\n'],
  [['invites', 'create', '--if-invited', 're'], 'refuse\t\nreuse\t\n'],
  [['invites', 'create', '--if-unknown=c'], 'create\t\n'],
  [['invites', 'create', '--ledger='], ':files\n'],
  [['ledger', 'check', '--ledger', ''], ':files\n'],
  [['ledger', 'p'], 'path\tprint the path of the ledger\npurge\tremove sends from the ledger for good\n'],
  [['invites', 'view', ''], ''],
  [['invites', 'resolve', 'a', 'b', '--from', ''], ':files\n'],
  [['invites', 'resolve', '--report='], ':files\n'],
  [['invites', 'resolve', '--format', 'c'], 'csv\t\n'],
  [['invites', 'resolve', '--cam'], '--campaign\tthe unknown sends of this campaign\n'],
])('the words of the ledger complete: %j', async (words, expected) => {
  const { certify } = createRunner()
  expect((await certify(['__complete', '--', ...words])).stdout).toBe(expected)
})

test('where a command takes a file and has commands below it, both are offered', async () => {
  const { certify } = createRunner()
  const complete = async (...words: readonly string[]) => (await certify(['__complete', '--', ...words])).stdout
  expect(await complete('bulk', '')).toBe('template\tprint an example file\n:files\n')
  expect(await complete('bulk', 'x')).toBe(':files\n')
  expect(await complete('bulk', 'x.csv', '')).toBe('')
  expect(await complete('bulk', 'x.csv', '--report', '')).toBe(':files\n')
  expect(await complete('bulk', 'x.csv', '--format', 'n')).toBe('ndjson\t\n')
  expect(await complete('bulk', 'template', '--format=')).toBe('csv\t\nndjson\t\n')
})

test('of the common flags those are offered that the command takes', async () => {
  const { certify } = createRunner()
  const complete = async (...words: readonly string[]) => (await certify(['__complete', '--', ...words])).stdout
  expect(await complete('bulk', 'x.csv', '--fie')).toBe('')
  expect(await complete('bulk', 'x.csv', '--dry')).toMatch(/^--dry-run\t/)
  expect(await complete('ledger', 'purge', '--dry')).toBe('')
  expect(await complete('ledger', 'purge', '--fie')).toMatch(/^--fields\t/)
})

test('the script for PowerShell hands over the words before the cursor and the word at it', async () => {
  const { certify } = createRunner()
  const { code, stdout } = await certify(['completion', 'powershell'])
  expect(code).toBe(0)
  expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName certify')
  expect(stdout).toContain('certify __complete -- @words')
  expect(stdout).toContain('-split "`t", 2')
})
