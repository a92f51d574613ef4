import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { writeProject } from '../package/consumer.ts'
import { freePort } from '../postgres/supervised.mjs'
import { install, installed, serveWorker } from './installed.ts'

const consumer = inject('consumer')

const NODES = ['node-20', 'node-22', 'node-24', 'node-26']

const program = readFileSync(join(import.meta.dirname, 'program.mjs'), 'utf8')
const byImport = `import * as sdk from 'certify-sdk'\n${program}`
const byRequire = `const sdk = require('certify-sdk')\n${program.replace('export async', 'async')}`
const main = 'program(sdk, JSON.parse(process.argv[2])).then((result) => console.log(JSON.stringify(result)))'

const done = {
  track: 'react',
  invite: ['PENDING', true],
  packageInvites: true,
  refused: 'BAD_USER_INPUT not-executed',
  lost: 'CONNECTION_LOST unknown',
  told: 'tracks.list attempt end invites.create attempt end',
}
/* Errors with codes prove that nothing was sent; without codes, the outcome is unknown. */
const withCodes = { ...done, unreachable: 'UNREACHABLE not-executed' }
const withoutCodes = { ...done, unreachable: 'CONNECTION_LOST unknown' }

const nodes = NODES.map((name) => ({ name, command: installed(`${name}/bin/node`), expected: withCodes }))
const bun = { name: 'Bun', command: installed('bun/bin/bun'), expected: withCodes }
const runtimes = [...nodes, bun].flatMap((runtime) => [
  { ...runtime, how: 'import', args: ['index.mjs'] },
  { ...runtime, how: 'require', args: ['index.cjs'] },
])
const deno = { name: 'Deno', command: installed('deno/deno'), expected: withoutCodes }
const denoArgs = ['run', '--no-prompt', '--node-modules-dir=manual', '--allow-net=127.0.0.1']

test.each([
  ...runtimes,
  { ...deno, how: 'import', args: [...denoArgs, 'index.mjs'] },
  { ...deno, how: 'require', args: [...denoArgs, '--allow-read', 'index.cjs'] },
])('the package works on $name by $how, and sends no create twice', async ({ name, how, command, args, expected }) => {
  const { where, lostInvites } = await startServices()
  const folder = writeProject(consumer, `${name}-${how}`, {
    'index.mjs': `${byImport}\n${main}`,
    'index.cjs': `${byRequire}\n${main}`,
  })
  const { stdout, stderr } = await run(folder, command, [...args, JSON.stringify(where)])
  expect({ stderr, ...JSON.parse(stdout) }).toEqual({ stderr: '', ...expected })
  expect(lostInvites()).toBe(1)
})

test.each([...nodes, bun])('certify-sdk/node works on $name, and sends no create twice', async ({ name, command }) => {
  const { where, lostInvites } = await startServices()
  const folder = writeProject(consumer, `fetch-${name}`, {
    'index.mjs': `import { createFetch } from 'certify-sdk/node'\n${byImport}\n${main.replace('))', '), createFetch())')}`,
  })
  const { stdout, stderr } = await run(folder, command, ['index.mjs', JSON.stringify(where)])
  expect({ stderr, ...JSON.parse(stdout) }).toEqual({ stderr: '', ...withCodes })
  expect(lostInvites()).toBe(1)
})

test('certify-sdk/node refuses Deno, which would send a create twice', async () => {
  const folder = writeProject(consumer, 'fetch-deno', {
    'index.mjs': `import { createFetch } from 'certify-sdk/node'
try { createFetch() } catch ({ code, outcome }) { console.log(code, outcome) }`,
  })
  const { stdout } = await run(folder, deno.command, [...denoArgs, 'index.mjs'])
  expect(stdout).toBe('CONFIG_INVALID not-executed\n')
})

test('the package works on workerd without Node.js compatibility, and no create is sent twice', async () => {
  const { where, lostInvites } = await startServices()
  const folder = writeProject(consumer, 'workerd', {
    'worker.js': `${byImport}
export default { fetch: async (request) => Response.json(await program(sdk, await request.json())) }`,
    'config.capnp': `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "certify-sdk", esModule = embed "../node_modules/certify-sdk/dist/index.js"),
  ],
  compatibilityDate = "2026-01-01",
);`,
  })
  const answer = await fetch(await serveWorker(folder), { method: 'POST', body: JSON.stringify(where) })
  expect(await answer.json()).toEqual(withoutCodes)
  expect(lostInvites()).toBe(1)
})

