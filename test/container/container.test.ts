import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { repository } from '../package/consumer.ts'

/* What the Dockerfile copies and starts, with the package as it was built, and without a container engine. */

const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8')
const entrypoint = commandOf(/^ENTRYPOINT (.+)$/m)
const health = commandOf(/^HEALTHCHECK .* CMD (.+)$/m)
const compose = parse(readFileSync(join(repository, 'compose.yaml'), 'utf8')) as {
  readonly services: { readonly 'certify-mock': { readonly command: readonly string[] } }
}

function commandOf(instruction: RegExp): readonly string[] {
  return JSON.parse(instruction.exec(dockerfile)?.[1] ?? '[]') as string[]
}

const installed = () => join(inject('consumer'), 'node_modules/certify-sdk')

/** Runs the entry point, on a free port. */
async function start(...flags: readonly string[]) {
  const [node = '', program = '', ...words] = entrypoint
  expect([node, program]).toEqual(['node', '/opt/certify/bin/certify.cjs'])
  const running = spawn(
    process.execPath,
    [join(installed(), 'dist/bin/certify.cjs'), ...words, '--port', '0', '--json', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void running.kill('SIGKILL'))
  const [line] = (await once(createInterface(running.stdout), 'line')) as [string]
  const { url } = JSON.parse(line) as { readonly url: string }
  return { running, url, port: Number(new URL(url).port) }
}

test('every file that the image takes from the build is there', () => {
  const paths = [...dockerfile.matchAll(/^COPY --from=build \/build\/(\S+)/gm)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) expect([path, existsSync(join(installed(), path))]).toEqual([path, true])
})

test('its control API accepts the local host names and the one that compose.yaml allows', async () => {
  const { url } = await start(...compose.services['certify-mock'].command)
  const hosts = ['localhost:32771', 'certify-mock:4010', 'other.example']
  expect(await Promise.all(hosts.map((host) => statusOf(`${url}/__mock/health`, host)))).toEqual([200, 200, 403])
})

test.each([
  ['with the control API', []],
  ['without the control API', ['--no-control']],
])('its health check succeeds only while it runs: %s', async (_case, flags) => {
  const { running, port } = await start(...flags)
  const check = () => spawnSync(process.execPath, healthOf(port)).status
  expect(check()).toBe(0)
  running.kill('SIGKILL')
  await once(running, 'exit')
  expect(check()).toBe(1)
})

test('SIGTERM ends it with exit code 0', async () => {
  const { running } = await start()
  running.kill('SIGTERM')
  expect(await once(running, 'exit')).toEqual([0, null])
})

/** The arguments of the health check, with another port. */
function healthOf(port: number): string[] {
  expect(health.join(' ')).toContain(':4010/')
  return health.slice(1).map((word) => word.replace(':4010/', `:${port}/`))
}

/** The HTTP status of a request with this Host header. */
async function statusOf(url: string, host: string): Promise<number | undefined> {
  const call = request(url, { headers: { host } }).end()
  const [response] = (await once(call, 'response')) as [import('node:http').IncomingMessage]
  response.resume()
  return response.statusCode
}
