import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { rolldown } from 'rolldown'
import { expect, inject, test } from 'vitest'
import { lend, repository, runIn, writeProject } from './consumer.ts'
import { worldJsonSchema } from '../../mock-server/contract/world.ts'
import { cjs, esm } from './job.ts'

/* Minified and compressed. Whoever has to raise it says in the same change what the bytes are for. */
const MOST_BYTES = 18_000

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

test('an error of one copy is a CertifyError to the other: import and require may meet', () => {
  const folder = writeProject(consumer, 'both', {
    'index.mjs': `import { createRequire } from 'node:module'
import { CertifyError, isCertifyError } from 'certify-sdk'
const other = createRequire(import.meta.url)('certify-sdk')
const error = new other.CertifyError({ code: 'ABORTED', outcome: 'unknown', message: 'x' })
console.log(other.CertifyError === CertifyError, error instanceof CertifyError, isCertifyError(error))`,
  })
  expect(runIn(folder, 'node', ['index.mjs']).stdout).toBe('false true true\n')
})

const consumerCode = `import { CertifyClient, isCertifyError, type PackageTrack } from 'certify-sdk'
import { callbackUrls, createCallbackHandler } from 'certify-sdk/callbacks'
import { type CampaignEvent, planCampaign, runCampaign } from 'certify-sdk/campaign'
import { type Ledger, type LedgerEntry, openLedger } from 'certify-sdk/ledger'
import { openPostgresLedger } from 'certify-sdk/ledger/postgres'
import { createMockServer, type MockServer } from 'certify-sdk/mock'
import { createFetch, type FetchOptions } from 'certify-sdk/node'
export const mock: MockServer = createMockServer({ behaviour: { pendingInvite: 'refuse' } })
const callbacks = callbackUrls({ baseUrl: 'https://app.example', secrets: ['x'.repeat(32)] })
const clientOf = (ledger: Ledger): CertifyClient =>
  new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ledger, account: 'acme', callbacks })
export const tracks: Promise<readonly PackageTrack[]> = openLedger(':memory:').then((ledger) => clientOf(ledger).tracks.list())
export async function code(client: CertifyClient): Promise<string> {
  try {
    const invite = await client.invites.create({ quizId: 'q', candidate: { email: 'a@b.c' } }, { reference: 'a' })
    return invite.challengeUrl
  } catch (error) {
    return isCertifyError(error) ? error.code : 'none'
  }
}
export async function record(url: string): Promise<LedgerEntry['state'] | undefined> {
  const ledger = await openPostgresLedger({ url })
  const plan = await planCampaign([{ input: {} }], { client: clientOf(ledger) })
  const events: CampaignEvent[] = []
  for await (const event of runCampaign(plan, { concurrency: 2 })) events.push(event)
  for await (const entry of ledger.list({ state: 'created' })) return entry.state
  return undefined
}
export const handlerOf = (ledger: Ledger) =>
  createCallbackHandler({
    callbacks,
    inbox: ledger.inbox,
    onEvent: (event) => (event.type === 'certification.completed' ? event.inviteId : event.name),
  })
const overNode: FetchOptions = { idleMs: 0, proxy: 'environment', tls: { ca: ['x'] } }
export const own = new CertifyClient({ baseUrl: 'https://x.example', apiKey: 'x', fetch: createFetch(overNode) })
// @ts-expect-error an input that is not complete
void own.invites.create({ quizId: 'q' })
`
/** Compiles a project by its tsconfig.json, and gives what the compiler complains of. */
function compile(folder: string, compiler: string): string {
  const { stdout, stderr } = runIn(folder, 'node', [join(repository, 'node_modules', compiler, 'bin/tsc')])
  return stdout + stderr
}

const strict = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2022',
}

test.each([
  ['an ESM project', 'index.mts', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['a CommonJS project', 'index.cts', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['a bundled project', 'index.ts', { module: 'esnext', moduleResolution: 'bundler' }],
])('the types compile in %s: strict, without DOM or Node types, without skipLibCheck', (name, file, module) => {
  const compilerOptions = { ...strict, ...module, lib: ['es2022'], types: [], skipLibCheck: false }
  const folder = writeProject(consumer, `types-${file}`, {
    [file]: consumerCode,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: [file] }),
  })
  for (const compiler of ['typescript-5.4', 'typescript']) {
    expect({ name, compiler, errors: compile(folder, compiler) }).toEqual({ name, compiler, errors: '' })
  }
})

