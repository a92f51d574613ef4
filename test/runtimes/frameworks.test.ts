import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { callbackUrls } from '../../src/callbacks/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { lend, writeProject } from '../package/consumer.ts'
import { installed, serveWorker } from './installed.ts'

const consumer = inject('consumer')

const SECRET = 'a secret of thirty-two characters'
const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: [SECRET] })

/* An inbox in memory, because not every runtime has SQLite. */
const inbox = `const stored = new Map()
const next = () => [...stored.values()].find(({ state }) => state === 'waiting')
const inbox = {
  append: async (event) => !stored.has(event.key) && Boolean(stored.set(event.key, { ...event, state: 'waiting', failures: 0 })),
  take: async () => {
    const event = next()
    if (event) event.state = 'taken'
    return event
  },
  settle: async (key, { state }) => void (stored.get(key).state = state),
  nextDueAt: async () => next()?.receivedAt,
}
`

/* Every application has this, and prints what it handles. The applications for Node.js are in test/examples. */
const handler = `import { callbackUrls, createCallbackHandler } from 'certify-sdk/callbacks'
${inbox}const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['${SECRET}'] })
const onEvent = (event) => console.log(event.result ?? event.kind)
export const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent })
`

const hono = `import { Hono } from 'hono'
import { handler } from './handler.mjs'
const app = new Hono()
app.all('/certify/*', (context) => handler(context.req.raw))
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch })
console.log(server.port)
`
/* Deno calls it with a Web Request, as Next.js does. test/examples has an application for Next.js. */
const route = `import { handler } from './handler.mjs'
export const POST = (request) => handler(request)
export const GET = POST
export const HEAD = POST
`
const routeOnDeno = `import * as route from './route.mjs'
const onListen = ({ port }) => console.log(port)
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, (request) => route[request.method](request))
`
const deno = ['run', '--no-prompt', '--node-modules-dir=manual', '--allow-net=127.0.0.1']

test.each([
  { name: 'Hono on Bun', program: hono, command: installed('bun/bin/bun'), args: [] },
  { name: 'a route handler on Deno', program: routeOnDeno, command: installed('deno/deno'), args: deno },
])('$name receives each event once and in order', async ({ name, program, command, args }) => {
  lend(consumer, 'hono')
  const folder = writeProject(consumer, `framework-${name.replaceAll(/\W/g, '-')}`, {
    'handler.mjs': handler,
    'route.mjs': route,
    'index.mjs': program,
  })
  const server = spawn(command, [...args, 'index.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill())
  const lines = createInterface(server.stdout)
  const [port] = (await once(lines, 'line')) as [string]
  const handled = linesOf(lines)
  await deliver(`http://127.0.0.1:${port}`)
  expect(await handled(HANDLED.length)).toEqual(HANDLED)
})

test('a Worker receives each event once and in order, without Node.js compatibility', async () => {
  const folder = writeProject(consumer, 'framework-workerd', {
    'worker.js': `import { callbackUrls, createCallbackHandler } from 'certify-sdk/callbacks'
${inbox}const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['${SECRET}'] })
const handled = []
const onEvent = (event) => handled.push(event.result ?? event.kind)
const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent })
export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname === '/handled') return Response.json(handled)
    const response = await handler(request)
    context.waitUntil(handler.drain())
    return response
  },
}`,
    'config.capnp': `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "worker", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "certify-sdk/callbacks", esModule = embed "../node_modules/certify-sdk/dist/callbacks/index.js"),
  ],
  compatibilityDate = "2026-01-01",
);`,
  })
  const origin = await serveWorker(folder)
  await deliver(origin)
  await expect.poll(async () => (await fetch(`${origin}/handled`)).json()).toEqual(HANDLED)
})

const ENCODED = '{"type":"certification.completed","data":{"inviteId":"inv_1","result":"ENCODED"}}'
const HANDLED = ['ENCODED', 'FAILED', 'retake', 'PASSED']

/* Delivers the events of a candidate over HTTP, the first one twice, after requests that are not events. */
async function deliver(origin: string): Promise<void> {
  const mock = createMockServer()
  mock.callbacks.deliverTo(origin)
  mock.faults.add({ event: 'any', fault: 'duplicate' })
  const { baseUrl, apiKey, fetch: send } = mock
  const { invites } = new CertifyClient({ baseUrl, apiKey, fetch: send, callbacks: urls })
  const candidate = { email: 'ada@example.com' }
  const { challengeUrl } = await invites.create({ quizId: 'quiz_react_beginner_state', candidate })
  const { pathname } = new URL(await urls.mint('ref-1'))
  const post = async (path: string, body?: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    (await fetch(origin + path, { method: 'POST', headers, ...(body && { body }) })).status
  const forged = pathname.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
  expect([
    await post(forged, '{}'),
    await post(pathname, '{'),
    await post(pathname, 'x', { 'content-encoding': 'x' }),
    await post(pathname, gzipSync(Buffer.alloc(5_000_000, ' ')), { 'content-encoding': 'gzip' }),
    await post(pathname, gzipSync(ENCODED), { 'content-encoding': 'gzip', 'content-type': 'text/plain' }),
    await post(pathname),
    (await fetch(origin + pathname)).status,
    (await fetch(origin + pathname, { method: 'HEAD' })).status,
  ]).toEqual([404, 400, 415, 413, 200, 200, 200, 200])
  const challenge = mock.open(challengeUrl)
  challenge.fail()
  mock.open(challenge.claim('retake').challengeUrl).pass()
  await mock.settle()
  expect(mock.callbacks.list().map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([
    [200, 200],
    [200],
    [200],
  ])
}

/* Resolves with the lines so far, once there are this many. */
function linesOf(lines: Interface): (count: number) => Promise<readonly string[]> {
  const all: string[] = []
  lines.on('line', (line) => /^(ENCODED|FAILED|PASSED|retake)$/.test(line) && all.push(line))
  return async (count) => {
    await expect.poll(() => all.length).toBeGreaterThanOrEqual(count)
    return all
  }
}
