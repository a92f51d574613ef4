import { describe, expect, test } from 'vitest'
import type { ClaimRequest } from '../../../src/ledger/rules/model.ts'
import { blockingClaim, lookedUp, newRecord } from '../../../src/ledger/rules/claiming.ts'
import { recordOf, type StoredRecord } from '../../../src/ledger/rules/record.ts'
import { resolved } from '../../../src/ledger/rules/resolving.ts'
import { current, settled, settledByEvents } from '../../../src/ledger/rules/settling.ts'
import { ofPackage, UNKNOWN } from './contract/events.ts'
import { created, invite, LEASE_MS, request, single } from './contract/samples.ts'
import { DAY_MS } from './setting.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const sending = (more?: Partial<ClaimRequest>): StoredRecord => ({
  id: 1,
  ...newRecord(request('a', more), 'owner', START),
})
const eve = { target: single('eve@example.com') }
/* An invite without its link, as an event names it. */
const named = (inviteId: string, more: object = {}) => ({
  ...invite(inviteId, { challengeUrl: undefined }),
  ...more,
})

describe('a response with an invite of another create', () => {
  const now = START + 1000
  const other = (more: Partial<ClaimRequest> = eve, invites = [invite('A')]) =>
    settled({ ...sending(more), id: 2 }, created(...invites), [], START).record
  const sameCandidate = { target: single('ada@example.com', 'other') }
  const pack = ofPackage(['quiz', 'other'])

  test.each<[string, StoredRecord]>([
    ['open, of another candidate', other()],
    ['open, of another candidate, one of several', other({ ...pack, ...eve }, [invite('B'), invite('A')])],
    ['open, of this candidate for another quiz', other(sameCandidate)],
    ['named by an event for another candidate', { ...sending(eve), results: [{ inviteId: 'B' }, { inviteId: 'A' }] }],
  ])('is mismatched: %s', (_what, theirs) => {
    expect(settled(sending(), created(invite('A')), [theirs], now)).toMatchObject({
      recorded: 'mismatched',
      record: { state: 'unknown', code: 'RESPONSE_MISMATCHED', invites: [] },
    })
  })

  test.each<[string, StoredRecord]>([
    ['of this candidate for the same quiz', other({ target: single('ada@example.com', ' quiz ') })],
    ['of this candidate, whose package names the same quiz', other(pack, [invite('A', { quizId: 'quiz' })])],
    ['of this candidate, whose quiz is not known', other(pack)],
    ['another one', other(eve, [invite('B')])],
    ['another one of this candidate, for another quiz', other(sameCandidate, [invite('B')])],
    ['of another candidate, but expired', { ...other(), expiresAt: now }],
    ['named by an event for this candidate', { ...sending(sameCandidate), results: [{ inviteId: 'A' }] }],
    ['another one, named by an event', { ...sending(eve), results: [{ inviteId: 'B' }] }],
    ['of a send that is not created', { ...other(), state: 'unknown' }],
  ])('is recorded: %s', (_what, theirs) => {
    expect(settled(sending(), created(invite('A')), [theirs], now)).toMatchObject({
      recorded: 'recorded',
      record: { state: 'created', invites: [{ inviteId: 'A' }] },
    })
  })

  test('of a package of which no quiz is known is recorded', () => {
    expect(settled(sending(pack), created(invite('A')), [other(sameCandidate)], now).recorded).toBe('recorded')
  })
})

describe('the expiry of a created record', () => {
  const leaseEnd = START + LEASE_MS
  const usable = new Date(leaseEnd + 1).toISOString()
  const assumed = new Date(START + 1000 + 14 * DAY_MS).toISOString()

  test.each([
    ['as the service returned it', invite('A', { expiresAt: usable }), usable],
    ['assumed if it is over before the lease', invite('A', { expiresAt: new Date(leaseEnd).toISOString() }), assumed],
    ['assumed if it is not a time', invite('A', { expiresAt: 'soon' }), assumed],
    ['assumed again if it was assumed', invite('A', { expiryAssumed: true }), assumed],
  ])('is %s', (_what, given, expiresAt) => {
    const { record } = settled(sending(), created(given), [], START + 1000)
    expect(record.expiresAt).toBe(Date.parse(expiresAt))
    expect(record.invites).toEqual([{ ...given, expiresAt, ...(expiresAt === assumed && { expiryAssumed: true }) }])
  })

  test('is assumed from the time of the create if the clock has gone back', () => {
    const { record } = settled(sending(), created(invite('A', { expiryAssumed: true })), [], START - DAY_MS)
    expect(record.expiresAt).toBe(START + 14 * DAY_MS)
  })

  test('is the latest of its invites', () => {
    const later = '2030-01-16T00:00:00.000Z'
    const { record } = settled(sending(), created(invite('B', { expiresAt: later }), invite('A')), [], START)
    expect(record.expiresAt).toBe(Date.parse(later))
  })
})

