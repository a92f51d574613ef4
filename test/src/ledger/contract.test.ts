import { join } from 'node:path'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../../src/ledger/index.ts'
import { describeLedger } from './contract/describe-ledger.ts'
import { DRIVERS } from './setting.ts'

test('this runtime has an SQLite driver to test with', () => {
  expect(DRIVERS.length).toBeGreaterThan(0)
})

for (const driver of DRIVERS) {
  describeLedger(`a ledger in a file over ${driver}`, {
    open: ({ clock, place }) => {
      const folder = join(tmpdir(), `certify-${place}`)
      mkdirSync(folder, { recursive: true })
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      return openLedger(join(folder, 'invites.ledger'), { clock, driver })
    },
  })

  describeLedger(`a ledger in memory over ${driver}`, {
    open: ({ clock }) => openLedger(':memory:', { clock, driver }),
    isShared: false,
  })
}
