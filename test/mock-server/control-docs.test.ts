import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MockListener } from '../../mock-server/contract/mock-server.ts'
import type { Fault } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'

const guide = readFileSync(new URL('../../docs/mock-control.md', import.meta.url), 'utf8')
const commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => ({ command: code.trim() }))

const mock = createMockServer({ callbacks: { deliver: () => new Response(null, { status: 204 }) } })
const folder = mkdtempSync(join(tmpdir(), 'certify-control-'))
let listener: MockListener

beforeAll(async () => {
  listener = await mock.listen()
})

afterAll(async () => {
  await mock.close()
  rmSync(folder, { recursive: true })
})

test('the guide shows every operation of the control API', async () => {
  const response = await mock.fetch(`${mock.baseUrl}/__mock/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, object> }
  const shown = (path: string): boolean =>
    new RegExp(`/__mock${path.replaceAll(/\{\w+\}/g, '[^/ ?"]+')}["?\\s]`).test(guide)
  // Whoever can fail can do all the rest.
  const others = /\/invites\/\{inviteId\}\/(start|pass|abandon)/
  expect(Object.keys(paths).length).toBeGreaterThan(30)
  expect(Object.keys(paths).filter((path) => !shown(path) && !others.test(path))).toEqual([])
})

test('every fault that the guide has in its table can be played, before the effect or after it', () => {
  const [, table = ''] = /^\| `fault` .*\n\|---\|---\|\n([\s\S]*?)\n\n/m.exec(guide) ?? []
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
  const faults = cells.flatMap((cell) =>
    [...cell.matchAll(/`(.*?)`/g)].map(([, text = '']) => JSON.parse(text) as Fault),
  )
  expect(faults.filter((fault) => typeof fault === 'string')).toEqual(['cut', 'reset', 'hang', 'stall', 'truncate'])
  expect(faults).toHaveLength(10)
  for (const phase of ['before', 'after'] as const) {
    for (const fault of faults) createMockServer().faults.add({ phase, fault })
  }
})

test.sequential.each(commands)('the guide says: $command', async ({ command }) => {
  const ended = await run(command)
  expect(ended.errors).toBe('')
  expect(ended.code).toBe(0)
  expect(ended.output).not.toMatch(/"errors":|"error":\{/)
})

/* As in a shell that has been told where the mock is, and what it has answered so far. */
async function run(command: string): Promise<{ code: number | null; output: string; errors: string }> {
  const env = {
    PATH: process.env['PATH'],
    MOCK: listener.url,
    KEY: mock.apiKey,
    INVITE: mock.invites[0]?.inviteId,
    CALLBACK: mock.callbacks.list()[0]?.id,
  }
  const shell = spawn('sh', ['-c', command.replaceAll('curl ', 'curl --fail-with-body ')], { cwd: folder, env })
  let [output, errors] = ['', '']
  shell.stdout.on('data', (chunk) => (output += String(chunk)))
  shell.stderr.on('data', (chunk) => (errors += String(chunk)))
  const code = await new Promise<number | null>((resolve) => shell.on('close', resolve))
  // The stream of events has no end but the one that curl was told.
  return { code, output, errors: command.includes('/events') ? '' : errors }
}
