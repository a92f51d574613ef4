import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { sql } from './server.mjs'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/fleet.md'), 'utf8')
const lines = [...guide.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'))

test('the commands of docs/fleet.md work in their order, from a role and a database to the last run', async () => {
  const { host, port, url } = inject('postgres')
  const mock = createMockServer()
  const { url: service } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-docs-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  writeFileSync(join(folder, 'people.csv'), 'email,quiz_id\nada@example.com,quiz_react_beginner_state\n')
  /* What `createuser --pwprompt certify` and `createdb --owner certify hiring` do. */
  expect(lines).toContain('sudo -u postgres createuser --pwprompt certify')
  expect(lines).toContain('sudo -u postgres createdb --owner certify hiring')
  await sql(url, "CREATE ROLE certify LOGIN PASSWORD 'canary-9d2c'")
  await sql(url, 'CREATE DATABASE hiring OWNER certify')
  const env: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    PGPASSWORD: 'canary-9d2c',
    CERTIFY_BASE_URL: service,
    CERTIFY_API_KEY: mock.apiKey,
    CERTIFY_CONFIG_DIR: folder,
  }
  const ledger = lines.find((line) => line.startsWith('export CERTIFY_LEDGER='))?.split("'")[1] ?? ''
  env['CERTIFY_LEDGER'] = ledger.replace('127.0.0.1:5432', `${host}:${port}`)
  const commands = lines.filter((line) => line.startsWith('certify '))
  expect(commands.length).toBeGreaterThan(5)
  for (const command of commands) {
    const argv = [join(root, 'dist/bin/certify.cjs'), ...command.split(' ').slice(1)]
    const run = promisify(execFile)(process.execPath, argv, { cwd: folder, env })
    const {
      code = 0,
      stdout,
      stderr,
    } = (await run.catch((error: { code: number; stdout: string; stderr: string }) => error)) as {
      code?: number
      stdout: string
      stderr: string
    }
    /* Before the first send there are no tables, and the doctor says so. */
    const expected = command === 'certify doctor' ? 2 : 0
    expect({ command, code, stderr }).toEqual({ command, code: expected, stderr: expect.any(String) })
    expect(stdout + stderr).not.toContain('canary')
  }
  expect(mock.invites).toHaveLength(1)
}, 120_000)
