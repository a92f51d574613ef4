import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'

const consumer = inject('consumer')

test('a plan of 200,000 rows fits in a heap of 256 MB', async () => {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-memory-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  writeRows(join(folder, 'large.csv'), 200_000)
  const bin = join(consumer, 'node_modules/certify-sdk/dist/bin/certify.cjs')
  /* Node.js aborts a process that needs more. */
  const argv = ['--max-old-space-size=256', bin, 'bulk', 'large.csv', '--dry-run', '--quiet']
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: mock.apiKey, CERTIFY_LEDGER: ':memory:' }
  const planned = promisify(execFile)(process.execPath, argv, { cwd: folder, env, maxBuffer: 1e9 })
  await expect(planned).resolves.toMatchObject({ stdout: '' })
})

function writeRows(path: string, count: number): void {
  const file = openSync(path, 'w')
  writeSync(file, 'email,name,quiz_id\n')
  for (let row = 0; row < count; row += 1) {
    writeSync(file, `candidate-${row}@example.com,"Candidate ${row}",quiz_react_beginner_state\n`)
  }
  closeSync(file)
}
