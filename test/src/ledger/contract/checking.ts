import { expect } from 'vitest'
import type { Settlement } from '../../../../src/ledger/rules/model.ts'
import { created, invite, recordCreate, request, settle, single } from './samples.ts'
import { rules } from './setting.ts'

export const checking = rules((test) => {
  test('check counts the entries in each state and finds no problem', async ({ ledger }) => {
    const ends: readonly (Settlement | undefined)[] = [
      undefined,
      created(invite('inv_1')),
      { state: 'refused' },
      { state: 'unknown' },
      { state: 'unknown' },
    ]
    for (const [index, end] of ends.entries()) {
      await recordCreate(ledger, `r${index}`, end, { target: single(`${index}@example.com`) })
    }
    expect(await ledger.check()).toMatchObject({
      problems: [],
      records: { sending: 1, created: 1, refused: 1, 'not-executed': 0, unknown: 2 },
      schemaVersion: expect.any(Number),
      driver: expect.any(String),
    })
  })

  test('path names the database, without a password', async ({ ledger }) => {
    expect(ledger.path).toMatch(/\S/)
    expect(ledger.path).not.toMatch(/:\/\/[^/@]*:[^/@]+@/)
  })

  test('close keeps what was recorded, and nothing is recorded after it', async ({ ledger }) => {
    await recordCreate(ledger, 'a', undefined)
    await ledger.close()
    const calls = [
      () => ledger.claim(request('b', { target: single('grace@example.com') })),
      () => settle(ledger, 'a', { state: 'refused' }),
      () => ledger.find('a'),
      () => ledger.resolve('a', { notCreated: true }),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE' })
  })
})
