import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'

const consumer = inject('consumer')

const SPY = `process.on('exit', () => require('node:fs').writeFileSync('peak', String(process.resourceUsage().maxRSS)))`

test('a plan of 200,000 rows takes less than 400 MB', async () => {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-memory-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  writeFileSync(join(folder, 'spy.cjs'), SPY)
  writeRows(join(folder, 'large.csv'), 200_000)
  const bin = join(consumer, 'node_modules/certify-sdk/dist/bin/certify.cjs')
  const argv = ['--require', './spy.cjs', bin, 'bulk', 'large.csv', '--dry-run', '--quiet']
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: mock.apiKey, CERTIFY_LEDGER: ':memory:' }
  await promisify(execFile)(process.execPath, argv, { cwd: folder, env, maxBuffer: 1e9 })
  expect(Number(readFileSync(join(folder, 'peak'), 'utf8')), 'kB').toBeLessThan(400_000)
})

function writeRows(path: string, count: number): void {
  const file = openSync(path, 'w')
  writeSync(file, 'email,name,quiz_id\n')
  for (let row = 0; row < count; row += 1) {
    writeSync(file, `candidate-${row}@example.com,"Candidate ${row}",quiz_react_beginner_state\n`)
  }
  closeSync(file)
}
