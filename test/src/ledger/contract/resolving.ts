import { expect } from 'vitest'
import { created, invite, kindOf, record, single } from './samples.ts'
import type { Rule } from './setting.ts'

const grace = { target: single('grace@example.com') }

export const resolving: readonly Rule[] = [
  {
    title: 'resolving as created assumes an expiry from the time of the send',
    test: async ({ ledger, clock }) => {
      await record(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
      clock.advance(5000)
      const resolved = await ledger.resolve('a', { created: 'inv_9' })
      expect(resolved).toMatchObject({
        state: 'created',
        code: undefined,
        settledAt: '2030-01-01T00:00:05.000Z',
        invites: [{ inviteId: 'inv_9', quizId: 'quiz', expiresAt: '2030-01-15T00:00:00.000Z' }],
      })
      expect(await ledger.find('a')).toEqual(resolved)
      expect(await kindOf(ledger)).toBe('invited')
    },
  },
  {
    title: 'resolving a package as created records all its invites',
    test: async ({ ledger }) => {
      const target = { email: 'ada@example.com', packageId: 'pkg', quizIds: ['q1', 'q2'] }
      await record(ledger, 'a', { state: 'unknown' }, { target })
      await ledger.resolve('a', { created: ['inv_1', 'inv_2'] })
      expect(await ledger.find('a')).toMatchObject({ invites: [{ inviteId: 'inv_1' }, { inviteId: 'inv_2' }] })
      expect(await kindOf(ledger, { target: single('ada@example.com', 'q2') })).toBe('invited')
    },
  },
  {
    title: 'resolving as not created frees the key',
    test: async ({ ledger }) => {
      await record(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
      expect(await ledger.resolve('a', { notCreated: true })).toMatchObject({ state: 'not-executed', invites: [] })
      expect(await kindOf(ledger)).toBe('claimed')
    },
  },
  {
    title: 'resolving as not created can be corrected: an invite found later blocks again',
    test: async ({ ledger }) => {
      await record(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
      await ledger.resolve('a', { notCreated: true })
      await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
      expect(await ledger.resolve('a', { created: 'inv_9' })).toMatchObject({
        state: 'created',
        invites: [{ inviteId: 'inv_9', expiresAt: '2030-01-15T00:00:00.000Z' }],
      })
      expect(await kindOf(ledger)).toBe('invited')
      await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    },
  },
  ...(
    [undefined, created(invite('inv_1')), { state: 'refused' }, { state: 'not-executed', code: 'UNREACHABLE' }] as const
  ).map(
    (end): Rule => ({
      title: `a send that is ${end?.state ?? 'sending'} cannot be resolved, and does not change`,
      test: async ({ ledger }) => {
        await record(ledger, 'a', end)
        const before = await ledger.find('a')
        for (const finding of [{ notCreated: true }, { created: 'inv_2' }] as const) {
          await expect(ledger.resolve('a', finding)).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            outcome: 'not-executed',
            issues: [{ path: 'reference' }],
          })
        }
        expect(await ledger.find('a')).toEqual(before)
      },
    }),
  ),
  {
    title: 'an unknown reference cannot be resolved',
    test: async ({ ledger }) => {
      await expect(ledger.resolve('nobody', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    },
  },
  {
    title: 'resolving with the open invite of another candidate or quiz is refused',
    test: async ({ ledger }) => {
      await record(ledger, 'a', created(invite('inv_1')))
      await record(ledger, 'b', { state: 'unknown' }, grace)
      await record(ledger, 'c', { state: 'unknown' }, { target: single('ada@example.com', 'other') })
      for (const reference of ['b', 'c']) {
        const wrong = ledger.resolve(reference, { created: 'inv_1' })
        await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: 'created' }] })
        expect(await ledger.find(reference)).toMatchObject({ state: 'unknown', code: undefined, invites: [] })
      }
    },
  },
]
