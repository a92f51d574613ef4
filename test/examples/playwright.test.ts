import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { startProgram } from './program.ts'
import { installExample, packageOf } from './run-example.ts'

let folder: string
beforeAll(() => {
  folder = installExample(inject('consumer'), 'playwright')
})

/** Runs the command of `npm test`, on a free port. */
async function run(...flags: readonly string[]) {
  const port = await freePort()
  const command = packageOf('playwright').scripts?.['test'] ?? ''
  expect(command).toContain('127.0.0.1:3000 ')
  const PATH = ['node_modules/.bin', join(inject('consumer'), 'node_modules/.bin'), process.env['PATH']].join(':')
  const line = `${command.replace(':3000 ', `:${port} `)} ${flags.join(' ')}`
  return startProgram(folder, ['bash', '-c', line], { PATH, PORT: `${port}`, CHROMIUM: '/usr/bin/chromium', CI: '1' })
    .ended
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

test('the tests in a browser pass: a candidate who passes, a second click, a lost response', async () => {
  const { status, stdout, stderr } = await run()
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('3 passed') })
  /* Neither Playwright nor the application prints a link or a key. */
  expect(stdout + stderr).not.toMatch(/\/challenge|ck_sandbox/)
})
