import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { buildImage, type Image } from './dockerfile.ts'

/* Tests the image without a container engine: the instructions of the Dockerfile fill a root file system, which then
   runs in its own namespaces, as another user and read-only. */

const isRoot = process.getuid?.() === 0
const folder = mkdtempSync(join(tmpdir(), 'certify-image-'))
let image: Image

interface Compose {
  readonly services: { readonly 'certify-mock': { readonly command: readonly string[] } }
}

/** The ids of the user `node` in the official images. */
const NODE_USER = '1000:1000'

beforeAll(() => {
  image = buildImage(folder)
  addedBytes = bytesIn(image.root)
  addBase(image.root)
})
let addedBytes = 0

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!isRoot)('the image (needs root for chroot)', () => {
  test('it starts without flags, as an unprivileged user, on a read-only file system', async () => {
    const { url, pid } = await start()
    expect(await answerOf(`${url}/__mock/health`, 'localhost')).toBe(200)
    expect(image.user).toBe('node')
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s1000\s1000\s1000\s1000$/m)
    expect(inside(pid, ['node', '-e', "require('node:fs').writeFileSync('/tmp/x', '')"]).stderr).toContain('EROFS')
  })

  test('its control API accepts the local host names and the one that compose.yaml allows', async () => {
    const compose = parse(readFileSync(join(import.meta.dirname, '../../compose.yaml'), 'utf8')) as Compose
    const { url } = await start(...compose.services['certify-mock'].command)
    const hosts = ['localhost:32771', 'certify-mock:4010', 'other.example']
    const answers = await Promise.all(hosts.map((host) => answerOf(`${url}/__mock/health`, host)))
    expect(answers).toEqual([200, 200, 403])
  })

  test.each([
    ['with the control API', []],
    ['without the control API', ['--no-control']],
  ])('its health check succeeds while it runs: %s', async (_case, flags) => {
    const { pid, port } = await start(...flags)
    expect(inside(pid, healthOf(port))).toMatchObject({ status: 0 })
    expect(inside(pid, healthOf(port + 1)).status).toBe(1)
  })

  test('SIGTERM ends it with exit code 0, although it is process 1', async () => {
    const { program, pid } = await start()
    process.kill(pid, 'SIGTERM')
    expect(await once(program, 'exit')).toEqual([0, null])
  })
})

test('the image adds less than 80 MB to its base', () => {
  expect(addedBytes).toBeLessThan(80_000_000)
  expect(readdirSync(join(image.root, 'opt/certify'))).toEqual(['LICENSE', 'THIRD-PARTY-LICENCES.md', 'bin'])
})

/** Runs the entry point in the root file system of the image, on a free port. */
async function start(...flags: readonly string[]) {
  const enter = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec chroot --userspec="$@"'
  const command = [...image.entrypoint, '--port', '0', '--json', ...flags]
  const program = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', 'sh', '-c', enter, image.root, NODE_USER, image.root, ...command],
    {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(() => stop(program))
  let complaint = ''
  program.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const ended = once(program, 'close').then(() => Promise.reject(new Error(complaint)))
  const [line] = (await Promise.race([once(createInterface(program.stdout), 'line'), ended])) as [string]
  const { url } = JSON.parse(line) as { readonly url: string }
  return { program, url, port: Number(new URL(url).port), pid: childOf(program) }
}

function stop(program: ChildProcess): void {
  if (program.exitCode === null && program.signalCode === null) process.kill(childOf(program), 'SIGKILL')
}

/** The process in the container: the only child of `unshare`. */
function childOf({ pid = 0 }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

/** Runs a program in a running container, as `docker exec` does. */
function inside(pid: number, command: readonly string[]) {
  const enter = ['--target', String(pid), '--mount', '--pid', '--root', '--wd', '--setuid', '1000', '--setgid', '1000']
  return spawnSync('nsenter', [...enter, ...command], { encoding: 'utf8', env: { PATH: process.env['PATH'] } })
}

/** The health check, with another port. */
function healthOf(port: number): string[] {
  expect(image.health.join(' ')).toContain(':4010/')
  return image.health.map((word) => word.replace(':4010/', `:${port}/`))
}

/** The HTTP status of a request with this Host header. */
async function answerOf(url: string, host: string): Promise<number | undefined> {
  const call = request(url, { headers: { host } }).end()
  const [response] = (await once(call, 'response')) as [import('node:http').IncomingMessage]
  response.resume()
  return response.statusCode
}

function bytesIn(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}

/** Adds what the base of the image has, as far as it is used: Node.js, its libraries and a temporary folder. */
function addBase(root: string): void {
  const node = process.execPath
  const libraries = execFileSync('ldd', [node], { encoding: 'utf8' }).match(/\/\S+(?= \(0x)/g) ?? []
  for (const [from, to] of [[node, '/usr/bin/node'] as const, ...libraries.map((path) => [path, path] as const)]) {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    cpSync(from, join(root, to), { dereference: true })
  }
  mkdirSync(join(root, 'tmp'), { mode: 0o777 })
}