test('a bundle for browsers needs no other package, no process and no global', async () => {
  const { where } = await startServices()
  const folder = writeProject(consumer, 'bundled', {
    'app.mjs': `${byImport}\nexport const app = (where) => program(sdk, where)`,
    'index.mjs': `const where = JSON.parse(process.argv[2])
delete globalThis.process
delete globalThis.global
const { app } = await import('./bundle.mjs')
console.log(JSON.stringify(await app(where)))`,
  })
  const flags = ['--bundle', '--platform=browser', '--format=esm', '--outfile=bundle.mjs', '--metafile=meta.json']
  const bundled = await run(folder, installed('esbuild/bin/esbuild'), ['app.mjs', ...flags, '--log-level=warning'])
  expect(bundled).toEqual({ stdout: '', stderr: '' })
  const { inputs, outputs } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as {
    inputs: Record<string, unknown>
    outputs: Record<string, { imports: unknown[] }>
  }
  expect(Object.keys(inputs).toSorted()).toEqual(['../node_modules/certify-sdk/dist/index.js', 'app.mjs'])
  expect(outputs['bundle.mjs']?.imports).toEqual([])
  const { stdout } = await run(folder, installed('node-24/bin/node'), ['index.mjs', JSON.stringify(where)])
  expect(JSON.parse(stdout)).toEqual(withCodes)
})

test.each(NODES)('a CommonJS bundle opens a ledger file on %s', async (name) => {
  const folder = writeProject(consumer, `commonjs-${name}`, {
    'app.mjs': `import { openLedger } from 'certify-sdk/ledger'
openLedger('invites.ledger').then(async (ledger) => console.log((await ledger.check()).driver))`,
  })
  const flags = ['--bundle', '--platform=node', '--external:pg', '--outfile=bundle.cjs', '--log-level=error']
  await run(folder, installed('esbuild/bin/esbuild'), ['app.mjs', ...flags])
  const { stdout } = await run(folder, installed(`${name}/bin/node`), ['bundle.cjs'])
  expect(stdout).toBe(name === 'node-20' ? '@photostructure/sqlite\n' : 'node:sqlite\n')
})

test.each([
  ['graphql 16', 'graphql-16', '16.15.0'],
  ['graphql 17', 'graphql-17', '17.1.0'],
  ['no graphql', undefined, 'none'],
])('the package and its mock work beside %s', async (_name, graphql, version) => {
  if (graphql !== undefined) install(graphql, 'graphql')
  const folder = writeProject(consumer, `beside-${graphql ?? 'none'}`, {
    'index.mjs': `import { CertifyClient } from 'certify-sdk'
import { createMockServer } from 'certify-sdk/mock'
const { version } = await import('graphql').catch(({ code }) => ({ version: code === 'ERR_MODULE_NOT_FOUND' && 'none' }))
const mock = createMockServer()
const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
const { packages } = await client.tracks.get('react')
const candidate = { email: 'ada@candidate.test' }
const created = await client.packageInvites.create({ packageId: packages[0].id, candidate })
const error = await client.invites.create({ quizId: 'quiz_of_nobody', candidate }).catch((failure) => failure)
const document = 'query { developerCertificationPackageTracks(trackSlug: "react") { slug } }'
const own = await client.request(document)
console.log(JSON.stringify([version, created.invites.length === mock.invites.length, error.code, own]))`,
  })
  const { stdout, stderr } = await run(folder, installed('node-24/bin/node'), ['index.mjs'])
  const own = { developerCertificationPackageTracks: [{ slug: 'react' }] }
  expect({ stderr, said: JSON.parse(stdout) }).toEqual({ stderr: '', said: [version, true, 'BAD_USER_INPUT', own] })
})

test.each(NODES)('the command line works on %s', async (node) => {
  const { where } = await startServices()
  const args = [join(consumer, 'node_modules/certify-sdk/dist/bin/certify.cjs'), 'tracks', 'view', 'react', '--json']
  const env = { CERTIFY_BASE_URL: where.url, CERTIFY_API_KEY: where.apiKey }
  const { stdout, stderr } = await run(consumer, installed(`${node}/bin/node`), args, env)
  expect({ stderr, said: JSON.parse(stdout) }).toEqual({ stderr: '', said: expect.objectContaining({ slug: 'react' }) })
})