test.each([
  ['msw', "import { setupServer } from 'msw/node'\nsetupServer(...mswHandlers(mock))"],
  [
    'vitest',
    "const frozen = test.extend({ mockOptions: { now: '2030-01-01' } })\nfrozen('', async ({ mock: own }) => own.reset())",
  ],
])('the types of certify-sdk/mock/%s compile where it is installed, without skipLibCheck', (peer, use) => {
  lend(consumer, '@types/node', 'undici-types', peer)
  const name = { msw: 'mswHandlers', vitest: 'test' }[peer]
  const code = `import { createMockServer } from 'certify-sdk/mock'
import { ${name} } from 'certify-sdk/mock/${peer}'
export const mock = createMockServer()
${use}`
  const modules = { module: 'nodenext', moduleResolution: 'nodenext' }
  const compilerOptions = { ...strict, ...modules, lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'] }
  for (const file of ['index.mts', 'index.cts']) {
    const folder = writeProject(consumer, `types-${peer}-${file}`, {
      [file]: code,
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: false }, files: [file] }),
    })
    expect({ file, errors: compile(folder, 'typescript') }).toEqual({ file, errors: '' })
  }
})

test('the package is sound by publint', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
})

test('the package brings no dependencies, the licences of what it bundles, and nothing that it does not need', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(manifest['dependencies']).toBeUndefined()
  expect(readdirSync(join(consumer, 'node_modules')).filter((name) => !name.startsWith('.'))).toContain('certify-sdk')
  expect(readdirSync(installed).toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SKILL.md',
    'dist',
    'docs',
    'examples',
    'llms.txt',
    'package.json',
  ])
  const licences = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENCES.md'), 'utf8')
  for (const name of ['@modelcontextprotocol/sdk', 'commander', 'graphql', 'graphql-request', 'hucre', 'zod']) {
    expect(licences).toMatch(new RegExp(`^## ${name} \\d`, 'm'))
  }
})

test('the schema of a world is in the package, for editors', () => {
  const path = createRequire(join(consumer, 'editor.cjs')).resolve('certify-sdk/world.schema.json')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(worldJsonSchema())
})

test('nothing that is published names a path of the machine that built it', () => {
  const files = readdirSync(join(installed, 'dist'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
  expect(files.length).toBeGreaterThan(10)
  for (const { parentPath, name } of files) {
    expect({ name, text: readFileSync(join(parentPath, name), 'utf8') }).not.toMatchObject({
      text: expect.stringContaining(repository),
    })
  }
})

test('what importing the SDK adds to a bundle, with everything that it needs, stays small', async () => {
  const bundle = await rolldown({ input: join(installed, 'dist/index.js'), platform: 'browser' })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES)
})

test('the SDK bundle holds neither graphql’s parser nor Node, and no type of a dependency is in its types', () => {
  const code = readFileSync(join(installed, 'dist/index.js'), 'utf8')
  expect(code).not.toMatch(/from ["']/)
  expect(code).not.toContain('GraphQLSchema')
  const types = readFileSync(join(installed, 'dist/index.d.ts'), 'utf8')
  expect(types).not.toMatch(/from ["'](?!\.)/)
})

test('the recipes are in the package, without what was installed or built', () => {
  const guide = readFileSync(join(installed, 'docs/inviting.md'), 'utf8')
  const recipes = [...guide.matchAll(/\(\.\.\/(examples\/[\w-]+\/README\.md)\)/g)].map(([, path = '']) => path)
  expect(recipes.length).toBeGreaterThan(7)
  expect(recipes.filter((path) => !existsSync(join(installed, path)))).toEqual([])
  const packed = readdirSync(join(installed, 'examples'), { recursive: true, encoding: 'utf8' })
  expect(packed.filter((path) => /node_modules|\.next|dist|\.ledger|package-lock/.test(path))).toEqual([])
})

/* Of these, the editors of the Console are 0.72 MB (217 kB gzip), the licences of what is in them 0.02 MB, and `certify mcp` 0.28 MB (60 kB gzip). */
test('the installed package is one package of less than 7.1 megabytes', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(bytes).toBeLessThan(7_100_000)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies?: object
  }
  expect(dependencies).toBeUndefined()
})
