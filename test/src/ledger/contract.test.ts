import { join } from 'node:path'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import { openLedger } from '../../../src/ledger/index.ts'
import { describeLedger } from './contract/describe-ledger.ts'

describeLedger('a ledger in a file', {
  open: ({ clock, place }) => {
    const folder = join(tmpdir(), `certify-${place}`)
    mkdirSync(folder, { recursive: true })
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return openLedger(join(folder, 'invites.ledger'), { clock })
  },
  subjects: ['check and close'],
  isShared: true,
})

describeLedger('a ledger in memory', {
  open: ({ clock }) => openLedger(':memory:', { clock }),
  subjects: 'all',
  isShared: false,
})
