import { expect } from 'vitest'
import type { InviteEvent } from '../../../../src/callbacks/invite-records.ts'
import { CREATED, claimed, completed, learn, recordA, UNKNOWN } from './events.ts'
import { all, created, invite, record, single, stateOf } from './samples.ts'
import type { Rule } from './setting.ts'

const email = 'ada@example.com'

const CONTRADICTIONS: readonly (readonly [what: string, event: () => InviteEvent])[] = [
  ['another quiz of its invite', () => completed('A', 'PASSED', { quizId: 'other' })],
  ['a follow-up of itself', () => claimed('A', 'A')],
  ['its invite as a follow-up', () => claimed('B', 'A')],
  ['another origin of a follow-up', () => claimed('C', 'B')],
  ['a circle', () => claimed('B2', 'B')],
  ['an invite of another candidate', () => completed('OTHER', 'PASSED')],
  ['an invite of another candidate as origin', () => claimed('OTHER', 'X')],
  ['an invite of another candidate as follow-up', () => claimed('A', 'OTHER')],
  ['a follow-up of another candidate', () => completed('OTHER-2', 'PASSED')],
  ['an invite of the same candidate for another quiz', () => completed('SECOND', 'PASSED')],
]

export const contradicting: readonly Rule[] = [
  ...CONTRADICTIONS.map(
    ([what, event]): Rule => ({
      title: `that contradicts the ledger changes nothing: ${what}`,
      test: async (setting) => {
        const { ledger } = setting
        await recordA(setting, CREATED)
        await learn(ledger, claimed('A', 'B'))
        await learn(ledger, claimed('B', 'B2'))
        await record(ledger, 'b', created(invite('OTHER')), { target: single('grace@example.com') })
        await learn(ledger, claimed('OTHER', 'OTHER-2', { reference: 'b' }))
        await record(ledger, 'c', created(invite('SECOND')), { target: single(email, 'second') })
        const before = await all(ledger.list())
        expect(await learn(ledger, event())).toBe('mismatched')
        expect(await all(ledger.list())).toEqual(before)
      },
    }),
  ),
  {
    title: 'with the invite of another candidate does not settle an unknown send',
    test: async (setting) => {
      const { ledger } = setting
      await recordA(setting, UNKNOWN)
      await record(ledger, 'b', created(invite('OTHER')), { target: single('grace@example.com') })
      expect(await learn(ledger, completed('OTHER', 'PASSED'))).toBe('mismatched')
      expect(await stateOf(ledger, 'a')).toBe('unknown')
    },
  },
  {
    title: 'of no entry, or without the name of an invite, changes nothing',
    test: async (setting) => {
      await recordA(setting, UNKNOWN)
      expect(await learn(setting.ledger, completed('A', 'PASSED', { reference: 'elsewhere' }))).toBe('not-found')
      expect(await learn(setting.ledger, completed(' ', 'PASSED'))).toBe('not-found')
      expect(await stateOf(setting.ledger, 'a')).toBe('unknown')
    },
  },
]
