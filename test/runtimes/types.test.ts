import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { lend, repository, runIn, writeProject } from '../package/consumer.ts'

const consumer = inject('consumer')
const installed = join(consumer, 'node_modules/certify-sdk')
const OLDEST = join(import.meta.dirname, 'packages/node_modules/typescript-5.4')
const NEWEST = join(repository, 'node_modules/typescript')

const consumerCode = `import { CertifyClient, isCertifyError, type PackageTrack } from 'certify-sdk'
import { callbackUrls, createCallbackHandler } from 'certify-sdk/callbacks'
import { type CampaignEvent, planCampaign, runCampaign } from 'certify-sdk/campaign'
import { type Ledger, type LedgerRecord, openLedger } from 'certify-sdk/ledger'
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
export async function record(url: string): Promise<LedgerRecord['state'] | undefined> {
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
test('publint finds no problems', () => {
  const publint = join(import.meta.dirname, 'packages/node_modules/publint/src/cli.js')
  const { status, stdout } = runIn(consumer, 'node', [publint, installed, '--strict', '--pack', 'false'])
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('All good!') })
})

/** Compiles a project with its tsconfig.json, and returns the errors of the compiler. */
function compile(folder: string, compiler: string): string {
  const { stdout, stderr } = runIn(folder, 'node', [join(compiler, 'bin/tsc')])
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
  ['ESM and CommonJS projects', ['index.mts', 'index.cts'], { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['a bundled project', ['index.ts'], { module: 'esnext', moduleResolution: 'bundler' }],
])('the types compile in %s: strict, without DOM or Node types, without skipLibCheck', (name, files, module) => {
  const compilerOptions = { ...strict, ...module, lib: ['es2022'], types: [], skipLibCheck: false }
  const folder = projectOf(`types of ${name}`, files, consumerCode, compilerOptions)
  for (const compiler of [OLDEST, NEWEST]) {
    expect({ compiler, errors: compile(folder, compiler) }).toEqual({ compiler, errors: '' })
  }
})

test.each([
  ['msw', "import { setupServer } from 'msw/node'\nsetupServer(...mswHandlers(mock))"],
  [
    'vitest',
    "const frozen = test.extend({ mockOptions: { now: '2030-01-01' } })\nfrozen('', async ({ mock: own }) => own.reset())",
  ],
])('the types of certify-sdk/mock/%s compile with its peer installed, without skipLibCheck', (peer, use) => {
  lend(consumer, '@types/node', 'undici-types', peer)
  const name = { msw: 'mswHandlers', vitest: 'test' }[peer]
  const code = `import { createMockServer } from 'certify-sdk/mock'
import { ${name} } from 'certify-sdk/mock/${peer}'
export const mock = createMockServer()
${use}`
  const modules = { module: 'nodenext', moduleResolution: 'nodenext' }
  const lib = ['es2022', 'dom', 'dom.iterable']
  const compilerOptions = { ...strict, ...modules, lib, types: ['node'], skipLibCheck: false }
  expect(compile(projectOf(`types of ${peer}`, ['index.mts', 'index.cts'], code, compilerOptions), NEWEST)).toBe('')
})

function projectOf(name: string, files: readonly string[], code: string, compilerOptions: object): string {
  const sources = Object.fromEntries(files.map((file) => [file, code]))
  return writeProject(consumer, name, { ...sources, 'tsconfig.json': JSON.stringify({ compilerOptions, files }) })
}
