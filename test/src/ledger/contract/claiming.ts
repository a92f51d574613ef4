import { expect } from 'vitest'
import type { Settlement } from '../../../../src/ledger/rules/model.ts'
import {
  all,
  claimed,
  created,
  invite,
  kindOf,
  LEASE_MS,
  recordCreate,
  recordsOf,
  request,
  scope,
  settle,
  single,
  stateOf,
} from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

/* Everything that a caller can allow. */
const inAnyCase = { ifInvited: 'create', ifUnknown: 'create', allowClockSkew: true } as const

export const claiming = rules((test) => {
  test('a claim whose signal was aborted before rejects with the reason, and records nothing', async ({ ledger }) => {
    const reason = new Error('enough')
    const stop = new AbortController()
    const claims = ['a', 'b'].map((reference) => ledger.claim(request(reference), stop.signal))
    stop.abort(reason)
    const ends = await Promise.allSettled([...claims, ledger.claim(request('c'), stop.signal)])
    expect(ends).toEqual(['a', 'b', 'c'].map(() => ({ status: 'rejected', reason })))
    expect(await all(ledger.list())).toEqual([])
  })

  test('a claim records the send before its request leaves, with all that the caller passed', async ({ ledger }) => {
    await recordCreate(ledger, 'a', undefined, { campaign: 'spring', row: 7 })
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
      history: [{ at: '2030-01-01T00:00:00.000Z', what: 'sent' }],
      changesOmitted: 0,
    })
  })

  test('an open invite blocks, and is returned in full, until it expires', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')), { campaign: 'spring', row: 0 })
    expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'invited', records: [await ledger.find('a')] })
    expect(await ledger.find('b')).toBeUndefined()
    clock.advance(14 * DAY_MS - 1)
    expect(await kindOf(ledger)).toBe('invited')
    clock.advance(1)
    expect(await kindOf(ledger)).toBe('claimed')
  })

  for (const state of ['refused', 'not-executed'] as const) {
    test(`a send that was ${state} does not block`, async ({ ledger }) => {
      await recordCreate(ledger, 'a', { state, code: 'BAD_USER_INPUT' })
      expect(await ledger.find('a')).toMatchObject({ state, code: 'BAD_USER_INPUT', invites: [] })
      expect(await kindOf(ledger)).toBe('claimed')
    })
  }

  test('an unknown outcome blocks, however old, until it is resolved or allowed', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'CONNECTION_LOST' })
    clock.advance(60 * DAY_MS)
    expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'unknown', records: [{ reference: 'a' }] })
    expect(await kindOf(ledger, { ifInvited: 'create' })).toBe('unknown')
    expect(await kindOf(ledger, { ifUnknown: 'create' })).toBe('claimed')
  })

  test('an open invite can be overridden, a send in flight never', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    expect(await kindOf(ledger, { ifUnknown: 'create' })).toBe('invited')
    await recordCreate(ledger, 'b', undefined, { ifInvited: 'create' })
    expect(await ledger.claim(request('c', inAnyCase))).toMatchObject({
      kind: 'in-flight',
      records: [{ reference: 'b', state: 'sending' }],
    })
  })

  test('a send in flight takes precedence over an unknown outcome, and that over an invite', async ({ ledger }) => {
    const target = { email: 'ada@example.com', quizIds: ['q1', 'q2', 'q3'], packageId: 'pkg' }
    await recordCreate(ledger, 'invited', created(invite('inv_1')), { target: single(target.email, 'q1') })
    expect(await kindOf(ledger, { target })).toBe('invited')
    await recordCreate(ledger, 'unknown', { state: 'unknown' }, { target: single(target.email, 'q2') })
    expect(await kindOf(ledger, { target })).toBe('unknown')
    await recordCreate(ledger, 'sending', undefined, { target: single(target.email, 'q3') })
    expect(await kindOf(ledger, { target })).toBe('in-flight')
  })

  test('an open invite still blocks after a later send, which was allowed, was refused', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'b', { state: 'refused' }, { ifInvited: 'create' })
    expect(await ledger.claim(request('c'))).toMatchObject({ kind: 'invited', records: [{ reference: 'a' }] })
  })

  test('an unknown outcome stops blocking once the same invite was created, and later', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', { state: 'unknown' })
    await recordCreate(ledger, 'b', created(invite('inv_1')), { ifUnknown: 'create' })
    for (const ifUnknown of ['refuse', 'create'] as const) {
      expect(await ledger.claim(request('c', { ifUnknown }))).toMatchObject({
        kind: 'invited',
        records: [{ reference: 'b' }],
      })
    }
    expect(await stateOf(ledger, 'a')).toBe('unknown')
    await recordCreate(ledger, 'again', { state: 'refused' }, { ifInvited: 'create' })
    clock.advance(14 * DAY_MS)
    const { target } = request('c')
    expect(await ledger.lookUp(scope, [target])).toEqual([{ kind: 'expired', hasResult: false }])
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('blocking sends are returned in the order in which they were sent', async ({ ledger }) => {
    for (const reference of ['a', 'b', 'c']) {
      await recordCreate(ledger, reference, created(invite(reference)), { ifInvited: 'create' })
    }
    const records = [{ reference: 'a' }, { reference: 'b' }, { reference: 'c' }]
    expect(await ledger.claim(request('d'))).toMatchObject({ kind: 'invited', records })
  })

  for (const end of [undefined, { state: 'unknown' }, created(invite('inv_1'))] as const) {
    test(`a reference that is ${end?.state ?? 'sending'} returns its record for ever`, async ({ ledger, clock }) => {
      await recordCreate(ledger, 'a', end)
      const before = await ledger.find('a')
      for (const target of [single('grace@example.com'), single('ada@example.com')])
        expect(await ledger.claim(request('a', { target, ...inAnyCase }))).toEqual({ kind: 'taken', record: before })
      clock.advance(60 * DAY_MS)
      const state = end?.state ?? 'unknown'
      expect(await ledger.claim(request('a', inAnyCase))).toMatchObject({ kind: 'taken', record: { state } })
      expect(await kindOf(ledger, { target: single('grace@example.com') })).toBe('claimed')
    })
  }

  for (const end of [
    { state: 'refused', code: 'BAD_USER_INPUT' },
    { state: 'refused', code: 'UNAUTHENTICATED' },
    { state: 'not-executed', code: 'UNREACHABLE' },
  ] as const) {
    test(`a create ${end.state} with ${end.code} uses nothing up: its record goes on`, async ({ ledger, clock }) => {
      const { state: what, code } = end
      await recordCreate(ledger, 'a', end)
      clock.advance(1000)
      await recordCreate(ledger, 'a', end)
      await recordCreate(ledger, 'a', created(invite('inv_1')))
      expect(await all(ledger.list())).toMatchObject([{ reference: 'a', state: 'created', code: undefined }])
      expect((await ledger.find('a'))?.history).toEqual([
        { at: '2030-01-01T00:00:00.000Z', what: 'sent' },
        { at: '2030-01-01T00:00:00.000Z', what, code },
        { at: '2030-01-01T00:00:01.000Z', what: 'sent' },
        { at: '2030-01-01T00:00:01.000Z', what, code },
        { at: '2030-01-01T00:00:01.000Z', what: 'sent' },
        { at: '2030-01-01T00:00:01.000Z', what: 'created' },
      ])
    })
  }

  for (const [what, other] of [
    ['candidate', { target: single('grace@example.com') }],
    ['name', { input: { quizId: 'quiz', candidate: { email: 'ada@example.com', name: 'Ada Lovelace' } } }],
    ['account', { scope: { ...scope, account: 'other' } }],
  ] as const) {
    test(`a reference that created nothing is free for another ${what}, with a new history`, async ({ ledger }) => {
      await recordCreate(ledger, 'a', { state: 'refused', code: 'BAD_USER_INPUT' })
      await recordCreate(ledger, 'a', undefined, other)
      const at = '2030-01-01T00:00:00.000Z'
      expect(await recordsOf(ledger)).toHaveLength(1)
      expect((await ledger.find('a'))?.history).toEqual([
        { at, what: 'replaced', code: 'BAD_USER_INPUT' },
        { at, what: 'sent' },
      ])
    })
  }

  test('a person who said that nothing was created proved nothing: the same create may follow', async ({ ledger }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    await ledger.resolve('a', { notCreated: true })
    const other = request('a', { target: single('grace@example.com') })
    const refused: Settlement = { state: 'refused', code: 'FORBIDDEN' }
    for (const state of ['not-executed', 'refused'] as const) {
      expect(await ledger.find('a')).toMatchObject({ state, isUnproven: true })
      expect(await ledger.claim(other)).toMatchObject({ kind: 'taken', record: { state } })
      await recordCreate(ledger, 'a', refused)
    }
  })

  for (const [what, end, expected] of [
    ['is still being sent', undefined, { state: 'sending', invites: [], earlierInvites: [invite('inv_1')] }],
    ['is unknown', { state: 'unknown' }, { state: 'unknown', invites: [], earlierInvites: [invite('inv_1')] }],
    ['is created', created(invite('inv_2')), { invites: [invite('inv_2')], earlierInvites: [invite('inv_1')] }],
    ['is refused', { state: 'refused', code: 'FORBIDDEN' }, { state: 'created', invites: [invite('inv_1')] }],
  ] as const) {
    test(`a late response settles its own claim, not a later one, which ${what}`, async ({ ledger, clock }) => {
      const first = await claimed(ledger, request('a'))
      clock.advance(LEASE_MS)
      await ledger.resolve('a', { notCreated: true })
      await recordCreate(ledger, 'a', end)
      for (const state of ['refused', 'not-executed', 'unknown'] as const) {
        const before = await ledger.find('a')
        expect(await ledger.settle(first, { state })).toBe('late')
        expect(await ledger.find('a')).toEqual(before)
      }
      const response = created(invite('inv_1'))
      for (const again of [response, response]) expect(await ledger.settle(first, again)).toBe('late')
      expect(await ledger.find('a')).toMatchObject(expected)
      expect((await ledger.find('a'))?.history.at(-1)).toMatchObject({ what: 'late', inviteIds: ['inv_1'] })
      expect(await all(ledger.list({ inviteId: 'inv_1' }))).toHaveLength(1)
      const again = request('a', inAnyCase)
      expect(await ledger.claim(again)).toMatchObject({ kind: 'taken', record: { reference: 'a' } })
    })
  }

  test('if a later claim created nothing, the late response to an earlier one counts', async ({ ledger, clock }) => {
    const first = await claimed(ledger, request('a'))
    clock.advance(LEASE_MS)
    await ledger.resolve('a', { notCreated: true })
    const second = await claimed(ledger, request('a'))
    await ledger.settle(first, created())
    await ledger.settle(second, { state: 'not-executed', code: 'RATE_LIMITED' })
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [] })
    expect(await kindOf(ledger)).toBe('invited')
  })

  test('a claim that is settled again after its reference was claimed again changes nothing', async ({ ledger }) => {
    const first = await claimed(ledger, request('a'))
    await ledger.settle(first, { state: 'not-executed', code: 'UNREACHABLE' })
    await recordCreate(ledger, 'a', undefined, { target: single('grace@example.com') })
    const before = await ledger.find('a')
    for (const end of [{ state: 'not-executed' }, created(invite('inv_1'))] as const)
      expect(await ledger.settle(first, end)).toBe('not-found')
    expect(await ledger.find('a')).toEqual(before)
  })

  for (const [goes, end, left] of [
    ['goes', { state: 'not-executed', code: 'UNREACHABLE' }, 0],
    ['stays', { state: 'refused', code: 'BAD_USER_INPUT' }, 1],
    ['stays', { state: 'unknown', code: 'TIMED_OUT' }, 1],
    ['stays', created(invite('inv_1')), 1],
  ] as const) {
    test(`without a reference of the caller, a record ${goes} when it is ${end.state}`, async ({ ledger }) => {
      const claim = await claimed(ledger, { ...request(''), reference: undefined })
      expect(await ledger.settle(claim, end)).toBe('recorded')
      expect(await recordsOf(ledger)).toHaveLength(left)
      expect(await stateOf(ledger, claim.reference)).toBe(left === 0 ? undefined : end.state)
    })
  }

  test('the history of a reference keeps the first change and the last 20', async ({ ledger, clock }) => {
    for (let attempt = 1; attempt <= 30; attempt += 1) {
      await recordCreate(ledger, 'a', { state: 'not-executed', code: 'UNREACHABLE' })
      clock.advance(1000)
    }
    const { history = [], changesOmitted } = (await ledger.find('a')) ?? {}
    expect([history.length, changesOmitted]).toEqual([21, 39])
    expect([history[0]?.at, history[1]?.at]).toEqual(['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:20.000Z'])
    expect(history.at(-1)).toMatchObject({ at: '2030-01-01T00:00:29.000Z', what: 'not-executed' })
  })

  test('concurrent claims of one reference for two candidates record one, and fail no other', async ({ ledger }) => {
    await recordCreate(ledger, 'z', undefined, { target: single('zoe@example.com') })
    const [recorded, third, ...same] = await Promise.all([
      settle(ledger, 'z', created(invite('inv_z'))),
      ledger.claim(request('b', { target: single('third@example.com') })),
      ledger.claim(request('a')),
      ledger.claim(request('a', { target: single('grace@example.com') })),
    ])
    expect(recorded).toBe('recorded')
    expect(third).toMatchObject({ kind: 'claimed' })
    expect(same.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'taken'])
    expect(await ledger.check()).toMatchObject({ records: { sending: 2, created: 1 } })
  })
})