describe('events that name an invite B', () => {
  const results = [{ inviteId: 'B', quizId: 'q2' }]
  const after = (record: StoredRecord, now = START + 1000) => settledByEvents({ ...record, results }, now)
  const has = (record: StoredRecord, ...invites: StoredRecord['invites']): StoredRecord => ({
    ...record,
    state: 'created',
    settledAt: START,
    invites,
  })
  const idsOf = ({ invites }: StoredRecord) => invites.map(({ inviteId }) => inviteId)

  test.each<[string, StoredRecord, readonly string[]]>([
    ['add it to a single invite that is not known', has(sending()), ['B']],
    ['add it to a package without links', has(sending(ofPackage()), named('A')), ['A', 'B']],
    ['do not add it twice', has(sending(ofPackage()), named('B')), ['B']],
    ['do not add it to a single invite that is known', has(sending(), named('A')), ['A']],
    ['do not add it to a single invite with its link', has(sending(), invite('A')), ['A']],
    ['do not add it to a package with a link', has(sending(ofPackage()), named('A'), invite('C')), ['A', 'C']],
  ])('%s, and it stays created when it was', (_what, record, ids) => {
    expect(idsOf(after(record))).toEqual(ids)
    expect(after(record)).toMatchObject({ state: 'created', settledAt: START })
  })

  test('prove that an unknown or failed send was created now', () => {
    for (const state of ['unknown', 'refused', 'not-executed'] as const) {
      const record = after({ ...sending(), state, code: 'TIMED_OUT', settledAt: START })
      expect(record).toMatchObject({ state: 'created', settledAt: START + 1000, results })
      expect([idsOf(record), 'code' in record]).toEqual([['B'], false])
    }
  })

  test('leave a create in flight as it is, until its response has arrived or its lease is over', () => {
    expect(after(sending())).toMatchObject({ state: 'sending', invites: [] })
    expect(current({ ...sending(), results }, START + LEASE_MS)).toMatchObject({
      state: 'created',
      invites: [{ inviteId: 'B' }],
    })
    const { record } = settled({ ...sending(), results }, UNKNOWN, [], START)
    expect(record).toMatchObject({ state: 'created', invites: [{ inviteId: 'B' }] })
  })

  test('do not prove anything if B is a follow-up', () => {
    const record: StoredRecord = { ...sending(), state: 'unknown', results: [{ inviteId: 'B', followUpOf: 'A' }] }
    expect(settledByEvents(record, START)).toBe(record)
  })

  test('say no expiry: it is the end of the create’s, or 14 days from now if that is over', () => {
    const record: StoredRecord = { ...sending(), state: 'unknown' }
    expect(after(record, record.expiresAt - 1).expiresAt).toBe(record.expiresAt)
    const late = after(record, record.expiresAt)
    expect(late.expiresAt).toBe(record.expiresAt + 14 * DAY_MS)
    const expiresAt = new Date(late.expiresAt).toISOString()
    expect(late.invites).toStrictEqual([{ inviteId: 'B', quizId: 'q2', expiresAt, expiryAssumed: true }])
  })

  test('of a package move every assumed expiry when one comes after it', () => {
    const first = settledByEvents({ ...sending(ofPackage()), state: 'unknown', results: [{ inviteId: 'A' }] }, START)
    const later = settledByEvents({ ...first, results: [{ inviteId: 'A' }, { inviteId: 'B' }] }, first.expiresAt)
    const expiresAt = new Date(first.expiresAt + 14 * DAY_MS).toISOString()
    expect(later.invites).toMatchObject([
      { inviteId: 'A', expiresAt },
      { inviteId: 'B', expiresAt },
    ])
  })

  test('add its quiz to what the create blocks, once; without one it is the quiz of a single invite', () => {
    expect(after({ ...sending(), state: 'unknown' }).subjects).toHaveLength(2)
    const known = { ...sending(ofPackage()), state: 'unknown' } as const
    expect(after(known).subjects).toEqual(known.subjects)
    const mixed = settled(
      known,
      created(invite('A', { quizId: 'q1' }), invite('B', { quizId: 'q9' })),
      [],
      START,
    ).record
    expect(mixed.subjects).toHaveLength(known.subjects.length + 1)
    const unsaid = settledByEvents({ ...sending(), state: 'unknown', results: [{ inviteId: 'B' }] }, START)
    expect(unsaid.invites).toMatchObject([{ inviteId: 'B', quizId: 'quiz' }])
    const unknownQuiz = settledByEvents({ ...known, results: [{ inviteId: 'B' }] }, START)
    expect(Object.keys(unknownQuiz.invites[0] ?? {})).not.toContain('quizId')
  })

  test('show their results with the invite, and with each follow-up only what is known', () => {
    const record: StoredRecord = {
      ...has(sending(), invite('A'), invite('C')),
      results: [
        { inviteId: 'A', result: 'passed', resultAt: START, validUntil: '2032-01-01' },
        { inviteId: 'B', quizId: 'q2', followUpOf: 'A', kind: 'retake', claimedAt: START },
        { inviteId: 'D' },
      ],
    }
    expect(recordOf(record)).toMatchObject({
      invites: [
        { ...invite('A'), result: 'passed', resultAt: '2030-01-01T00:00:00.000Z', validUntil: '2032-01-01' },
        invite('C'),
      ],
    })
    expect(recordOf(record).followUps).toStrictEqual([
      { inviteId: 'B', quizId: 'q2', followUpOf: 'A', kind: 'retake', claimedAt: '2030-01-01T00:00:00.000Z' },
      { inviteId: 'D' },
    ])
  })
})

