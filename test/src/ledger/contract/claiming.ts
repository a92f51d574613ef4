import { expect } from 'vitest'
import { all, created, invite, kindOf, LEASE_MS, record, request, scope, single, stateOf } from './samples.ts'
import type { Rule } from './setting.ts'
import { DAY_MS } from '../setting.ts'

export const claiming: readonly Rule[] = [
  {
    title: 'a claim whose signal was aborted before it began rejects with the reason, and records nothing',
    test: async ({ ledger }) => {
      const reason = new Error('enough')
      const stop = new AbortController()
      const claims = ['a', 'b'].map((reference) => ledger.claim(request(reference), stop.signal))
      stop.abort(reason)
      const ends = await Promise.allSettled([...claims, ledger.claim(request('c'), stop.signal)])
      expect(ends).toEqual(['a', 'b', 'c'].map(() => ({ status: 'rejected', reason })))
      expect(await all(ledger.list())).toEqual([])
    },
  },
  {
    title: 'one caller gets the claim; for the others it is in flight',
    test: async ({ ledger }) => {
      const claims = await Promise.all(['a', 'b', 'c', 'd'].map((reference) => ledger.claim(request(reference))))
      const kinds = claims.map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(['claimed', 'in-flight', 'in-flight', 'in-flight'])
      const winner = ['a', 'b', 'c', 'd'][kinds.indexOf('claimed')]
      expect(claims.find(({ kind }) => kind === 'in-flight')).toMatchObject({ entries: [{ reference: winner }] })
    },
  },
  {
    title: 'a claim records the send before its request leaves, with everything that the caller passed',
    test: async ({ ledger }) => {
      await record(ledger, 'a', undefined, { campaign: 'spring', row: 7 })
      const { input } = request('a')
      expect(await ledger.find('a')).toEqual({
        reference: 'a',
        ...scope,
        state: 'sending',
        input,
        quizId: 'quiz',
        invites: [],
        sentAt: '2030-01-01T00:00:00.000Z',
        campaign: 'spring',
        row: 7,
      })
    },
  },
  {
    title: 'an open invite blocks, and is returned in full, until it expires',
    test: async ({ ledger, clock }) => {
      await record(ledger, 'a', created(invite('inv_1')), { campaign: 'spring', row: 0 })
      expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'invited', entries: [await ledger.find('a')] })
      expect(await ledger.find('b')).toBeUndefined()
      clock.advance(14 * DAY_MS - 1)
      expect(await kindOf(ledger)).toBe('invited')
      clock.advance(1)
      expect(await kindOf(ledger)).toBe('claimed')
    },
  },
  ...(['refused', 'not-executed'] as const).map(
    (state): Rule => ({
      title: `a send that was ${state} does not block`,
      test: async ({ ledger }) => {
        await record(ledger, 'a', { state, code: 'BAD_USER_INPUT' })
        expect(await ledger.find('a')).toMatchObject({ state, code: 'BAD_USER_INPUT', invites: [] })
        expect(await kindOf(ledger)).toBe('claimed')
      },
    }),
  ),
  {
    title: 'an unknown outcome blocks, however old, until a person resolves it or the caller allows it',
    test: async ({ ledger, clock }) => {
      await record(ledger, 'a', { state: 'unknown', code: 'CONNECTION_LOST' })
      clock.advance(60 * DAY_MS)
      expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'unknown', entries: [{ reference: 'a' }] })
      expect(await kindOf(ledger, { although: { invited: true } })).toBe('unknown')
      expect(await kindOf(ledger, { although: { unknown: true } })).toBe('claimed')
    },
  },
  {
    title: 'an open invite can be overridden, a send in flight never',
    test: async ({ ledger }) => {
      await record(ledger, 'a', created(invite('inv_1')))
      expect(await kindOf(ledger, { although: { unknown: true } })).toBe('invited')
      await record(ledger, 'b', undefined, { although: { invited: true } })
      const although = { invited: true, unknown: true, clockSkew: true }
      expect(await ledger.claim(request('c', { although }))).toMatchObject({
        kind: 'in-flight',
        entries: [{ reference: 'b', state: 'sending' }],
      })
    },
  },
  {
    title: 'a send in flight takes precedence over an unknown outcome, and that over an invite',
    test: async ({ ledger }) => {
      const target = { email: 'ada@example.com', quizIds: ['q1', 'q2', 'q3'], packageId: 'pkg' }
      await record(ledger, 'invited', created(invite('inv_1')), { target: single(target.email, 'q1') })
      expect(await kindOf(ledger, { target })).toBe('invited')
      await record(ledger, 'unknown', { state: 'unknown' }, { target: single(target.email, 'q2') })
      expect(await kindOf(ledger, { target })).toBe('unknown')
      await record(ledger, 'sending', undefined, { target: single(target.email, 'q3') })
      expect(await kindOf(ledger, { target })).toBe('in-flight')
    },
  },
  {
    title: 'an open invite still blocks after a later send, which was allowed, was refused',
    test: async ({ ledger }) => {
      await record(ledger, 'a', created(invite('inv_1')))
      await record(ledger, 'b', { state: 'refused' }, { although: { invited: true } })
      expect(await ledger.claim(request('c'))).toMatchObject({ kind: 'invited', entries: [{ reference: 'a' }] })
    },
  },
  {
    title: 'an unknown outcome stops blocking once the same invite was created, even after that has expired',
    test: async ({ ledger, clock }) => {
      await record(ledger, 'a', { state: 'unknown' })
      await record(ledger, 'b', created(invite('inv_1')), { although: { unknown: true } })
      for (const although of [{}, { unknown: true }]) {
        expect(await ledger.claim(request('c', { although }))).toMatchObject({
          kind: 'invited',
          entries: [{ reference: 'b' }],
        })
      }
      expect(await stateOf(ledger, 'a')).toBe('unknown')
      await record(ledger, 'again', { state: 'refused' }, { although: { invited: true } })
      clock.advance(14 * DAY_MS)
      const { target } = request('c')
      expect(await ledger.lookUp(scope, [target])).toEqual([{ kind: 'expired' }])
      expect(await kindOf(ledger)).toBe('claimed')
    },
  },
  {
    title: 'the unknown outcome of a package blocks it, even if one of its quizzes was created later',
    test: async ({ ledger }) => {
      const target = { email: 'ada@example.com', quizIds: ['quiz', 'other'], packageId: 'pkg' }
      await record(ledger, 'a', { state: 'unknown' }, { target })
      await record(ledger, 'b', created(invite('inv_1')), { although: { unknown: true } })
      expect(await kindOf(ledger, { target, although: { invited: true } })).toBe('unknown')
    },
  },
  {
    title: 'blocking sends are returned in the order in which they were sent',
    test: async ({ ledger }) => {
      for (const reference of ['a', 'b', 'c']) {
        await record(ledger, reference, created(invite(reference)), { although: { invited: true } })
      }
      const entries = [{ reference: 'a' }, { reference: 'b' }, { reference: 'c' }]
      expect(await ledger.claim(request('d'))).toMatchObject({ kind: 'invited', entries })
    },
  },
  {
    title: 'a reference that is taken changes nothing, whoever the candidate is, and its entry is returned',
    test: async ({ ledger }) => {
      await record(ledger, 'a', created(invite('inv_1')))
      const before = await ledger.find('a')
      for (const target of [single('grace@example.com'), single('ada@example.com')])
        expect(await ledger.claim(request('a', { target }))).toEqual({ kind: 'taken', entry: before })
      expect(await ledger.find('a')).toEqual(before)
      expect(await kindOf(ledger, { target: single('grace@example.com') })).toBe('claimed')
    },
  },
  {
    title: 'a reference that created nothing is claimed again, each time with a record of its own; the newest is found',
    test: async ({ ledger }) => {
      const more = { scope: { ...scope, account: 'other' } }
      await record(ledger, 'a', { state: 'refused', code: 'FORBIDDEN' })
      for (const reference of ['a+2', 'a+3']) {
        expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed', reference })
        expect(await ledger.claim(request('a'))).toMatchObject({ kind: 'taken', entry: { state: 'sending' } })
        expect(await ledger.find('a')).toMatchObject({ reference, state: 'sending' })
        await ledger.settle(reference, { state: reference === 'a+2' ? 'not-executed' : 'unknown' })
      }
      expect(await ledger.claim(request('a'))).toMatchObject({ kind: 'taken', entry: { reference: 'a+3' } })
      expect(await ledger.claim(request('a', more))).toMatchObject({ kind: 'taken' })
      expect(await ledger.find('a+2')).toMatchObject({ reference: 'a+2', state: 'not-executed' })
    },
  },
  {
    title: 'a finding is about exactly the record that it names, also after its create was sent again',
    test: async ({ ledger }) => {
      await record(ledger, 'a', { state: 'unknown' })
      await ledger.resolve('a', { notCreated: true })
      expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed', reference: 'a+2' })
      await ledger.settle('a+2', { state: 'unknown' })
      await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
      expect(await stateOf(ledger, 'a+2')).toBe('unknown')
      expect(await ledger.resolve('a', { created: 'inv_1' })).toMatchObject({ reference: 'a', state: 'created' })
      expect(await stateOf(ledger, 'a+2')).toBe('unknown')
    },
  },
  {
    title: 'a reference is not sent again once an earlier record of it turns out to be created, whatever is allowed',
    test: async ({ ledger, clock }) => {
      await record(ledger, 'a', undefined)
      clock.advance(LEASE_MS)
      await ledger.resolve('a', { notCreated: true })
      expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed', reference: 'a+2' })
      await ledger.settle('a+2', { state: 'not-executed' })
      expect(await ledger.settle('a', created(invite('inv_1')))).toBe('late')
      const again = request('a', { although: { invited: true, unknown: true } })
      expect(await ledger.claim(again)).toMatchObject({ kind: 'taken', entry: { reference: 'a', state: 'created' } })
      expect(await ledger.find('a')).toMatchObject({ reference: 'a', invites: [{ inviteId: 'inv_1' }] })
    },
  },
  ...(
    [
      ['the service answered the create', { state: 'refused', code: 'BAD_USER_INPUT' }, {}],
      [
        'another input',
        { state: 'not-executed' },
        { input: { quizId: 'quiz', candidate: { email: 'ada@example.com' } } },
      ],
    ] as const
  ).map(
    ([what, end, more]): Rule => ({
      title: `a reference that created nothing stays taken: ${what}`,
      test: async ({ ledger }) => {
        await record(ledger, 'a', end)
        expect(await ledger.claim(request('a', more))).toEqual({ kind: 'taken', entry: await ledger.find('a') })
      },
    }),
  ),
  {
    title: 'concurrent claims of one reference for two candidates record one, and fail no other call of that turn',
    test: async ({ ledger }) => {
      await record(ledger, 'z', undefined, { target: single('zoe@example.com') })
      const [settled, claimed, ...same] = await Promise.all([
        ledger.settle('z', created(invite('inv_z'))),
        ledger.claim(request('b', { target: single('third@example.com') })),
        ledger.claim(request('a')),
        ledger.claim(request('a', { target: single('grace@example.com') })),
      ])
      expect(settled).toBe('recorded')
      expect(claimed).toMatchObject({ kind: 'claimed' })
      expect(same.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'taken'])
      expect(await ledger.check()).toMatchObject({ entries: { sending: 2, created: 1 } })
    },
  },
]
