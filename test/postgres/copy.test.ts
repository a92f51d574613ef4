import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyLedger } from '../../src/ledger/index.ts'
import { openLedger, type WholeLedger } from '../src/ledger/whole.ts'
import { claimed, completed } from '../src/ledger/contract/events.ts'
import { all, settle } from '../src/ledger/contract/samples.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { created, freshDatabase, freshLedger, request } from './setting.ts'

/** A ledger in a file with sends of every kind: 209, more than one page. */
async function filledFile(): Promise<WholeLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'certify-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = await openLedger(join(folder, 'invites.ledger'))
  onTestFinished(() => file.close())
  const settled = async (number: number) => {
    await file.claim(request(`r${number}`, `${number}@example.com`, { campaign: 'spring', row: number }))
    await settle(file, `r${number}`, created(`inv_${number}`))
  }
  await Promise.all(Array.from({ length: 205 }, (_each, number) => settled(number)))
  await file.claim(request('refused', 'refused@example.com'))
  await settle(file, 'refused', { state: 'refused', code: 'BAD_USER_INPUT' })
  await file.claim(request('unknown', 'unknown@example.com'))
  await settle(file, 'unknown', { state: 'unknown', code: 'CONNECTION_LOST' })
  await file.claim(request('older', 'older@example.com'))
  await settle(file, 'older', { state: 'unknown' })
  await file.claim(request('newer', 'older@example.com', { ifUnknown: 'create' }))
  await settle(file, 'newer', { state: 'created', invites: [{ inviteId: 'inv_newer', expiresAt: '' }] })
  await file.inbox.learn(completed('inv_0', 'PASSED', { reference: 'r0' }))
  await file.inbox.learn(claimed('inv_1', 'inv_1b', { reference: 'r1' }))
  return file
}

test('a copy has every send complete, in the same order, and follows the same rules', async () => {
  const file = await filledFile()
  const ledger = await freshLedger()
  expect(await copyLedger(file, ledger)).toEqual({
    read: 209,
    copied: 209,
    present: 0,
    conflicts: [],
    records: { sending: 0, created: 206, refused: 1, 'not-executed': 0, unknown: 2 },
  })
  expect(await all(ledger.list())).toEqual(await all(file.list()))
  expect(await all(ledger.list({ inviteId: 'inv_1b' }))).toMatchObject([{ reference: 'r1' }])
  expect((await ledger.claim(request('x', '7@example.com'))).kind).toBe('invited')
  expect((await ledger.claim(request('x', 'unknown@example.com'))).kind).toBe('unknown')
  expect((await ledger.claim(request('x', 'older@example.com'))).kind).toBe('invited')
  expect(await ledger.claim(request('x', 'refused@example.com'))).toMatchObject({ kind: 'claimed' })
  expect(await settle(ledger, 'x', created('inv_7'))).toBe('mismatched')
})

test('a second run copies only what is new, and reports references whose content differs', async () => {
  const file = await filledFile()
  const ledger = await freshLedger()
  await copyLedger(file, ledger)
  await file.claim(request('later', 'later@example.com'))
  await settle(file, 'later', { state: 'refused' })
  await ledger.resolve('unknown', { notCreated: true })
  expect(await copyLedger(file, ledger)).toMatchObject({ read: 210, copied: 1, present: 208, conflicts: ['unknown'] })
  expect(await ledger.find('unknown')).toMatchObject({ state: 'not-executed' })
  expect(await all(ledger.list())).toHaveLength(210)
})

test('a copy continues after a lost connection', async () => {
  const file = await filledFile()
  const proxy = await startCuttingProxy(await freshDatabase())
  const ledger = await freshLedger({ url: proxy.url })
  proxy.cutNext('answer', ['COMMIT\0', 'COMMIT\0'])
  expect(await copyLedger(file, ledger)).toMatchObject({ read: 209, conflicts: [] })
  expect(proxy.cuts()).toBe(1)
  expect(await all(ledger.list())).toEqual(await all(file.list()))
})