describe('what a target finds', () => {
  const target = { email: 'ada@example.com', packageId: 'pkg', quizIds: ['q1', 'q2', 'q3'] }
  const sent = (id: number, quizId: string, more: Partial<StoredRecord> = {}): StoredRecord => ({
    ...sending({ target: single('ada@example.com', quizId) }),
    id,
    state: 'created',
    ...more,
  })
  const find = (...records: StoredRecord[]) => lookedUp(target, records, START)
  const UNKNOWN_STATE = { state: 'unknown' } as const
  const over = { expiresAt: START }

  test('a package of which quizzes are invited has the others missing; any other block has none', () => {
    expect(find(sent(1, 'q1'), sent(2, 'q2'))).toMatchObject({ kind: 'invited', missingQuizIds: ['q3'] })
    const one = sent(1, 'q1')
    expect(lookedUp(single('ada@example.com', 'q2'), [one], START)).toMatchObject({ missingQuizIds: [] })
    expect(find({ ...sending(ofPackage()), state: 'created' })).toMatchObject({ kind: 'invited', missingQuizIds: [] })
    expect(find(sent(1, 'q1', UNKNOWN_STATE))).toMatchObject({ kind: 'unknown', missingQuizIds: [] })
  })

  test('an unknown outcome has lapsed once every link that it may have created has expired', () => {
    expect(find(sent(1, 'q1', { ...UNKNOWN_STATE, ...over }))).toMatchObject({ kind: 'unknown', isLapsed: true })
    const mixed = find(sent(1, 'q1', { ...UNKNOWN_STATE, ...over }), sent(2, 'q2', UNKNOWN_STATE))
    expect(mixed && 'isLapsed' in mixed).toBe(false)
    const flying = find(sent(1, 'q1', { state: 'sending', ...over }))
    expect(flying && 'isLapsed' in flying).toBe(false)
  })

  test('an unknown outcome is superseded only by a later created record of the same quiz or package', () => {
    const blockedBy = (...records: StoredRecord[]) => blockingClaim({ target }, records, START)?.kind
    const lost = sent(5, 'q1', UNKNOWN_STATE)
    expect(blockedBy(lost, sent(6, 'q1'))).toBe('invited')
    expect(blockedBy(sent(4, 'q1'), lost)).toBe('unknown')
    expect(blockedBy(lost, sent(6, 'q2'))).toBe('unknown')
    expect(blockedBy(lost, sent(6, 'q1', UNKNOWN_STATE))).toBe('unknown')
    const lostPackage: StoredRecord = { ...sending(ofPackage()), id: 5, state: 'unknown' }
    const another = { ...target, packageId: 'other' }
    const sentOther: StoredRecord = { ...sending({ ...ofPackage(), target: another }), id: 6, state: 'created' }
    expect(blockedBy(lostPackage, sentOther)).toBe('unknown')
    expect(blockedBy(lostPackage, { ...lostPackage, id: 6, state: 'created' })).toBe('invited')
  })
})

test('a finding about a create that has no quiz of its own names none', () => {
  const { invites } = resolved({ ...sending(ofPackage()), state: 'unknown' }, { created: ['A'] }, [], START)
  const expiresAt = new Date(START + 14 * DAY_MS).toISOString()
  expect(invites).toStrictEqual([{ inviteId: 'A', expiresAt }])
})

test('a create that cannot be resolved says its state', () => {
  expect(() => resolved(sending(), { notCreated: true }, [], START)).toThrow('is not unknown, but sending')
})
