import { expect } from 'vitest'
import {
  all,
  created,
  invite,
  kindOf,
  recordCreate,
  recordsOf,
  referencesOf,
  scope,
  single,
  stateOf,
} from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

export const purging = rules((test) => {
  test('purging a candidate removes every spelling of the address, everywhere, and no other', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'b', { state: 'unknown' }, { target: single('ada@example.com', 'other') })
    await recordCreate(ledger, 'c', { state: 'refused' }, { scope: { ...scope, account: 'globex' } })
    await recordCreate(ledger, 'd', created(invite('inv_2')), { target: single('grace@example.com') })
    expect(await ledger.purge({ email: ' ADA@example.com' })).toEqual({ removed: 3, kept: 0 })
    expect(await referencesOf(ledger.list())).toEqual(['d'])
    expect(await ledger.find('a')).toBeUndefined()
    expect(await all(ledger.list({ inviteId: 'inv_1' }))).toEqual([])
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('a dry run counts what would be removed and kept, and removes nothing', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'b', { state: 'unknown' }, { target: single('grace@example.com') })
    await recordCreate(ledger, 'c', { state: 'refused' }, { target: single('grace@example.com', 'other') })
    clock.advance(15 * DAY_MS)
    await recordCreate(ledger, 'd', undefined, { target: single('ada@example.com', 'third') })
    for (const what of [{ email: 'Ada@example.com' }, { olderThanMs: DAY_MS }]) {
      const planned = await ledger.purge({ ...what, dryRun: true })
      expect(await recordsOf(ledger)).toHaveLength('email' in what ? 4 : 3)
      expect(await ledger.purge(what)).toEqual(planned)
      expect(planned).toEqual({ removed: 1, kept: 1 })
    }
  })

  test('a purge that is not understood removes nothing', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    const wrong: readonly object[] = [
      { email: 'ada@example.com', dryrun: true },
      { email: 'ada@example.com', dryRun: 'yes' },
      { email: 'ada@example.com', olderThanMs: 1 },
      { olderThanMs: '90d' },
      {},
    ]
    for (const what of wrong)
      await expect(ledger.purge(what as { email: string })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect(await recordsOf(ledger)).toHaveLength(1)
  })

  test('nothing of a purged candidate is left, not even where a reference was taken over', async ({ ledger }) => {
    await recordCreate(ledger, 'a', { state: 'refused', code: 'BAD_USER_INPUT' })
    await recordCreate(ledger, 'a', { state: 'unknown' }, { target: single('grace@example.com') })
    await recordCreate(ledger, 'b', { state: 'unknown' })
    await ledger.resolve('b', { notCreated: true, note: 'ada@example.com says so' })
    await ledger.purge({ email: 'ada@example.com' })
    expect(JSON.stringify(await recordsOf(ledger))).not.toContain('ada@')
  })

  test('a send in flight is never purged', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', undefined)
    expect(await ledger.purge({ email: 'ada@example.com' })).toEqual({ removed: 0, kept: 1 })
    clock.advance(59_999)
    expect(await ledger.purge({ olderThanMs: 0 })).toEqual({ removed: 0, kept: 1 })
    expect(await kindOf(ledger)).toBe('in-flight')
    clock.advance(1)
    expect(await ledger.purge({ email: 'ada@example.com' })).toEqual({ removed: 1, kept: 0 })
  })

  test('purging by age removes only what no longer blocks: unknown outcomes stay', async ({ ledger, clock }) => {
    for (const state of ['refused', 'not-executed', 'unknown', 'created'] as const) {
      const end = state === 'created' ? created(invite('inv_1')) : { state }
      await recordCreate(ledger, state, end, { target: single(`${state}@example.com`) })
    }
    clock.advance(DAY_MS)
    expect(await ledger.purge({ olderThanMs: 2 * DAY_MS })).toEqual({ removed: 0, kept: 0 })
    expect(await ledger.purge({ olderThanMs: DAY_MS / 2 })).toEqual({ removed: 2, kept: 2 })
    expect(await referencesOf(ledger.list())).toEqual(['created', 'unknown'])
    clock.advance(60 * DAY_MS)
    expect(await ledger.purge({ olderThanMs: DAY_MS })).toEqual({ removed: 1, kept: 1 })
    expect(await referencesOf(ledger.list())).toEqual(['unknown'])
  })

  test('purging by age removes an unknown outcome once a later such invite has expired', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', { state: 'unknown' })
    await recordCreate(ledger, 'other', { state: 'unknown' }, { target: single('ada@example.com', 'other') })
    await recordCreate(ledger, 'b', created(invite('inv_1')), { ifUnknown: 'create' })
    clock.advance(7 * DAY_MS)
    expect(await ledger.purge({ olderThanMs: DAY_MS })).toEqual({ removed: 0, kept: 3 })
    clock.advance(9 * DAY_MS)
    expect(await ledger.purge({ olderThanMs: DAY_MS })).toEqual({ removed: 2, kept: 1 })
    expect(await stateOf(ledger, 'other')).toBe('unknown')
  })

  test('purged references and invites can be used again', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await ledger.purge({ email: 'ada@example.com' })
    const target = single('grace@example.com')
    await recordCreate(ledger, 'a', created(invite('inv_1')), { target })
    expect(await kindOf(ledger, { target })).toBe('invited')
  })
})
