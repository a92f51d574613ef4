import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, inject, test } from 'vitest'
import { compile, repository, runIn, writeProject } from './consumer.ts'
import { worldJsonSchema } from '../../mock-server/contract/world.ts'
import { cjs, esm } from './job.ts'

/*
 * Minified and gzipped. A change that raises it says what the bytes are for. The last 1,400: graphql-request as it is, with
 * the methods that the client does not call.
 */
const MAX_BYTES = 21_800

const consumer = inject('consumer')
const installed = join(consumer, 'node_modules/certify-sdk')

test('the package works by import', () => {
  const folder = writeProject(consumer, 'by-import', { 'index.mjs': `${esm}\nconsole.log(await job())` })
  expect(runIn(folder, 'node', ['index.mjs'])).toEqual({ status: 0, stdout: 'true BAD_USER_INPUT\n', stderr: '' })
})

test('the package works by require', () => {
  const folder = writeProject(consumer, 'by-require', { 'index.cjs': `${cjs}\njob().then(console.log)` })
  expect(runIn(folder, 'node', ['index.cjs'])).toEqual({ status: 0, stdout: 'true BAD_USER_INPUT\n', stderr: '' })
})

test('an error is a CertifyError across the copies of import and require', () => {
  const folder = writeProject(consumer, 'both', {
    'index.mjs': `import { createRequire } from 'node:module'
import { CertifyError, isCertifyError } from 'certify-sdk'
const other = createRequire(import.meta.url)('certify-sdk')
const error = new other.CertifyError({ code: 'ABORTED', outcome: 'unknown', message: 'x' })
console.log(other.CertifyError === CertifyError, error instanceof CertifyError, isCertifyError(error))`,
  })
  expect(runIn(folder, 'node', ['index.mjs']).stdout).toBe('false true true\n')
})

test('a ledger serves a client across the copies of import and require', () => {
  const folder = writeProject(consumer, 'both-ledgers', {
    'index.mjs': `import { createRequire } from 'node:module'
import { openLedger } from 'certify-sdk/ledger'
const require = createRequire(import.meta.url)
const mock = require('certify-sdk/mock').createMockServer()
const ledger = await openLedger(':memory:')
const client = new (require('certify-sdk').CertifyClient)({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ledger })
await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } })
console.log(await ledger.count())`,
  })
  expect(runIn(folder, 'node', ['index.mjs'])).toEqual({ status: 0, stdout: '1\n', stderr: '' })
})

test('the package has no dependencies, the licences of what it bundles, and no unexpected files', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(manifest['dependencies']).toBeUndefined()
  expect(readdirSync(join(consumer, 'node_modules')).filter((name) => !name.startsWith('.'))).toContain('certify-sdk')
  expect(readdirSync(installed).toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'examples',
    'llms.txt',
    'package.json',
    'skills',
  ])
  const licences = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENCES.md'), 'utf8')
  for (const name of ['@modelcontextprotocol/server', 'commander', 'graphql', 'graphql-request', 'hucre', 'zod']) {
    expect(licences).toMatch(new RegExp(`^## ${name} \\d`, 'm'))
  }
})

test('the JSON schema of a world is in the package', () => {
  const path = createRequire(join(consumer, 'editor.cjs')).resolve('certify-sdk/world.schema.json')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(worldJsonSchema())
})

test('published files contain no path of the machine that built them', () => {
  const files = readdirSync(join(installed, 'dist'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
  expect(files.length).toBeGreaterThan(10)
  for (const { parentPath, name } of files) {
    expect({ name, text: readFileSync(join(parentPath, name), 'utf8') }).not.toMatchObject({
      text: expect.stringContaining(repository),
    })
  }
})

test('the SDK stays small in a bundle', async () => {
  const bundle = await rolldown({ input: join(installed, 'dist/index.js'), platform: 'browser' })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES)
})

test('the SDK imports nothing, has no GraphQL schema code, and exposes no types of dependencies', () => {
  const code = readFileSync(join(installed, 'dist/index.js'), 'utf8')
  expect(code).not.toMatch(/from ["']/)
  expect(code).not.toContain('GraphQLSchema')
  const paths = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
  const types = paths.filter((path) => path.endsWith('.d.ts'))
  const imports = types.flatMap((path) => [
    ...readFileSync(join(installed, 'dist', path), 'utf8').matchAll(/^import .* from ["']([^."'].*)["']/gm),
  ])
  expect(imports.map(([, name = '']) => name).toSorted()).toEqual(['msw', 'vitest'])
})

test('every path of the package has types, also with moduleResolution node10', () => {
  const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    exports: Record<string, object | string>
  }
  const paths = Object.entries(entries).flatMap(([path, files]) => (typeof files === 'string' ? [] : [path]))
  expect(paths).toHaveLength(9)
  const imports = paths.map((path, index) => `import * as path${index} from '${join('certify-sdk', path)}'\n`)
  const uses = `export const all = [${paths.map((_, index) => `path${index}`).join(', ')}]\n`
  const folder = writeProject(consumer, 'node10', { 'index.ts': imports.join('') + uses })
  const flags = ['--moduleResolution', 'node10', '--ignoreDeprecations', '6.0', '--skipLibCheck']
  /* TypeScript 7 has no node10. */
  expect(compile(consumer, folder, [...flags, 'index.ts'], 'typescript')).toBe('')
})

test('the examples are in the package, without installed or built files', () => {
  const guide = readFileSync(join(installed, 'docs/inviting.md'), 'utf8')
  const recipes = [...guide.matchAll(/\(\.\.\/(examples\/[\w-]+\/README\.md)\)/g)].map(([, path = '']) => path)
  expect(recipes.length).toBeGreaterThan(7)
  expect(recipes.filter((path) => !existsSync(join(installed, path)))).toEqual([])
  const packed = readdirSync(join(installed, 'examples'), { recursive: true, encoding: 'utf8' })
  expect(packed.filter((path) => /node_modules|\.next|dist|\.ledger|package-lock/.test(path))).toEqual([])
})

test('the diagrams of the README and the guides are in the package', () => {
  const pages = ['README.md', 'docs/ledger.md', 'docs/production.md'].map((path) => join(installed, path))
  const diagrams = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\(([^)]+\.svg)\)/g)].map(([, path = '']) => join(page, '..', path)),
  )
  expect(diagrams).toHaveLength(3)
  expect(diagrams.filter((path) => !existsSync(path))).toEqual([])
})

/* Of these, `certify mcp` is 0.28 MB (60 kB gzip). */
test('the installed package is smaller than 7.1 MB', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(bytes).toBeLessThan(7_100_000)
})
