import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, inject, test } from 'vitest'
import { MOST_MEGABYTES, receive } from '../callbacks/survival.mjs'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'

/* Minified and compressed, without an inbox in a file. */
const MOST_BYTES = 6_200

const consumer = inject('consumer')
const guide = readFileSync(join(repository, 'docs/callbacks.md'), 'utf8')
const programs = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)

test('the programs of the guide to callbacks compile strictly', () => {
  const known = `import { withLedger, type Ledger } from 'certify-sdk/ledger'
import type { CertifyClient } from 'certify-sdk'
declare const secret: string, quizId: string, client: CertifyClient, ledger: Ledger, request: Request
declare const candidate: { name: string; email: string }
declare function save(reference: string, inviteId: string, result: string): Promise<void>
export {}`
  const folder = writeProject(consumer, 'guide-callbacks', { 'guide.ts': [known, ...programs].join('\n') })
  expect(compile(consumer, folder, 'guide.ts')).toBe('')
})

const loop = `import { createServer } from 'node:http'
import { once } from 'node:events'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls, createCallbackHandler, withCallbacks } from 'certify-sdk/callbacks'
import { openLedger, withLedger } from 'certify-sdk/ledger'
import { createMockServer } from 'certify-sdk/mock'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
const ledger = await openLedger('invites.ledger')
const { inbox } = ledger
const onEvent = (event) => console.log(event.type, event.result ?? event.kind, event.verified)
const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent })
const server = createServer(handler.listener).listen(0, '127.0.0.1')
await once(server, 'listening')
const hosts = { 'https://app.example': 'http://127.0.0.1:' + server.address().port }
const mock = createMockServer({ callbacks: { hosts } })
const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'acme', world: mock.worldId })
const invite = await guarded.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: 'a@b.example' } })
const challenge = mock.open(invite.challengeUrl)
challenge.fail()
mock.open(challenge.claim('retake').challengeUrl).pass()
await mock.settle()
await handler.drain()
await handler.close()
server.close()
for await (const { invites, followUps } of ledger.list()) console.log(invites[0].result, followUps[0].kind, followUps[0].result)
await ledger.close()
`

test('the package receives the events of a candidate: a fail, a retake and a pass', () => {
  lend(consumer, 'better-sqlite3')
  const folder = writeProject(consumer, 'callbacks', { 'loop.mjs': loop })
  expect(runIn(folder, 'node', ['loop.mjs'])).toEqual({
    status: 0,
    stdout:
      'certification.completed FAILED token+ledger\n' +
      'certification.follow_up_claimed retake token+ledger\n' +
      'certification.completed PASSED token+ledger\n' +
      'failed retake passed\n',
    stderr: '',
  })
})

test('the receiver of the guide completes the event that it handles, and ends, after SIGTERM', async () => {
  lend(consumer, 'better-sqlite3')
  const port = String(await freePort())
  const [invite = '', receiver = ''] = programs
  const given = `import { CertifyClient } from 'certify-sdk'
import { openLedger, withLedger } from 'certify-sdk/ledger'
import { createMockServer } from 'certify-sdk/mock'
const [secret, quizId, candidate] = ['a secret of thirty-two characters', 'quiz_react_beginner_state', { email: 'a@b.example' }]
const mock = createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:${port}' } } })
const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
const ledger = await openLedger('invites.ledger')
async function save(reference, inviteId, result) {
  process.kill(process.pid, 'SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 300))
  console.log('saved', result)
}
`
  const ends = `mock.open(mock.outbox[0].challengeUrl).pass()\nawait mock.settle()\n`
  const program = [given, invite, receiver.replace('3000', port), ends].join('\n')
  const folder = writeProject(consumer, 'callbacks-sigterm', { 'receive.mjs': program })
  expect(runIn(folder, 'node', ['receive.mjs'])).toEqual({ status: 0, stdout: 'saved PASSED\n', stderr: '' })
  expect(readdirSync(folder).toSorted()).toEqual([
    'invites.ledger',
    'invites.ledger-highest-id',
    'invites.ledger-journal',
    'receive.mjs',
  ])
})

const later = `import { CertifyClient } from 'certify-sdk'
import { callbackUrls, createCallbackHandler, withCallbacks } from 'certify-sdk/callbacks'
import { openLedger, withLedger } from 'certify-sdk/ledger'
import { createMockServer } from 'certify-sdk/mock'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
const ledger = await openLedger('invites.ledger')
const { inbox } = ledger
const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent: () => {} })
const mock = createMockServer()
mock.callbacks.deliverTo((request) => handler(request))
const client = withCallbacks(new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch }), urls)
const guarded = withLedger(client, ledger, { account: 'acme', world: mock.worldId })
const finish = async (challenge) => (challenge.pass(), await mock.settle(), await handler.drain())
const purge = async (email) => {
  const { removed, kept } = await ledger.purge({ email })
  let events = 0
  for await (const _ of inbox.list()) events += 1
  console.log(removed, kept, events)
}
const [ada, grace] = ['ada@example.com', 'grace@example.com']
const invite = await guarded.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: ada } })
mock.open(invite.challengeUrl).fail()
await mock.settle()
await handler.drain()
await purge(ada)
await finish(mock.open(mock.open(invite.challengeUrl).claim('retake').challengeUrl))
await purge(ada)
const other = await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: grace } })
await finish(mock.open(other.challengeUrl))
await purge(grace)
await handler.close()
await ledger.close()
`

