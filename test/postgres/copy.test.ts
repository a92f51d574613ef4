import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Ledger, openLedger } from '../../src/ledger/index.ts'
import { copyLedger, type PostgresClient } from '../../src/ledger/postgres/index.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { sql } from './server.mjs'
import { all, created, freshDatabase, freshLedger, poolOf, request } from './setting.ts'

async function freshFile(): Promise<Ledger> {
  const folder = mkdtempSync(join(tmpdir(), 'certify-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ledger = await openLedger({ path: join(folder, 'invites.ledger') })
  onTestFinished(() => ledger.close())
  return ledger
}

/** A ledger in a file with every kind of send: 230, so more than a page. */
async function filledFile(): Promise<Ledger> {
  const file = await freshFile()
  for (let number = 0; number < 225; number += 1) {
    await file.claim(request(`r${number}`, `${number}@example.com`, { campaign: 'spring', row: number }))
    await file.settle(`r${number}`, created(`inv_${number}`))
  }
  await file.claim(request('refused', 'refused@example.com'))
  await file.settle('refused', { state: 'refused', code: 'BAD_USER_INPUT' })
  await file.claim(request('unknown', 'unknown@example.com'))
  await file.settle('unknown', { state: 'unknown', code: 'CONNECTION_LOST' })
  await file.claim(request('assumed', 'assumed@example.com'))
  await file.settle('assumed', { state: 'created', invites: [{ inviteId: 'inv_assumed', expiresAt: '' }] })
  await file.claim(request('older', 'older@example.com'))
  await file.settle('older', { state: 'unknown' })
  await file.claim(request('newer', 'older@example.com', { although: { unknown: true } }))
  await file.settle('newer', created('inv_newer'))
  const event = { reference: 'r0', id: null, name: null, data: {}, occurredAt: null, receivedAt: Date.now() }
  const completed = { type: 'certification.completed', quizId: 'quiz', candidateEmail: null, level: null, score: null }
  await file.learn?.({
    ...event,
    ...completed,
    key: 'e1',
    inviteId: 'inv_0',
    result: 'PASSED',
    validUntil: '2031',
  } as never)
  const claimed = { type: 'certification.follow_up_claimed', kind: 'retake' }
  const ids = { originalInviteId: 'inv_1', followUpInviteId: 'inv_1b' }
  await file.learn?.({ ...event, ...claimed, ...ids, reference: 'r1', key: 'e2' } as never)
  return file
}

test('a copy has every send whole, in the same order, and follows the same rules', async () => {
  const file = await filledFile()
  const url = await freshDatabase()
  const seen: number[] = []
  expect(await copyLedger(file, { url }, { onProgress: (read) => seen.push(read) })).toEqual({
    read: 230,
    copied: 230,
    present: 0,
    conflicts: [],
    entries: { sending: 0, created: 227, refused: 1, 'not-executed': 0, unknown: 2 },
  })
  expect(seen).toEqual([200, 230])
  const ledger = await freshLedger({ url })
  expect(await all(ledger.list())).toEqual(await all(file.list()))
  expect((await ledger.find('r0'))?.invites[0]).toMatchObject({ result: 'passed', verified: 'token+ledger' })
  expect(await ledger.check()).toMatchObject({ problems: [], entries: { created: 227 } })
  expect((await ledger.claim(request('x', '7@example.com'))).kind).toBe('invited')
  expect((await ledger.claim(request('x', 'unknown@example.com'))).kind).toBe('unknown')
  expect((await ledger.claim(request('x', 'older@example.com'))).kind).toBe('invited')
  expect(await ledger.claim(request('x', 'refused@example.com'))).toEqual({ kind: 'claimed' })
  expect(await ledger.settle('x', created('inv_7'))).toBe('mismatched')
  expect(await all(ledger.list({ inviteId: 'inv_1b' }))).toMatchObject([{ reference: 'r1' }])
})

test('a second run copies nothing twice, and names what has another content', async () => {
  const file = await filledFile()
  const url = await freshDatabase()
  await copyLedger(file, { url })
  await file.claim(request('later', 'later@example.com'))
  await file.settle('later', { state: 'refused' })
  const ledger = await freshLedger({ url })
  await ledger.resolve('unknown', { notCreated: true })
  const second = { read: 231, present: 229, conflicts: ['unknown'] }
  expect(await copyLedger(file, { url }, { dryRun: true })).toMatchObject({ ...second, copied: 1 })
  expect(await ledger.find('later')).toBeUndefined()
  expect(await copyLedger(file, { url })).toMatchObject({ ...second, copied: 1 })
  expect(await ledger.find('unknown')).toMatchObject({ state: 'not-executed' })
  expect(await sql(url, 'SELECT count(*) FROM certify.certify_send_records')).toBe('231')
})

test('a copy whose connection is lost goes on', async () => {
  const file = await filledFile()
  const direct = await freshDatabase()
  await freshLedger({ url: direct })
  const proxy = await startCuttingProxy(direct)
  proxy.cutNext('answer', "'added'")
  expect(await copyLedger(file, { url: proxy.urlOf(direct) })).toMatchObject({ read: 230, conflicts: [] })
  expect(proxy.cuts()).toBe(1)
  expect(await sql(direct, 'SELECT count(*), count(DISTINCT reference) FROM certify.certify_send_records')).toBe(
    '230|230',
  )
})

test('a claim that was decided before a copy of the same candidate is decided again', async () => {
  const file = await filledFile()
  const url = await freshDatabase()
  const pool = poolOf(url)
  let hasCopied = false
  const client: PostgresClient = {
    query: async (text, values) => {
      const isAdd = text.includes('certify_send_ids') && text.includes("'last'") && values !== undefined
      if (isAdd && !hasCopied && values[0]?.toString().includes('decided') === true) {
        hasCopied = true
        await copyLedger(file, { url })
      }
      return pool.query<object>({ text, values: values ?? [] })
    },
  }
  const ledger = await freshLedger({ client })
  await ledger.claim(request('earlier', '7@example.com'))
  await ledger.settle('earlier', { state: 'refused' })
  expect((await ledger.claim(request('decided', '7@example.com'))).kind).toBe('invited')
  expect(hasCopied).toBe(true)
})

test('copied times do not count for the clock of the database', async () => {
  const file = await freshFile()
  await file.claim(request('a', 'a@example.com'))
  const url = await freshDatabase()
  await copyLedger(file, { url })
  const clock = { now: () => Date.parse('2020-01-01T00:00:00Z'), startTimer: () => () => {} }
  const ledger = await freshLedger({ url, clock })
  expect(await ledger.claim(request('b', 'b@example.com'))).toEqual({ kind: 'claimed' })
})

test('a ledger that has no records cannot be copied', async () => {
  const { records: _, ...rest } = await freshFile()
  await expect(copyLedger(rest as Ledger, { url: 'postgres://127.0.0.1:1/x' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  })
})
