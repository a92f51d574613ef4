import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ClaimRequest, InviteEvent, Ledger, LedgerInvite } from '../../../src/ledger/index.ts'
import { all, DAY_MS, DRIVERS, freshLedger, standingClock } from './setting.ts'

const scope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }
const START = Date.parse('2030-01-01T00:00:00Z')
const email = 'ada@example.com'

const single = (reference: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  scope,
  target: { email, quizIds: ['quiz'] },
  reference,
  input: { quizId: 'quiz', candidate: { email } },
  leaseMs: 60_000,
  ...more,
})
const ofPackage = (reference: string, quizIds: readonly string[] = ['q1', 'q2', 'q3']): ClaimRequest => ({
  ...single(reference),
  target: { email, packageId: 'pkg', quizIds },
  input: { packageId: 'pkg', candidate: { email } },
})
const invite = (inviteId: string, more: Partial<LedgerInvite> = {}): LedgerInvite => ({
  inviteId,
  status: 'PENDING',
  challengeUrl: 'https://certify.test/challenge/1',
  expiresAt: '2030-01-15T00:00:00.000Z',
  emailSent: true,
  ...more,
})

let events = 0
const facts = (reference: string) => {
  events += 1
  const id = { id: null, name: '', data: {}, raw: new Uint8Array(), externalReference: null }
  return { ...id, key: `key-${events}`, reference, receivedAt: START + events, occurredAt: null }
}
const completed = (inviteId: string, result: string | null, more: Partial<InviteEvent> = {}, reference = 'a') =>
  ({
    type: 'certification.completed',
    quizId: 'quiz',
    validUntil: null,
    inviteId,
    result,
    ...facts(reference),
    ...more,
  }) as InviteEvent
const claimed = (originalInviteId: string, followUpInviteId: string, more: Partial<InviteEvent> = {}) =>
  ({
    type: 'certification.follow_up_claimed',
    kind: 'retake',
    originalInviteId,
    followUpInviteId,
    ...facts('a'),
    ...more,
  }) as InviteEvent

const learn = async (ledger: Ledger, event: InviteEvent) => ledger.learn?.(event)