test('a purge removes the events of an entry, but none that comes later, and none of a create without the ledger', () => {
  lend(consumer, 'better-sqlite3')
  const folder = writeProject(consumer, 'callbacks-purge', { 'later.mjs': later })
  expect(runIn(folder, 'node', ['later.mjs'])).toEqual({ status: 0, stdout: '1 0 0\n0 0 2\n0 0 3\n', stderr: '' })
})

test('a receiver that is killed again and again handles every event in order, refuses all else, and needs little memory', async () => {
  const figures = await receive({ candidates: 60, kills: 4 })
  const none = { unhandled: 0, foreign: 0, disordered: 0, problems: [], wrong: [] }
  expect(figures).toMatchObject({ ofCandidates: 180, handled: figures.events, ...none })
  expect(figures.peakMb).toBeLessThanOrEqual(MOST_MEGABYTES)
  expect(figures.kinds).toMatchObject({
    slow: { answers: { 200: expect.any(Number) } },
    together: { answers: { 200: expect.any(Number) } },
    'never ends': { answers: { 408: expect.any(Number) } },
    'forged token': { answers: { 404: expect.any(Number) } },
    'other type': { answers: { 415: expect.any(Number) } },
    'no UTF-8': { answers: { 400: expect.any(Number) } },
    'no JSON': { answers: { 400: expect.any(Number) } },
    'empty POST': { answers: { 200: expect.any(Number) } },
  })
  expect(figures.repeated).toBeLessThanOrEqual(4 * 8)
})

test('the guide plays a fail, a retake and a pass on the command line, and the listener prints the events once and in order', async () => {
  lend(consumer, 'better-sqlite3')
  const folder = mkdtempSync(join(consumer, 'callbacks-cli-'))
  const [script = '', ...others] = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  expect([others, script.trimEnd().split('\n').length]).toEqual([[], 13])
  const [service, receiver] = [await freePort(), await freePort()]
  /* What the profile of the sandbox says, but for the port. */
  const sandbox = `CERTIFY_BASE_URL=http://127.0.0.1:${service} CERTIFY_API_KEY=ck_sandbox_full_7h2m9q4x1v8c6t3w`
  const ends = "trap 'kill $(jobs -p) 2> end.txt || true' EXIT\n"
  const ran = `${ends}${script}`
    .replace('CERTIFY_PROFILE=sandbox', sandbox)
    .replace('certify mock ', `certify mock --port ${service} `)
    .replaceAll('127.0.0.1:4010', `127.0.0.1:${service}`)
    .replaceAll('4020', String(receiver))
  const bin = join(consumer, 'node_modules/.bin')
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    XDG_STATE_HOME: folder,
    CERTIFY_CONFIG_DIR: join(folder, 'config'),
  }
  const { status, stdout } = runIn(folder, 'bash', ['-euo', 'pipefail', '-c', ran], env)
  const lines = stdout.trimEnd().split('\n')
  const [claimed] = readFileSync(join(folder, 'retake.json'), 'utf8').match(/inv_\w+/) ?? []
  expect([status, lines.slice(-3).map((line) => line.split('\t'))]).toEqual([
    0,
    [
      ['certification.completed', expect.stringMatching(/^inv_/), 'FAILED'],
      ['certification.follow_up_claimed', expect.stringMatching(/^inv_/), 'retake'],
      ['certification.completed', claimed, 'PASSED'],
    ],
  ])
  expect(readFileSync(join(folder, 'events.tsv'), 'utf8').split('\n')).toHaveLength(4)
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test(`without an inbox in a file the callbacks are at most ${MOST_BYTES} bytes, and use nothing of Node.js`, async () => {
  const bundle = await rolldown({
    input: join(consumer, 'node_modules/certify-sdk/dist/callbacks/index.js'),
    platform: 'browser',
  })
  const { output } = await bundle.generate({ minify: true, format: 'esm' })
  await bundle.close()
  expect(output.map(({ type }) => type)).toEqual(['chunk'])
  const code = output.map((each) => (each.type === 'chunk' ? each.code : '')).join('')
  /* It looks for a `process` that can print a warning, and does without. */
  expect(code).not.toMatch(/\bfrom ?["']|\brequire\(|\bprocess\.|\bBuffer\b/)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES)
})