test('the ledger of the command line works on every Node.js line, without a warning', async () => {
  const { where } = await startServices()
  const bin = join(consumer, 'node_modules/certify-sdk/dist/bin/certify.cjs')
  const ledger = join(consumer, 'cli.ledger')
  const env = { CERTIFY_BASE_URL: where.url, CERTIFY_API_KEY: where.apiKey, CERTIFY_LEDGER: ledger }
  const candidate = ['--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@candidate.test']
  const create = ['invites', 'create', ...candidate, '--if-invited', 'reuse', '--quiet']
  const said = new Set<string>()
  for (const name of NODES) {
    for (const argv of [create, ['invites', 'list', '--quiet']]) {
      const { stdout, stderr } = await run(consumer, installed(`${name}/bin/node`), [bin, ...argv], env)
      expect({ name, stderr }).toEqual({ name, stderr: '' })
      said.add(stdout)
    }
  }
  expect(said.size).toBe(1)
})

const ledgerProgram = readFileSync(join(import.meta.dirname, 'ledger.mjs'), 'utf8')

test('a ledger and its inbox work on every Node.js line, and each line opens the file of the others', async () => {
  const { where } = await startServices()
  const folder = writeProject(consumer, 'ledger', {
    'index.mjs': `${ledgerProgram}\nawait main(await import('certify-sdk'), await import('certify-sdk/ledger'), await import('certify-sdk/callbacks'))`,
    'index.cjs': `${ledgerProgram.replace('export async', 'async')}\nmain(require('certify-sdk'), require('certify-sdk/ledger'), require('certify-sdk/callbacks'))`,
  })
  const path = join(folder, 'invites.ledger')
  let before: string | undefined
  for (const name of NODES) {
    for (const file of ['index.mjs', 'index.cjs']) {
      const args = [file, JSON.stringify({ ...where, path, before })]
      const { stdout, stderr } = await run(folder, installed(`${name}/bin/node`), args)
      const driver = name === 'node-20' ? '@photostructure/sqlite' : 'node:sqlite'
      const said = JSON.parse(stdout) as { inviteId: string }
      expect({ name, file, stderr, ...said }).toMatchObject({
        stderr: '',
        driver,
        problems: [],
        again: 'ALREADY_INVITED',
        handled: before === undefined ? ['evt_1', 'evt_3', 'evt_2'] : [],
        states: ['handled', 'handled', 'handled'],
        results: ['failed', 'passed'],
      })
      /* The invite of the previous runtime is found and not sent again. */
      expect(said.inviteId).toBe(before ?? said.inviteId)
      before = said.inviteId
    }
  }
})

test.each([
  ['in a project', '', 'npm install @photostructure/sqlite'],
  [
    'that npx keeps',
    '_npx/0a1b',
    'npm install @photostructure/sqlite@1 certify-sdk` in this folder, and npx finds both',
  ],
])('without any SQLite the error says what to install for a package %s', async (_where, under, how) => {
  /* Outside the consumer of the other tests, which has it. */
  const whole = mkdtempSync(join(tmpdir(), 'certify-no-sqlite-'))
  onTestFinished(() => rmSync(whole, { recursive: true, force: true }))
  const folder = join(whole, under)
  cpSync(join(consumer, 'node_modules/certify-sdk'), join(folder, 'node_modules/certify-sdk'), { recursive: true })
  writeProject(folder, '.', {
    'index.mjs': `import { openLedger } from 'certify-sdk/ledger'
await openLedger('x').catch(({ code, message, hint }) => console.log(JSON.stringify([code, message, hint])))`,
  })
  const { stdout, stderr } = await run(folder, installed('node-20/bin/node'), ['index.mjs'])
  expect({ stderr, said: JSON.parse(stdout) }).toEqual({
    stderr: '',
    said: ['LEDGER_UNUSABLE', expect.stringContaining('not installed'), expect.stringContaining(how)],
  })
})

/* A mock, another one that hangs up after every create, and an address where nothing listens. */
async function startServices() {
  const service = createMockServer()
  const hangingUp = createMockServer()
  hangingUp.faults.add({
    operation: 'developerCreateCertificationInvite',
    phase: 'after',
    times: Number.POSITIVE_INFINITY,
    fault: 'cut',
  })
  const [answering, cutting] = await Promise.all([service.listen(), hangingUp.listen()])
  onTestFinished(async () => {
    await Promise.all([answering.close(), cutting.close()])
  })
  const where = {
    url: answering.url,
    cutting: cutting.url,
    nowhere: `http://127.0.0.1:${await freePort()}`,
    apiKey: service.apiKey,
  }
  return { where, lostInvites: () => hangingUp.invites.length }
}

/* Asynchronous, unlike runIn, because the mocks in this process have to answer. */
async function run(folder: string, command: string, args: readonly string[], env: Record<string, string> = {}) {
  const { PATH, HOME } = process.env
  return promisify(execFile)(command, args, { cwd: folder, env: { PATH, HOME, ...env } })
}
