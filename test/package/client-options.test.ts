import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import ts from 'typescript'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { compile, repository, writeProject } from './consumer.ts'

const consumer = inject('consumer')
const guide = readFileSync(join(repository, 'docs/client-options.md'), 'utf8')
const blocks = new Map(
  [...guide.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [file, code]),
)
/* A test of test/runtimes runs this one: pino is installed there. */
const programs = [...blocks.keys()].filter((file) => file.endsWith('.ts'))

/** Runs a program of the guide against a mock, and gives what it printed and the headers that it sent. */
async function run(file: string, script: readonly (Fault | 'ok')[] = [], more: Readonly<Record<string, string>> = {}) {
  const mock = createMockServer()
  if (script.length > 0) mock.faults.add({ script })
  const received: IncomingHttpHeaders[] = []
  const answerBy = async (request: IncomingMessage, response: ServerResponse) => {
    received.push(request.headers)
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const answer = await mock.fetch(mock.endpoint, { method: 'POST', headers, body: await text(request) })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  }
  const server = createServer((request, response) => void answerBy(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { outputText } = ts.transpileModule(blocks.get(file) ?? '', {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const folder = writeProject(consumer, `option-${file}`, { 'index.mjs': outputText, key: `${mock.apiKey}\n` })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { PATH = '' } = process.env
  const env = { PATH, CERTIFY_BASE_URL: url, CERTIFY_API_KEY: mock.apiKey, KEY_FILE: 'key', ...more }
  const child = spawn('node', ['index.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, received, key: mock.apiKey, tracks: `${mock.tracks.length}\n` }
}

test('the table of the guide has every option of a client, and the other one every option of a call', () => {
  const source = readFileSync(join(repository, 'src/options.ts'), 'utf8')
  const members = (name: string) => {
    const [, body = ''] = new RegExp(`interface ${name} [^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
    return [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member = '']) => member)
  }
  const rowsOf = (heading: string) => {
    const [, section = ''] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#|$(?![\\s\\S]))`, 'm').exec(guide) ?? []
    const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell)
    return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  }
  const client = [...members('CommonOptions'), 'apiKey', 'adminSession']
  expect(client.length).toBeGreaterThan(10)
  expect(rowsOf('Client options').toSorted()).toEqual(client.toSorted())
  expect(rowsOf('Options of a call').toSorted()).toEqual(members('CallOptions').toSorted())
})

test('the programs of the guide compile strictly', () => {
  expect(programs).toHaveLength(10)
  const sources = Object.fromEntries(programs.map((file) => [file, blocks.get(file) ?? '']))
  const folder = writeProject(consumer, 'client-options', sources)
  expect(compile(consumer, folder, ...programs)).toBe('')
})

test('the key comes from the function, and the application is in the user agent', async () => {
  const byFile = await run('key.ts', [], { CERTIFY_API_KEY: '' })
  expect([byFile.stdout, byFile.received[0]?.['x-api-key']]).toEqual([byFile.tracks, byFile.key])
  const { received, stdout, tracks } = await run('app-info.ts')
  expect(stdout).toBe(tracks)
  expect(received[0]?.['user-agent']).toMatch(/^certify-sdk\/\S+ node\/\S+ acme-ats\/2\.1$/)
})

test('the headers of the guide reach the service', async () => {
  const { stdout, stderr, received, tracks } = await run('headers.ts', [], { GATEWAY_TOKEN: 'g1' })
  expect({ stdout, stderr }).toEqual({ stdout: tracks, stderr: '' })
  expect(received).toMatchObject([{ authorization: 'Bearer g1', 'x-tenant': 'acme' }])
})

test('every header that the guide lists is refused, and every other that it names is not', () => {
  const [, table = ''] = /^These headers are refused:\n([\s\S]*?)^All others/m.exec(guide) ?? []
  const cells = [...table.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell)
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name))
  expect(names).toHaveLength(18)
  const isRefused = (name: string) => {
    try {
      return !new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'k', headers: { [name]: 'x' } })
    } catch (error) {
      return String(error).includes(`headers must not set ${name}.`)
    }
  }
  expect(names.filter((name) => !isRefused(name))).toEqual([])
  expect(['authorization', 'cookie', 'traceparent'].filter(isRefused)).toEqual([])
})

test('a function for the headers sends another traceparent with each attempt', async () => {
  const { stdout, received } = await run('on-request.ts', [503, 'ok'])
  const sent = received.map(({ traceparent }) => String(traceparent))
  expect(new Set(sent).size).toBe(2)
  expect(stdout).toBe(sent.map((traceparent, index) => `tracks.list ${index + 1} ${traceparent}\n`).join(''))
})

test('the observers of the guide tell of the retry and of the end', async () => {
  const { stdout } = await run('hooks.ts', [503, 'ok'])
  expect(stdout).toBe('retry tracks.list SERVER_FAULT true\nend tracks.list 2 OK\n')
})

test('the options of a call apply to that call', async () => {
  const { stdout, received } = await run('call-options.ts')
  expect(stdout).toMatch(/json/)
  expect(received).toMatchObject([{ 'x-client-reference': 'nightly-2030-01-01' }])
})

test('settle gives a failure as a value', async () => {
  const { stdout, stderr } = await run('settle.ts')
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^invited PENDING\nnothing was created BAD_USER_INPUT\n$/),
    stderr: '',
  })
})
