import { expect } from 'vitest'
import { openDecisions } from '../../../../src/ledger/index.ts'
import { completed } from './events.ts'
import { all, claimed, created, invite, kindOf, recordCreate, request, single, stateOf } from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

const grace = { target: single('grace@example.com') }

export const resolving = rules((test) => {
  test('resolving as created assumes an expiry from the time of the send', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
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
  })

  test('resolving a package as created records all its invites', async ({ ledger }) => {
    const target = { email: 'ada@example.com', packageId: 'pkg', quizIds: ['q1', 'q2'] }
    await recordCreate(ledger, 'a', { state: 'unknown' }, { target })
    await ledger.resolve('a', { created: ['inv_1', 'inv_2'] })
    expect(await ledger.find('a')).toMatchObject({ invites: [{ inviteId: 'inv_1' }, { inviteId: 'inv_2' }] })
    expect(await kindOf(ledger, { target: single('ada@example.com', 'q2') })).toBe('invited')
  })

  test('resolving as not created frees the key', async ({ ledger }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    expect(await ledger.resolve('a', { notCreated: true })).toMatchObject({ state: 'not-executed', invites: [] })
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('a finding about an earlier create of a reference changes nothing, and says why', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'CONNECTION_LOST' })
    const seen = await ledger.find('a')
    const of = seen?.sentAt ?? ''
    await ledger.resolve('a', { notCreated: true, by: 'Bob', of: new Date(of) })
    /* A clock that stands still, or has gone back, does not make two creates alike. */
    clock.advance(-1000)
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    const again = await ledger.find('a')
    const sentAt = again?.sentAt ?? ''
    expect(sentAt > of).toBe(true)
    for (const finding of [{ notCreated: true }, { created: [] }, { created: 'inv_1' }, { undo: true }] as const) {
      const refused = ledger.resolve('a', { ...finding, by: 'Ann', of })
      await expect(refused).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: expect.stringContaining(sentAt) as unknown,
        issues: [{ path: 'of' }],
      })
    }
    expect(await ledger.find('a')).toEqual(again)
    expect(await kindOf(ledger)).toBe('unknown')
    const decided = await ledger.resolve('a', { notCreated: true, of: sentAt.replace('Z', '+00:00') })
    await expect(ledger.resolve('a', { undo: true, of })).rejects.toMatchObject({ issues: [{ path: 'of' }] })
    await expect(ledger.resolve('a', { undo: true, of: 'yesterday' })).rejects.toMatchObject({
      issues: [{ path: 'of' }],
    })
    expect(await ledger.find('a')).toEqual(decided)
    expect(await ledger.resolve('a', { undo: true, of: sentAt })).toMatchObject({ state: 'unknown' })
  })

  test('what may be decided about a record is what resolving accepts', async ({ ledger }) => {
    await recordCreate(ledger, 'unknown', { state: 'unknown' })
    await recordCreate(ledger, 'created', created(invite('inv_1')), grace)
    await recordCreate(ledger, 'incomplete', created(), { target: single('b@example.com') })
    await recordCreate(ledger, 'refused', { state: 'refused' }, { target: single('c@example.com') })
    await recordCreate(ledger, 'denied', { state: 'unknown' }, { target: single('d@example.com') })
    await ledger.resolve('denied', { notCreated: true })
    await recordCreate(ledger, 'sending', undefined, { target: single('e@example.com') })
    const open: Record<string, string[]> = {}
    for (const reference of ['unknown', 'created', 'incomplete', 'refused', 'denied', 'sending']) {
      for (const [name, finding] of [
        ['created', { created: `inv_of_${reference}` }],
        ['notCreated', { notCreated: true }],
        ['undo', { undo: true }],
      ] as const) {
        const record = await ledger.find(reference)
        const before = record && openDecisions(record)[name]
        const isAccepted = await ledger.resolve(reference, finding).then(
          () => true,
          () => false,
        )
        expect([reference, name, isAccepted]).toEqual([reference, name, before])
        if (isAccepted) (open[reference] ??= []).push(name)
        if (isAccepted && name !== 'undo') await ledger.resolve(reference, { undo: true })
        if (isAccepted && reference === 'denied') await ledger.resolve(reference, { notCreated: true })
      }
    }
    expect(open).toEqual({
      unknown: ['created', 'notCreated'],
      incomplete: ['created'],
      denied: ['created', 'undo'],
    })
  })

  test('resolving as not created can be corrected: an invite found later blocks again', async ({ ledger }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    await ledger.resolve('a', { notCreated: true })
    await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect(await ledger.resolve('a', { created: 'inv_9' })).toMatchObject({
      state: 'created',
      invites: [{ inviteId: 'inv_9', expiresAt: '2030-01-15T00:00:00.000Z' }],
    })
    expect(await kindOf(ledger)).toBe('invited')
    await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  test('resolving as created without ids blocks for 14 days; an id may follow later', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    expect(await ledger.resolve('a', { created: [] })).toMatchObject({ state: 'created', invites: [] })
    await expect(ledger.resolve('a', { created: [] })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    clock.advance(14 * DAY_MS - 1)
    expect(await kindOf(ledger)).toBe('invited')
    expect(await ledger.resolve('a', { created: 'inv_9' })).toMatchObject({ invites: [{ inviteId: 'inv_9' }] })
    await expect(ledger.resolve('a', { created: 'inv_8' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    clock.advance(1)
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('a link that a person found is kept, with its id once that is known, until undone', async ({ ledger }) => {
    const challengeUrls = ['https://certify.test/c/canary']
    const [challengeUrl] = challengeUrls
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    const withLink = await ledger.resolve('a', { created: [], challengeUrls })
    expect(withLink).toMatchObject({ state: 'created', invites: [], challengeUrls })
    expect(JSON.stringify(withLink.history)).not.toContain('canary')
    await ledger.inbox.learn(completed('inv_1', 'PASSED'))
    expect(await ledger.find('a')).toMatchObject({ invites: [{ inviteId: 'inv_1', challengeUrl }] })
    expect(await ledger.find('a')).not.toHaveProperty('challengeUrls')
    await recordCreate(ledger, 'b', { state: 'unknown' }, grace)
    await ledger.resolve('b', { created: [], challengeUrls })
    const whole = await ledger.resolve('b', { created: 'inv_2' })
    expect(whole).toMatchObject({ invites: [{ inviteId: 'inv_2', challengeUrl }] })
    expect(JSON.stringify(await ledger.resolve('b', { undo: true }))).not.toContain('canary')
  })

  test('the links of a package are kept beside its invites, because they name none', async ({ ledger }) => {
    const challengeUrls = ['https://certify.test/c/1', 'https://certify.test/c/2']
    const target = { email: 'ada@example.com', packageId: 'pkg', quizIds: ['q1', 'q2'] }
    await recordCreate(ledger, 'a', { state: 'unknown' }, { target })
    await ledger.resolve('a', { created: ['inv_1'], challengeUrls })
    await ledger.inbox.learn(completed('inv_2', 'PASSED'))
    const found = await ledger.find('a')
    expect(found).toMatchObject({ challengeUrls, invites: [{ inviteId: 'inv_1' }, { inviteId: 'inv_2' }] })
    expect(found?.invites[0]).not.toHaveProperty('challengeUrl')
  })

  test('a finding is kept with who, how they know, and why it was unknown; it can be undone', async ({ ledger }) => {
    await recordCreate(ledger, 'a', { state: 'unknown', code: 'TIMED_OUT' })
    const at = '2030-01-01T00:00:00.000Z'
    await ledger.resolve('a', { notCreated: true, by: 'Grace', note: 'no e-mail came' })
    await ledger.resolve('a', { created: ['inv_9'], by: 'Otto', note: 'it was in the spam' })
    expect(await ledger.resolve('a', { undo: true, by: 'Eve', note: 'wrong person' })).toMatchObject({
      state: 'unknown',
      code: 'TIMED_OUT',
      invites: [],
    })
    expect((await ledger.find('a'))?.history.slice(2)).toEqual([
      { at, what: 'resolved', finding: 'not-created', code: 'TIMED_OUT', by: 'Grace', note: 'no e-mail came' },
      {
        at,
        what: 'resolved',
        finding: 'created',
        code: 'TIMED_OUT',
        inviteIds: ['inv_9'],
        by: 'Otto',
        note: 'it was in the spam',
      },
      { at, what: 'undone', code: 'TIMED_OUT', by: 'Eve', note: 'wrong person' },
    ])
    expect(await kindOf(ledger)).toBe('unknown')
    expect(await all(ledger.list({ inviteId: 'inv_9' }))).toEqual([])
    await recordCreate(ledger, 'b', created(invite('inv_9')), grace)
    await ledger.resolve('a', { notCreated: true })
    expect(await ledger.resolve('a', { undo: true })).toMatchObject({ state: 'unknown', code: 'TIMED_OUT' })
  })

  test('withdrawing the ids of what the service has created leaves it created', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created())
    await ledger.resolve('a', { created: 'inv_9' })
    expect(await ledger.resolve('a', { undo: true })).toMatchObject({ state: 'created', invites: [] })
    expect(await kindOf(ledger)).toBe('invited')
  })

  test('a finding cannot be withdrawn once something else has happened', async ({ ledger }) => {
    const first = await claimed(ledger, request('a'))
    await ledger.settle(first, { state: 'unknown' })
    const refused = () => expect(ledger.resolve('a', { undo: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await refused()
    await ledger.resolve('a', { notCreated: true })
    await recordCreate(ledger, 'a', { state: 'refused', code: 'FORBIDDEN' })
    await refused()
    await ledger.resolve('a', { created: [] })
    await ledger.inbox.learn(completed('inv_1', 'PASSED'))
    await refused()
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'inv_1' }] })
  })

  for (const [finding, path] of [
    [{}, ''],
    [{ created: undefined }, ''],
    [{ notCreated: false }, ''],
    [null, ''],
    [{ notcreated: true }, 'notcreated'],
    [{ created: 'inv_1', who: 'Grace' }, 'who'],
    [{ created: 'inv_1', notCreated: true }, ''],
    [{ created: '' }, 'created'],
    [{ created: ['inv_1', ' '] }, 'created'],
    [{ created: 7 }, 'created'],
    [{ created: 'https://certify.test/c/1' }, 'created'],
    [{ created: [], challengeUrls: ['inv_1'] }, 'challengeUrls.0'],
    [{ undo: true, challengeUrls: ['https://certify.test/c/1'] }, ''],
    [{ undo: true, by: 7 }, 'by'],
    [{ notCreated: true, note: {} }, 'note'],
  ] as const) {
    test(`a finding must be one of the three, with texts: ${JSON.stringify(finding)}`, async ({ ledger }) => {
      await recordCreate(ledger, 'a', { state: 'unknown' })
      await expect(ledger.resolve('a', finding as never)).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        issues: [{ path }],
      })
      expect(await stateOf(ledger, 'a')).toBe('unknown')
    })
  }

  for (const end of [
    undefined,
    created(invite('inv_1')),
    { state: 'refused' },
    { state: 'not-executed', code: 'UNREACHABLE' },
  ] as const) {
    test(`a send that is ${end?.state ?? 'sending'} cannot be resolved, and does not change`, async ({ ledger }) => {
      await recordCreate(ledger, 'a', end)
      const before = await ledger.find('a')
      for (const finding of [{ notCreated: true }, { created: 'inv_2' }] as const) {
        await expect(ledger.resolve('a', finding)).rejects.toMatchObject({
          code: 'INPUT_INVALID',
          outcome: 'not-executed',
          issues: [{ path: 'reference' }],
        })
      }
      expect(await ledger.find('a')).toEqual(before)
    })
  }

  test('an unknown reference cannot be resolved', async ({ ledger }) => {
    await expect(ledger.resolve('nobody', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  test('resolving with the open invite of another candidate or quiz is refused', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'b', { state: 'unknown' }, grace)
    await recordCreate(ledger, 'c', { state: 'unknown' }, { target: single('ada@example.com', 'other') })
    for (const reference of ['b', 'c']) {
      const wrong = ledger.resolve(reference, { created: ' inv_1\n' })
      await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: 'created' }] })
      expect(await ledger.find(reference)).toMatchObject({ state: 'unknown', code: undefined, invites: [] })
    }
  })
})
