import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { survive } from '../ledger/survival.mjs'

/* The long form: npm run harness -- --kills 200 --rows 2000 */
test.each([
  { processes: 1, kills: 6, rows: 120 },
  { processes: 2, kills: 4, rows: 80 },
])(
  'a campaign that is killed again and again, in $processes processes at once, over a service full of faults, invites nobody twice, loses nobody and says nothing false',
  async (options) => {
    const figures = await survive(options)
    expect(figures).toMatchObject({ duplicates: 0, lost: 0, unsaid: 0, falsehoods: [] })
    expect(figures.kills).toBeGreaterThan(0)
    expect(figures.unknown).toBeLessThanOrEqual(figures.unknownAtMost)
  },
)

test('of two processes that invite the same candidates at once, one sends each invite, and both get it', async () => {
  const mock = createMockServer()
  const { url } = await mock.listen()
  const folder = mkdtempSync(join(tmpdir(), 'certify-race-'))
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const rows = 40
  const setting = JSON.stringify({ url, apiKey: mock.apiKey, path: join(folder, 'race.ledger'), rows })
  const script = join(import.meta.dirname, '../ledger/claim-process.mjs')
  const ends = await Promise.all(
    ['one', 'other', 'third'].map(async () => promisify(execFile)(process.execPath, [script, setting])),
  )
  expect(mock.invites).toHaveLength(rows)
  const expected = mock.invites.map(({ inviteId }) => inviteId)
  for (const { stdout, stderr } of ends) {
    expect({ stderr, invites: JSON.parse(stdout) }).toEqual({ stderr: '', invites: expected })
  }
})
