import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { compile, lend, repository, writeProject } from './consumer.ts'

const consumer = inject('consumer')
const certificates = join(import.meta.dirname, '../certificates')
const guide = readFileSync(join(repository, 'docs/networking.md'), 'utf8')
const snippetOf = (file: string) =>
  new RegExp(`^\`\`\`ts file=${file}\\.ts\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1] ?? ''
const snippet = snippetOf('behind-a-proxy')
const nodeSnippet = snippetOf('node-fetch')
const direct = `import { CertifyClient } from 'certify-sdk'
const { CERTIFY_BASE_URL = '', CERTIFY_API_KEY = '' } = process.env
const client = new CertifyClient({ baseUrl: CERTIFY_BASE_URL, apiKey: CERTIFY_API_KEY, retry: false })
console.log(await client.tracks.list().then((tracks) => tracks.length, (error) => error.message))
`

/** Runs a program while this process serves it. */
async function run(name: string, code: string, env: Readonly<Record<string, string>>): Promise<string> {
  lend(consumer, 'undici')
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const folder = writeProject(consumer, name, { 'index.mjs': outputText })
  const { PATH = '' } = process.env
  const child = spawn('node', ['index.mjs'], {
    cwd: folder,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  return output.trim()
}

async function startProxy(): Promise<{ readonly url: string; readonly tunnels: readonly string[] }> {
  const tunnels: string[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer()
  proxy.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
    tunnels.push(url)
    const { hostname, port } = new URL(`http://${url}`)
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    for (const socket of [client, target]) sockets.add(socket.on('error', () => {}))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnels }
}

test('the guide’s clients compile strictly', () => {
  lend(consumer, 'undici')
  const folder = writeProject(consumer, 'guide', { 'behind-a-proxy.ts': snippet, 'node-fetch.ts': nodeSnippet })
  expect(compile(consumer, folder, 'behind-a-proxy.ts', 'node-fetch.ts')).toBe('')
})

test('the guide’s client with certify-sdk/node lists the tracks', async () => {
  const mock = createMockServer()
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  const env = { CERTIFY_BASE_URL: listener.url, CERTIFY_API_KEY: mock.apiKey }
  expect(await run('node-fetch', nodeSnippet, env)).toBe(String(mock.tracks.length))
})

test.each(['import', 'require'])(
  'a connection that certify-sdk/node keeps does not keep its process: %s',
  async (how) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end('{"data":{"developerCertificationPackageTracks":[]}}'))
    })
    server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const load = (name: string) =>
      how === 'import'
        ? `await import('${name}')`
        : `(await import('node:module')).createRequire(import.meta.url)('${name}')`
    const code = `const { CertifyClient } = ${load('certify-sdk')}
const { createFetch } = ${load('certify-sdk/node')}
const { CERTIFY_BASE_URL: baseUrl } = process.env
await new CertifyClient({ baseUrl, apiKey: 'ck_1', fetch: createFetch({ idleMs: 60_000 }) }).tracks.list()
const since = Date.now()
process.on('exit', () => console.log(Date.now() - since))`
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const output = await run(`ends-${how}`, code, { CERTIFY_BASE_URL: url })
    expect(output).toMatch(/^\d+$/)
    expect(Number(output)).toBeLessThan(20_000)
  },
)

test('the guide’s client goes through the proxy of the environment, and past it where NO_PROXY says so', async () => {
  const mock = createMockServer()
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  const proxy = await startProxy()
  const env = { CERTIFY_BASE_URL: listener.url, CERTIFY_API_KEY: mock.apiKey, HTTP_PROXY: proxy.url }
  expect(await run('through-proxy', snippet, env)).toBe(String(mock.tracks.length))
  expect(proxy.tunnels).toEqual([`127.0.0.1:${listener.port}`])
  expect(await run('past-proxy', snippet, { ...env, NO_PROXY: '127.0.0.1' })).toBe(String(mock.tracks.length))
  expect(proxy.tunnels).toHaveLength(1)
})

test('the client obeys NODE_EXTRA_CA_CERTS, and without it says that nothing was sent', async () => {
  let requests = 0
  const key = readFileSync(join(certificates, 'server.key'))
  const cert = readFileSync(join(certificates, 'server.pem'))
  const server = createTlsServer({ key, cert }, (request, response) => {
    requests += 1
    request.resume()
    request.on('end', () => response.end('{"data":{"developerCertificationPackageTracks":[]}}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: 'ck_1' }
  expect(await run('without-authority', direct, env)).toMatch(
    /the certificate was not accepted \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/,
  )
  expect(requests).toBe(0)
  const trusting = { ...env, NODE_EXTRA_CA_CERTS: join(certificates, 'ca.pem') }
  expect(await run('with-authority', direct, trusting)).toBe('0')
  expect(requests).toBe(1)
})

test('certify trusts an authority of NODE_EXTRA_CA_CERTS, and without it says what to do', async () => {
  const key = readFileSync(join(certificates, 'server.key'))
  const cert = readFileSync(join(certificates, 'server.pem'))
  const server = createTlsServer({ key, cert }, (request, response) => {
    request.resume().on('end', () => response.end('{"data":{"developerCertificationPackageTracks":[]}}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const certify = async (command: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { PATH = '' } = process.env
    const own = { CERTIFY_CONFIG_DIR: consumer, XDG_CACHE_HOME: consumer }
    const child = spawn(join(consumer, 'node_modules/.bin/certify'), command, {
      env: { PATH, ...own, CERTIFY_BASE_URL: url, CERTIFY_API_KEY: 'ck_1', ...more },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const [status] = (await once(child, 'close')) as [number]
    return { status, output }
  }
  const trusting = { NODE_EXTRA_CA_CERTS: join(certificates, 'ca.pem') }
  const list = ['tracks', 'list', '--json']
  expect(await certify(list)).toEqual({ status: 7, output: expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE') })
  expect(await certify(list, trusting)).toEqual({ status: 0, output: '[]\n' })
  expect(await certify(['doctor'])).toEqual({ status: 7, output: expect.stringContaining('set NODE_EXTRA_CA_CERTS') })
  expect((await certify(['doctor'], trusting)).output).toMatch(/^pass\tTLS\tTLSv1\.\d, certificate valid until /m)
})

test('certify shows no password of a proxy, whatever DEBUG asks for', async () => {
  const { PATH = '' } = process.env
  const child = spawn(join(consumer, 'node_modules/.bin/certify'), ['tracks', 'list', '--debug'], {
    env: {
      PATH,
      DEBUG: '*',
      NODE_DEBUG: 'http,https,net,tls',
      CERTIFY_CONFIG_DIR: consumer,
      CERTIFY_BASE_URL: 'https://certify.test',
      CERTIFY_API_KEY: 'ck_canary',
      HTTPS_PROXY: 'http://someone:canary@127.0.0.1:1',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  expect(status).toBe(7)
  expect(output).not.toContain('canary')
})
