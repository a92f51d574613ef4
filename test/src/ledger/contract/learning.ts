import { expect } from 'vitest'
import type { InviteEvent } from '../../../../src/callbacks/event.ts'
import type { Settlement } from '../../../../src/ledger/rules/model.ts'
import { CREATED, claimed, completed, ofPackage, recordA, UNKNOWN } from './events.ts'
import { created, invite, recordCreate, referencesOf, settle, single } from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

const failed = completed('A', 'FAILED', { occurredAt: '2030-01-02T00:00:00Z' })
const retake = claimed('A', 'B', { occurredAt: '2030-01-03T00:00:00Z' })
const passed = completed('B', 'PASSED', { occurredAt: '2030-01-04T00:00:00Z', validUntil: '2032-01-04' })
const THEIR_CREATE: Settlement = created(invite('OF_GRACE'))

/* The recorded state when the events arrive, the events, and the record afterwards. */
const RECORDED: readonly {
  readonly title: string
  readonly end: Settlement | undefined
  readonly more?: Parameters<typeof recordA>[2]
  readonly events: readonly InviteEvent[]
  readonly record: object
}[] = [
  {
    title: 'results are kept with their invite or follow-up, in any order and despite duplicates',
    end: CREATED,
    events: [retake, passed, failed, passed, retake, failed],
    record: {
      invites: [{ ...invite('A'), result: 'failed', resultAt: '2030-01-02T00:00:00.000Z' }],
      followUps: [
        {
          inviteId: 'B',
          followUpOf: 'A',
          kind: 'retake',
          claimedAt: '2030-01-03T00:00:00.000Z',
          result: 'passed',
          resultAt: '2030-01-04T00:00:00.000Z',
          validUntil: '2032-01-04',
        },
      ],
    },
  },
  {
    title: 'an older event, or one without a result, does not replace the known result',
    end: CREATED,
    events: [
      completed('A', 'PASSED', { occurredAt: '2030-01-05T00:00:00Z' }),
      completed('A', 'FAILED', { occurredAt: '2030-01-04T00:00:00Z' }),
      completed('A', null, { occurredAt: '2030-01-06T00:00:00Z' }),
    ],
    record: { invites: [{ result: 'passed', resultAt: '2030-01-05T00:00:00.000Z' }] },
  },
  {
    title: 'an unknown result is kept unchanged',
    end: CREATED,
    events: [completed('A', 'REVOKED')],
    record: { invites: [{ result: 'REVOKED' }] },
  },
  {
    title: 'events name the invites of a package whose response was lost, one by one',
    end: UNKNOWN,
    more: ofPackage(),
    events: [completed('A', 'FAILED', { quizId: 'q1' }), completed('B', 'PASSED', { quizId: 'q2' })],
    record: {
      state: 'created',
      invites: [
        { inviteId: 'A', quizId: 'q1', result: 'failed', expiryAssumed: true },
        { inviteId: 'B', quizId: 'q2', result: 'passed', expiryAssumed: true },
      ],
    },
  },
]

export const learning = rules((test) => {
  for (const { title, end, more, events, record } of RECORDED) {
    test(title, async (setting) => {
      await recordA(setting, end, more)
      for (const event of events) expect(await setting.ledger.inbox.learn(event)).toBe('recorded')
      expect(await setting.ledger.find('a')).toMatchObject(record)
    })
  }

  test('an event settles a send whose outcome is unknown as created: its invite blocks', async (setting) => {
    const claim = await recordA(setting, UNKNOWN)
    await setting.ledger.inbox.learn(failed)
    expect(await setting.ledger.find('a')).toMatchObject({
      state: 'created',
      code: undefined,
      invites: [{ inviteId: 'A', quizId: 'quiz', result: 'failed', expiryAssumed: true }],
    })
    expect(await claim({ ifUnknown: 'create' })).toBe('invited')
  })

  test('an event overrules a person who said that nothing was created', async (setting) => {
    const claim = await recordA(setting, UNKNOWN)
    await setting.ledger.resolve('a', { notCreated: true })
    await setting.ledger.inbox.learn(failed)
    expect(await claim()).toBe('invited')
  })

  test('after that, an event does not say what a later claim of the reference has created, but is kept beside it', async (setting) => {
    const { ledger } = setting
    await recordA(setting, UNKNOWN)
    await ledger.resolve('a', { notCreated: true })
    await recordCreate(ledger, 'a', UNKNOWN)
    await ledger.inbox.learn(failed)
    expect(await ledger.find('a')).toMatchObject({
      state: 'unknown',
      followUps: [{ inviteId: 'A', result: 'failed' }],
    })
    expect((await ledger.find('a'))?.history.at(-1)).toMatchObject({ what: 'event', inviteIds: ['A'] })
    expect(await ledger.resolve('a', { notCreated: true })).toMatchObject({
      state: 'created',
      invites: [{ inviteId: 'A', result: 'failed' }],
    })
  })

  test('an event after the latest possible expiry blocks for 14 more days: the clock may have been wrong', async (setting) => {
    const { clock, ledger } = setting
    const claim = await recordA(setting, UNKNOWN)
    clock.advance(20 * DAY_MS)
    await ledger.inbox.learn(failed)
    clock.advance(14 * DAY_MS - 1)
    expect(await claim()).toBe('invited')
    clock.advance(1)
    expect(await claim()).toBe('claimed')
  })

  test('an event that arrives before the response takes nothing from the response', async (setting) => {
    await recordA(setting, UNKNOWN)
    await setting.ledger.inbox.learn(failed)
    await settle(setting.ledger, 'a', CREATED)
    expect((await setting.ledger.find('a'))?.invites).toMatchObject([{ ...invite('A'), result: 'failed' }])
  })

  test('concurrent events and settlements of one send are all recorded', async (setting) => {
    const { ledger } = setting
    await recordA(setting, undefined)
    const others = [claimed('A', 'B'), claimed('A', 'C')].map((event) => ledger.inbox.learn(event))
    await Promise.all([ledger.inbox.learn(failed), settle(ledger, 'a', CREATED), ...others])
    const record = await ledger.find('a')
    expect(record).toMatchObject({ state: 'created', invites: [{ ...invite('A'), result: 'failed' }] })
    expect(record?.followUps?.map(({ inviteId }) => inviteId).toSorted()).toEqual(['B', 'C'])
  })

  test('an event that names another candidate’s invite, no invite or an unknown reference changes nothing', async (setting) => {
    const { ledger } = setting
    await recordA(setting, CREATED)
    await recordCreate(ledger, 'b', THEIR_CREATE, { target: single('grace@example.com') })
    const before = await ledger.find('a')
    expect(await ledger.inbox.learn(completed('OF_GRACE', 'PASSED'))).toBe('mismatched')
    expect(await ledger.inbox.learn(completed(' ', 'PASSED'))).toBe('not-found')
    expect(await ledger.inbox.learn({ ...failed, reference: 'nothing' })).toBe('not-found')
    expect(await ledger.find('a')).toEqual(before)
  })

  test('a record is found by its result, and by the id of its follow-up', async (setting) => {
    const { ledger } = setting
    await recordA(setting, CREATED)
    await recordCreate(ledger, 'b', undefined, { target: single('grace@example.com') })
    for (const event of [failed, retake]) await ledger.inbox.learn(event)
    for (const filter of [{ result: 'failed' }, { inviteId: 'B' }, { inviteId: 'A' }])
      expect(await referencesOf(ledger.list(filter))).toEqual(['a'])
    expect(await referencesOf(ledger.list({ result: 'passed' }))).toEqual([])
  })
})
