import { expect } from 'vitest'
import { claimed, completed, learn, ofPackage, recordA, UNKNOWN } from './events.ts'
import { created, invite, single } from './samples.ts'
import type { Rule } from './setting.ts'
import { DAY_MS } from './standing-clock.ts'

const email = 'ada@example.com'

export const learningPackages: readonly Rule[] = [
  {
    title: 'about another quiz does not settle an unknown send: it is of a follow-up that nobody has named',
    test: async (setting) => {
      const claim = await recordA(setting, UNKNOWN)
      await learn(setting.ledger, completed('L', 'PASSED', { quizId: 'next-quiz' }))
      expect(await setting.ledger.find('a')).toMatchObject({
        state: 'unknown',
        invites: [],
        followUps: [{ inviteId: 'L', quizId: 'next-quiz', result: 'passed', verified: 'token' }],
      })
      expect(await claim()).toBe('unknown')
    },
  },
  {
    title: 'settles an unknown package with the first invite that is named: all its quizzes are blocked',
    test: async (setting) => {
      const { clock, ledger } = setting
      const claim = await recordA(setting, UNKNOWN, ofPackage())
      await learn(ledger, completed('P2', 'PASSED', { quizId: 'q2' }))
      expect(await ledger.find('a')).toMatchObject({
        state: 'created',
        packageName: undefined,
        invites: [{ inviteId: 'P2', quizId: 'q2', result: 'passed' }],
      })
      clock.advance(13 * DAY_MS)
      for (const quiz of ['q1', 'q2', 'q3']) expect(await claim({ target: single(email, quiz) })).toBe('invited')
      expect(await claim({ target: { email, quizIds: [], packageId: 'pkg' } })).toBe('invited')
      await learn(ledger, completed('P1', 'FAILED', { quizId: 'q1' }))
      await learn(ledger, claimed('P1', 'R1'))
      await learn(ledger, completed('R1', 'PASSED', { quizId: 'q1' }))
      const entry = await ledger.find('a')
      expect(entry?.invites.map(({ inviteId, quizId, result }) => [inviteId, quizId, result])).toEqual([
        ['P2', 'q2', 'passed'],
        ['P1', 'q1', 'failed'],
      ])
      expect(entry?.followUps).toMatchObject([{ inviteId: 'R1', followUpOf: 'P1', result: 'passed' }])
    },
  },
  {
    title: 'of an unknown package whose quizzes were not known blocks the quizzes that it names',
    test: async (setting) => {
      const claim = await recordA(setting, UNKNOWN, ofPackage([]))
      await learn(setting.ledger, completed('P2', 'PASSED', { quizId: 'q2' }))
      expect(await claim({ target: single(email, 'q2') })).toBe('invited')
      expect(await claim({ target: { email, quizIds: [], packageId: 'pkg' } })).toBe('invited')
    },
  },
  {
    title: 'of a package that was recorded whole adds a follow-up, and no invite',
    test: async (setting) => {
      const invites = [invite('P1', { quizId: 'q1' }), invite('P2', { quizId: 'q2' })]
      await recordA(setting, created(...invites), ofPackage())
      await learn(setting.ledger, completed('L', 'PASSED', { quizId: 'q9' }))
      expect(await setting.ledger.find('a')).toMatchObject({
        invites: [{ inviteId: 'P1' }, { inviteId: 'P2' }],
        followUps: [{ inviteId: 'L' }],
      })
    },
  },
]