describe.each(DRIVERS)('what a ledger over %s learns from events', (driver) => {
  /** A ledger with an entry `a` that ended so. */
  const recorded = async (request: ClaimRequest, end: Parameters<Ledger['settle']>[1] | undefined) => {
    const clock = standingClock()
    const ledger = await freshLedger(clock, { driver })
    await ledger.claim(request)
    if (end !== undefined) await ledger.settle('a', end)
    const blocks = async (more: Partial<ClaimRequest> = {}) =>
      (await ledger.claim(single(`try-${events++}`, more))).kind
    return { clock, ledger, blocks }
  }
  const created = () => recorded(single('a'), { state: 'created', invites: [invite('A')] })
  const unknown = (request = single('a')) => recorded(request, { state: 'unknown', code: 'CONNECTION_LOST' })

  test('a fail, a retake and a pass: each is recorded where it belongs, and may be said again', async () => {
    const { ledger } = await created()
    const said = [
      completed('A', 'FAILED', { occurredAt: '2030-01-02T00:00:00Z' }),
      claimed('A', 'B', { occurredAt: '2030-01-03T00:00:00Z' }),
      completed('B', 'PASSED', {
        occurredAt: '2030-01-04T00:00:00Z',
        validUntil: '2032-01-04',
      }),
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
  })

  test('an older event never overwrites a result, whether its time or only its order says that it is older', async () => {
    const { ledger } = await created()
    const early = completed('A', 'FAILED')
    await learn(ledger, completed('A', 'PASSED', { occurredAt: '2030-01-05T00:00:00Z' }))
    await learn(ledger, completed('A', 'FAILED', { occurredAt: '2030-01-04T00:00:00Z' }))
    expect((await ledger.find('a'))?.invites[0]?.result).toBe('passed')
    await learn(ledger, early)
    expect((await ledger.find('a'))?.invites[0]?.result).toBe('passed')
    await learn(ledger, completed('A', 'REVOKED', { occurredAt: '2030-01-06T00:00:00Z' }))
    expect((await ledger.find('a'))?.invites[0]).toMatchObject({ result: 'REVOKED' })
  })

  test('an event without a result leaves the one that is known', async () => {
    const { ledger } = await created()
    await learn(ledger, completed('A', 'PASSED'))
    await learn(ledger, completed('A', null))
    expect((await ledger.find('a'))?.invites[0]?.result).toBe('passed')
  })

  test('an unknown send is created if an event names its invite, and blocks as an open invite', async () => {
    const { clock, ledger, blocks } = await unknown()
    expect(await blocks()).toBe('unknown')
    expect(await learn(ledger, completed('A', 'FAILED'))).toBe('token')
    expect(await ledger.find('a')).toMatchObject({
      state: 'created',
      code: undefined,
      settledAt: '2030-01-01T00:00:00.000Z',
      invites: [{ inviteId: 'A', quizId: 'quiz', result: 'failed', verified: 'token' }],
    })
    expect(await blocks()).toBe('invited')
    expect(await blocks({ although: { unknown: true } })).toBe('invited')
    clock.advance(14 * DAY_MS)
    expect(await blocks()).toBe('invited')
    clock.advance(60_001)
    expect(await blocks()).toBe('claimed')
  })

  test('an unknown send that has lapsed blocks for 14 days after the event that settles it: the clock may be wrong', async () => {
    const { clock, ledger, blocks } = await unknown()
    clock.advance(20 * DAY_MS)
    await learn(ledger, completed('A', 'FAILED'))
    clock.advance(14 * DAY_MS - 1)
    expect(await blocks()).toBe('invited')
    clock.advance(1)
    expect(await blocks()).toBe('claimed')
  })

  test.each<[string, Parameters<Ledger['settle']>[1]]>([
    ['refused', { state: 'refused', code: 'BAD_USER_INPUT' }],
    ['not executed', { state: 'not-executed', code: 'UNREACHABLE' }],
    ['created, with an identifier that was lost', { state: 'created', invites: [] }],
  ])('an event proves that an invite exists, although the send was called %s', async (_what, end) => {
    const { ledger, blocks } = await recorded(single('a'), end)
    await learn(ledger, completed('A', 'FAILED'))
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'A' }] })
    expect(await blocks()).toBe('invited')
  })

  test('a person who said that nothing was created is corrected by the event', async () => {
    const { ledger, blocks } = await unknown()
    await ledger.resolve('a', { notCreated: true })
    await learn(ledger, completed('A', 'PASSED'))
    expect(await blocks()).toBe('invited')
  })

  test('a send on its way stays so, whatever events say, and keeps what it was told', async () => {
    const { ledger, blocks } = await recorded(single('a'), undefined)
    await learn(ledger, completed('A', 'PASSED'))
    expect((await ledger.find('a'))?.state).toBe('sending')
    expect(await blocks()).toBe('in-flight')
    await ledger.settle('a', { state: 'created', invites: [invite('A')] })
    const entry = await ledger.find('a')
    expect(entry).toMatchObject({
      state: 'created',
      invites: [{ ...invite('A'), result: 'passed', verified: 'token+ledger' }],
    })
    expect(entry?.followUps).toBeUndefined()
  })

  test('a send on its way whose response is lost is created: an event had named its invite', async () => {
    const { ledger } = await recorded(single('a'), undefined)
    await learn(ledger, completed('A', 'PASSED'))
    await ledger.settle('a', { state: 'unknown', code: 'TIMED_OUT' })
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'A', result: 'passed' }] })
  })

  test('a send whose lease ends is created if an event has named its invite, and is not sent again', async () => {
    const { clock, ledger, blocks } = await recorded(single('a'), undefined)
    await learn(ledger, completed('A', 'PASSED'))
    clock.advance(60_000)
    expect(await blocks({ although: { unknown: true } })).toBe('invited')
    expect((await ledger.find('a'))?.state).toBe('created')
  })

  test('the response that arrives after all is recorded whole, and keeps the result', async () => {
    const { ledger } = await unknown()
    await learn(ledger, completed('A', 'PASSED'))
    await ledger.settle('a', { state: 'created', invites: [invite('A')] })
    expect((await ledger.find('a'))?.invites).toMatchObject([
      { ...invite('A'), result: 'passed', verified: 'token+ledger' },
    ])
  })

  test('a retake whose result comes before everything else ends at its place, in any order', async () => {
    const said = [completed('B', 'PASSED'), claimed('A', 'B'), completed('A', 'FAILED'), claimed('B', 'C')]
    for (const order of [
      [0, 1, 2, 3],
      [0, 3, 1, 2],
      [3, 0, 2, 1],
      [2, 1, 0, 3],
      [1, 3, 2, 0],
    ]) {
      const { ledger } = await unknown()
      for (const at of order) expect(await learn(ledger, said[at] as InviteEvent)).toMatch(/^token/)
      const entry = await ledger.find('a')
      expect(entry).toMatchObject({ state: 'created', invites: [{ inviteId: 'A', result: 'failed' }] })
      expect(entry?.followUps?.map(({ inviteId, followUpOf, result }) => [inviteId, followUpOf, result])).toEqual(
        expect.arrayContaining([
          ['B', 'A', 'passed'],
          ['C', 'B', undefined],
        ]),
      )
    }
  })

  test('the result of another quiz does not settle an unknown send: it is of a follow-up that nobody has introduced', async () => {
    const { ledger, blocks } = await unknown()
    await learn(ledger, completed('L', 'PASSED', { quizId: 'next-quiz' }))
    expect(await ledger.find('a')).toMatchObject({
      state: 'unknown',
      invites: [],
      followUps: [{ inviteId: 'L', quizId: 'next-quiz', result: 'passed', verified: 'token' }],
    })
    expect(await blocks()).toBe('unknown')
  })

  test.each<[string, InviteEvent]>([
    ['another quiz of its invite', completed('A', 'PASSED', { quizId: 'other' })],
    ['a follow-up of itself', claimed('A', 'A')],
    ['its invite as a follow-up', claimed('B', 'A')],
    ['another origin of a follow-up', claimed('C', 'B')],
    ['a circle', claimed('B2', 'B')],
    ['an invite of another candidate', completed('OTHER', 'PASSED')],
    ['an invite of another candidate as origin', claimed('OTHER', 'X')],
    ['an invite of another candidate as follow-up', claimed('A', 'OTHER')],
    ['a follow-up of another candidate', completed('OTHER-2', 'PASSED')],
    ['an invite of the same candidate for another quiz', completed('SECOND', 'PASSED')],
  ])('an event that contradicts the ledger changes nothing: %s', async (_what, event) => {
    const { ledger } = await created()
    await learn(ledger, claimed('A', 'B'))
    await learn(ledger, claimed('B', 'B2'))
    await ledger.claim(single('b', { target: { email: 'grace@example.com', quizIds: ['quiz'] } }))
    await ledger.settle('b', { state: 'created', invites: [invite('OTHER')] })
    await learn(ledger, { ...claimed('OTHER', 'OTHER-2'), reference: 'b' })
    await ledger.claim(single('c', { target: { email, quizIds: ['second'] } }))
    await ledger.settle('c', { state: 'created', invites: [invite('SECOND')] })
    const before = await all(ledger.list())
    expect(await learn(ledger, event)).toBe('mismatched')
    expect(await all(ledger.list())).toEqual(before)
  })

  test('an unknown send is not settled by the invite of another candidate', async () => {
    const { ledger } = await unknown()
    await ledger.claim(single('b', { target: { email: 'grace@example.com', quizIds: ['quiz'] } }))
    await ledger.settle('b', { state: 'created', invites: [invite('OTHER')] })
    expect(await learn(ledger, completed('OTHER', 'PASSED'))).toBe('mismatched')
    expect((await ledger.find('a'))?.state).toBe('unknown')
  })

  test('an event of no entry, or without the name of an invite, changes nothing', async () => {
    const { ledger } = await unknown()
    expect(await learn(ledger, completed('A', 'PASSED', {}, 'elsewhere'))).toBe('not-found')
    expect(await learn(ledger, completed(' ', 'PASSED'))).toBe('not-found')
    expect((await ledger.find('a'))?.state).toBe('unknown')
  })

  test('an unknown package is created with the first invite that is named, lists those that are known, and blocks all its quizzes', async () => {
    const { clock, ledger, blocks } = await unknown(ofPackage('a'))
    await learn(ledger, completed('P2', 'PASSED', { quizId: 'q2' }))
    expect(await ledger.find('a')).toMatchObject({
      state: 'created',
      packageName: undefined,
      invites: [{ inviteId: 'P2', quizId: 'q2', result: 'passed' }],
    })
    clock.advance(13 * DAY_MS)
    for (const quiz of ['q1', 'q2', 'q3']) expect(await blocks({ target: { email, quizIds: [quiz] } })).toBe('invited')
    expect(await blocks({ target: { email, quizIds: [], packageId: 'pkg' } })).toBe('invited')
    await learn(ledger, completed('P1', 'FAILED', { quizId: 'q1' }))
    await learn(ledger, claimed('P1', 'R1'))
    await learn(ledger, completed('R1', 'PASSED', { quizId: 'q1' }))
    const entry = await ledger.find('a')
    expect(entry?.invites.map(({ inviteId, quizId, result }) => [inviteId, quizId, result])).toEqual([
      ['P2', 'q2', 'passed'],
      ['P1', 'q1', 'failed'],
    ])
    expect(entry?.followUps).toMatchObject([{ inviteId: 'R1', followUpOf: 'P1', result: 'passed' }])
  })

  test('an unknown package whose quizzes were not known blocks those that events name', async () => {
    const { ledger, blocks } = await unknown(ofPackage('a', []))
    await learn(ledger, completed('P2', 'PASSED', { quizId: 'q2' }))
    expect(await blocks({ target: { email, quizIds: ['q2'] } })).toBe('invited')
    expect(await blocks({ target: { email, quizIds: [], packageId: 'pkg' } })).toBe('invited')
  })

  test('a package that was recorded whole gets no further invites from events', async () => {
    const invites = [invite('P1', { quizId: 'q1' }), invite('P2', { quizId: 'q2' })]
    const { ledger } = await recorded(ofPackage('a'), { state: 'created', invites })
    await learn(ledger, completed('L', 'PASSED', { quizId: 'q9' }))
    expect(await ledger.find('a')).toMatchObject({
      invites: [{ inviteId: 'P1' }, { inviteId: 'P2' }],
      followUps: [{ inviteId: 'L' }],
    })
  })

  test('a list finds entries by a result, and by the identifier of a follow-up', async () => {
    const { ledger } = await created()
    await ledger.claim(single('b', { target: { email: 'grace@example.com', quizIds: ['quiz'] } }))
    await learn(ledger, completed('A', 'FAILED'))
    await learn(ledger, claimed('A', 'B'))
    const references = async (filter: Parameters<Ledger['list']>[0]) =>
      (await all(ledger.list(filter))).map(({ reference }) => reference)
    expect(await references({ result: 'failed' })).toEqual(['a'])
    expect(await references({ result: 'passed' })).toEqual([])
    expect(await references({ inviteId: 'B' })).toEqual(['a'])
    expect(await references({ inviteId: 'A' })).toEqual(['a'])
  })

  test('a purge of a candidate leaves nothing of what was learned', async () => {
    const { ledger } = await created()
    await learn(ledger, completed('A', 'canary-result', { validUntil: 'canary-validity' }))
    await learn(ledger, claimed('A', 'canary-follow-up'))
    await ledger.purge({ email })
    await ledger.close()
    expect(readFileSync(ledger.path, 'latin1')).not.toMatch(/canary|ada@example/)
  })
})
