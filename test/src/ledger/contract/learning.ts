import { expect } from 'vitest'
import type { InviteEvent } from '../../../../src/callbacks/invite-records.ts'
import type { Settlement } from '../../../../src/ledger/rules/entry.ts'
import { CREATED, claimed, completed, learn, recordA, UNKNOWN } from './events.ts'
import { all, created, invite, LEASE_MS, record, referencesOf, single, stateOf } from './samples.ts'
import type { Rule } from './setting.ts'
import { DAY_MS } from './standing-clock.ts'

export const learning: readonly Rule[] = [
  {
    title: 'of a fail, a retake or a pass is recorded at its place, and may come again in any order',
    test: async (setting) => {
      const { ledger } = setting
      await recordA(setting, CREATED)
      const said = [
        completed('A', 'FAILED', { occurredAt: '2030-01-02T00:00:00Z' }),
        claimed('A', 'B', { occurredAt: '2030-01-03T00:00:00Z' }),
        completed('B', 'PASSED', { occurredAt: '2030-01-04T00:00:00Z', validUntil: '2032-01-04' }),
      ]
      for (const event of said) expect(await learn(ledger, event)).toBe('token+ledger')
      const entry = await ledger.find('a')
      expect(entry).toMatchObject({
        state: 'created',
        invites: [{ ...invite('A'), result: 'failed', resultAt: '2030-01-02T00:00:00.000Z', verified: 'token+ledger' }],
        followUps: [
          {
            inviteId: 'B',
            followUpOf: 'A',
            kind: 'retake',
            claimedAt: '2030-01-03T00:00:00.000Z',
            result: 'passed',
            resultAt: '2030-01-04T00:00:00.000Z',
            validUntil: '2032-01-04',
            verified: 'token+ledger',
          },
        ],
      })
      for (const event of [...said, ...said.toReversed()]) await learn(ledger, event)
      expect(await ledger.find('a')).toEqual(entry)
    },
  },
  {
    title: 'that is older never overwrites a result, whether its time or only its order says that it is older',
    test: async (setting) => {
      const { ledger } = setting
      await recordA(setting, CREATED)
      const result = async () => (await ledger.find('a'))?.invites[0]?.result
      const early = completed('A', 'FAILED')
      await learn(ledger, completed('A', 'PASSED', { occurredAt: '2030-01-05T00:00:00Z' }))
      await learn(ledger, completed('A', 'FAILED', { occurredAt: '2030-01-04T00:00:00Z' }))
      expect(await result()).toBe('passed')
      await learn(ledger, early)
      expect(await result()).toBe('passed')
      await learn(ledger, completed('A', 'REVOKED', { occurredAt: '2030-01-06T00:00:00Z' }))
      expect(await result()).toBe('REVOKED')
    },
  },
  {
    title: 'without a result leaves the one that is known',
    test: async (setting) => {
      await recordA(setting, CREATED)
      await learn(setting.ledger, completed('A', 'PASSED'))
      await learn(setting.ledger, completed('A', null))
      expect((await setting.ledger.find('a'))?.invites[0]?.result).toBe('passed')
    },
  },
  {
    title: 'that names the invite of an unknown send settles it as created, and it blocks as an open invite',
    test: async (setting) => {
      const { clock, ledger } = setting
      const claim = await recordA(setting, UNKNOWN)
      expect(await learn(ledger, completed('A', 'FAILED'))).toBe('token')
      expect(await ledger.find('a')).toMatchObject({
        state: 'created',
        code: undefined,
        settledAt: '2030-01-01T00:00:00.000Z',
        invites: [{ inviteId: 'A', quizId: 'quiz', result: 'failed', verified: 'token', expiryAssumed: true }],
      })
      expect(await claim()).toBe('invited')
      expect(await claim({ although: { unknown: true } })).toBe('invited')
      clock.advance(14 * DAY_MS)
      expect(await claim()).toBe('invited')
      clock.advance(60_001)
      expect(await claim()).toBe('claimed')
    },
  },
  {
    title:
      'that settles a send after its possible expiry makes it block for 14 more days: the clock may have been wrong',
    test: async (setting) => {
      const { clock, ledger } = setting
      const claim = await recordA(setting, UNKNOWN)
      clock.advance(20 * DAY_MS)
      await learn(ledger, completed('A', 'FAILED'))
      clock.advance(14 * DAY_MS - 1)
      expect(await claim()).toBe('invited')
      clock.advance(1)
      expect(await claim()).toBe('claimed')
    },
  },
  ...(
    [
      ['refused', { state: 'refused', code: 'BAD_USER_INPUT' }],
      ['not executed', { state: 'not-executed', code: 'UNREACHABLE' }],
      ['created, with an identifier that was lost', created()],
    ] as readonly (readonly [string, Settlement])[]
  ).map(
    ([what, end]): Rule => ({
      title: `proves that an invite exists, although the send was recorded as ${what}`,
      test: async (setting) => {
        const claim = await recordA(setting, end)
        await learn(setting.ledger, completed('A', 'FAILED'))
        expect(await setting.ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'A' }] })
        expect(await claim()).toBe('invited')
      },
    }),
  ),
  {
    title: 'corrects a person who said that nothing was created',
    test: async (setting) => {
      const claim = await recordA(setting, UNKNOWN)
      await setting.ledger.resolve('a', { notCreated: true })
      await learn(setting.ledger, completed('A', 'PASSED'))
      expect(await claim()).toBe('invited')
    },
  },
  {
    title: 'leaves a send in flight as it is; its settlement keeps what the event said',
    test: async (setting) => {
      const { ledger } = setting
      const claim = await recordA(setting, undefined)
      await learn(ledger, completed('A', 'PASSED'))
      expect(await stateOf(ledger, 'a')).toBe('sending')
      expect(await claim()).toBe('in-flight')
      await ledger.settle('a', CREATED)
      const entry = await ledger.find('a')
      expect(entry).toMatchObject({
        state: 'created',
        invites: [{ ...invite('A'), result: 'passed', verified: 'token+ledger' }],
      })
      expect(entry?.followUps).toBeUndefined()
    },
  },
  {
    title: 'about a send in flight settles it as created if its response is lost',
    test: async (setting) => {
      const { ledger } = setting
      await recordA(setting, undefined)
      await learn(ledger, completed('A', 'PASSED'))
      await ledger.settle('a', { state: 'unknown', code: 'TIMED_OUT' })
      expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'A', result: 'passed' }] })
    },
  },
  {
    title: 'about a send in flight settles it as created when its lease ends: it is not sent again',
    test: async (setting) => {
      const { clock, ledger } = setting
      const claim = await recordA(setting, undefined)
      await learn(ledger, completed('A', 'PASSED'))
      clock.advance(LEASE_MS)
      expect(await claim({ although: { unknown: true } })).toBe('invited')
      expect(await stateOf(ledger, 'a')).toBe('created')
    },
  },
  {
    title: 'before the response leaves that response whole',
    test: async (setting) => {
      await recordA(setting, UNKNOWN)
      await learn(setting.ledger, completed('A', 'PASSED'))
      await setting.ledger.settle('a', CREATED)
      expect((await setting.ledger.find('a'))?.invites).toMatchObject([
        { ...invite('A'), result: 'passed', verified: 'token+ledger' },
      ])
    },
  },
  ...[
    [0, 1, 2, 3],
    [0, 3, 1, 2],
    [3, 0, 2, 1],
    [2, 1, 0, 3],
    [1, 3, 2, 0],
  ].map(
    (order): Rule => ({
      title: `of a chain ends at its place in any order: ${order.join()}`,
      test: async (setting) => {
        const said = [completed('B', 'PASSED'), claimed('A', 'B'), completed('A', 'FAILED'), claimed('B', 'C')]
        await recordA(setting, UNKNOWN)
        for (const at of order) expect(await learn(setting.ledger, said[at] as InviteEvent)).toMatch(/^token/)
        const entry = await setting.ledger.find('a')
        expect(entry).toMatchObject({ state: 'created', invites: [{ inviteId: 'A', result: 'failed' }] })
        expect(entry?.followUps?.map(({ inviteId, followUpOf, result }) => [inviteId, followUpOf, result])).toEqual(
          expect.arrayContaining([
            ['B', 'A', 'passed'],
            ['C', 'B', undefined],
          ]),
        )
      },
    }),
  ),
  {
    title: 'at the same moment as others of the same send is not lost',
    test: async (setting) => {
      const { ledger } = setting
      await recordA(setting, undefined)
      await Promise.all([
        learn(ledger, completed('A', 'FAILED')),
        ledger.settle('a', CREATED),
        learn(ledger, claimed('A', 'B')),
        learn(ledger, claimed('A', 'C')),
      ])
      const entry = await ledger.find('a')
      expect(entry).toMatchObject({ state: 'created', invites: [{ ...invite('A'), result: 'failed' }] })
      expect(entry?.followUps?.map(({ inviteId }) => inviteId).toSorted()).toEqual(['B', 'C'])
    },
  },
  {
    title: 'is found by its result, and by the identifier of its follow-up',
    test: async (setting) => {
      const { ledger } = setting
      await recordA(setting, CREATED)
      await record(ledger, 'b', undefined, { target: single('grace@example.com') })
      await learn(ledger, completed('A', 'FAILED'))
      await learn(ledger, claimed('A', 'B'))
      for (const filter of [{ result: 'failed' }, { inviteId: 'B' }, { inviteId: 'A' }]) {
        expect(await referencesOf(ledger.list(filter))).toEqual(['a'])
      }
      expect(await all(ledger.list({ result: 'passed' }))).toEqual([])
    },
  },
]
