import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { LedgerInvite } from '../../../src/ledger/index.ts'
import type { InviteEvent } from '../../../src/callbacks/event.ts'
import type { ClaimRequest, Settlement } from '../../../src/ledger/rules/model.ts'
import { newRecord } from '../../../src/ledger/rules/claiming.ts'
import { recordOf, type StoredRecord } from '../../../src/ledger/rules/record.ts'
import { recordEvent } from '../../../src/ledger/rules/record-event.ts'
import { openDecisions, resolved } from '../../../src/ledger/rules/resolving.ts'
import { current, settled } from '../../../src/ledger/rules/settling.ts'
import { DAY_MS } from './setting.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const LEASE_MS = 60_000

/** A send in flight: for a quiz, or for a package with two known quizzes. */
function sending(kind: 'quiz' | 'package' = 'quiz'): StoredRecord {
  const email = 'ada@example.com'
  const request: ClaimRequest = {
    scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
    target: kind === 'quiz' ? { email, quizIds: ['q1'] } : { email, packageId: 'pkg', quizIds: ['q1', 'q2', ' q1 '] },
    input: kind === 'quiz' ? { quizId: 'q1', candidate: { email } } : { packageId: 'pkg', candidate: { email } },
    reference: 'a',
    leaseMs: LEASE_MS,
  }
  return { id: 1, ...newRecord(request, 'owner', START) }
}

const invite = (inviteId: string, more: Partial<LedgerInvite> = {}): LedgerInvite => ({
  inviteId,
  expiresAt: '2030-01-15T00:00:00.000Z',
  ...more,
})
const created = (...invites: LedgerInvite[]): Settlement => ({ state: 'created', invites })
const about = { id: null, name: '', data: {}, raw: new Uint8Array(), externalReference: null, reference: 'a' }

/* A small seeded generator, so that a failure can be reproduced. */
function randomFrom(seed: number) {
  let state = seed
  return <T>(choices: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return choices[Math.floor((state / 2 ** 32) * choices.length)] as T
  }
}

type Pick = ReturnType<typeof randomFrom>

const IDS = ['A', 'B', 'C']

function anySettlement(pick: Pick): Settlement {
  if (pick([true, false])) return { state: pick(['refused', 'not-executed', 'unknown']), code: 'TIMED_OUT' }
  const any = () =>
    invite(pick(IDS), {
      expiresAt: pick(['2030-01-15T00:00:00.000Z', '2030-02-01T00:00:00.000Z', 'soon']),
      ...(pick([true, false]) && { challengeUrl: 'https://certify.test/challenge/1' }),
      ...(pick([true, false]) && { quizId: pick(['q1', 'q2', 'q3']) }),
    })
  return created(...pick([[], [any()], [any()], [any(), any()]]))
}

function anyEvent(pick: Pick, now: number): InviteEvent {
  const facts = {
    ...about,
    key: pick(['k1', 'k2', 'k3']),
    receivedAt: now,
    occurredAt: pick([null, '2030-01-02T00:00:00Z']),
  }
  return pick([true, false])
    ? {
        type: 'certification.completed',
        inviteId: pick(IDS),
        quizId: pick([null, 'q1', 'q2']),
        result: pick(['PASSED', 'FAILED', null]),
        validUntil: pick([null, '2032-01-01']),
        ...facts,
      }
    : {
        type: 'certification.follow_up_claimed',
        originalInviteId: pick(IDS),
        followUpInviteId: pick(IDS),
        kind: pick([null, 'retake']),
        ...facts,
      }
}

/** One change of a create by any rule. Applying it again must have no effect. */
type Change = (record: StoredRecord, now: number) => StoredRecord

function anyChange(pick: Pick, now: number): { readonly what: string; readonly change: Change } {
  const settlement = anySettlement(pick)
  const event = anyEvent(pick, now)
  const finding = pick([{ notCreated: true } as const, { created: pick(IDS) }])
  const isOpen = (record: StoredRecord) =>
    openDecisions(recordOf(record))['created' in finding ? 'created' : 'notCreated']
  const changes: Readonly<Record<string, Change>> = {
    settled: (record, at) => settled(record, settlement, [], at).record,
    lapsed: current,
    resolved: (record, at) => (isOpen(record) ? resolved(record, finding, [], at) : record),
    recordEvent: (record, at) => recordEvent(current(record, at), event, [], at).record ?? record,
  }
  const what = pick(['settled', 'settled', 'lapsed', 'resolved', 'recordEvent', 'recordEvent', 'recordEvent'])
  return { what, change: changes[what] as Change }
}

const knownIds = ({ invites, results }: StoredRecord) =>
  new Set([...invites, ...results].map(({ inviteId }) => inviteId))
const isCreated = ({ state }: StoredRecord) => state === 'created'

/** Every change in many random lives of a record, and the create before and after it. */
function* lives(count: number) {
  for (let seed = 1; seed <= count; seed++) {
    const pick = randomFrom(seed)
    let [record, now] = [sending(pick(['quiz', 'package'])), START]
    for (let step = 0; step < 8; step++) {
      now += pick([0, 1, LEASE_MS / 2, LEASE_MS, 20 * DAY_MS])
      const { what, change } = anyChange(pick, now)
      const after = change(record, now)
      yield { seed, step, what, change, before: record, after, now }
      record = after
    }
  }
}

describe('in 1,000 random lives of a record', () => {
  test('a created record stays created', () => {
    for (const { before, after, ...at } of lives(1000)) {
      const isLost = isCreated(before) && !isCreated(after)
      expect({ ...at, isLost }).toMatchObject({ isLost: false })
    }
  })

  test('a known invite is not forgotten, unless a response names others in its place', () => {
    for (const { before, after, ...at } of lives(1000)) {
      const left = knownIds(after)
      const lost = [...knownIds(before)].filter((id) => !left.has(id))
      const hasOthers = at.what === 'settled' && after.invites.length > 0
      expect({ ...at, lost: hasOthers ? [] : lost }).toMatchObject({ lost: [] })
    }
  })

  test('what an event has named is never forgotten, and a record never stops covering a quiz', () => {
    for (const { before, after, ...at } of lives(1000)) {
      const names = after.results.map(({ inviteId }) => inviteId)
      expect({ ...at, names }).toMatchObject({
        names: expect.arrayContaining(before.results.map(({ inviteId }) => inviteId)),
      })
      expect({ ...at, subjects: after.subjects }).toMatchObject({
        subjects: expect.arrayContaining([...before.subjects]),
      })
    }
  })

  test('applying the same change twice at the same time is idempotent', () => {
    for (const { change, after, now, ...at } of lives(1000)) {
      expect({ ...at, record: recordOf(change(after, now)) }).toEqual({ ...at, record: recordOf(after) })
    }
  })

  test('a record survives a round trip through JSON', () => {
    for (const { after } of lives(300)) {
      expect(recordOf(JSON.parse(JSON.stringify(after)) as StoredRecord)).toEqual(recordOf(after))
    }
  })
})

describe('a settlement is late', () => {
  const recorded = (record: StoredRecord, now: number, settlement: Settlement = created(invite('A'))) =>
    settled(record, settlement, [], now).recorded
  const unknown: Settlement = { state: 'unknown', code: 'TIMED_OUT' }

  test('from the end of the lease on, whatever its result', () => {
    expect(recorded(sending(), START + LEASE_MS - 1)).toBe('recorded')
    for (const end of [created(invite('A')), unknown, { state: 'refused' } as const]) {
      expect(recorded(sending(), START + LEASE_MS, end)).toBe('late')
    }
  })

  test('if the create had already lapsed to unknown, even though this clock is still within the lease', () => {
    expect(recorded(current(sending(), START + LEASE_MS), START + 1)).toBe('late')
  })

  test('if its owner reported unknown in time, and a better result after the lease', () => {
    const { record } = settled(sending(), unknown, [], START)
    expect(recorded(record, START + 1)).toBe('recorded')
    expect(recorded(record, START + LEASE_MS)).toBe('late')
  })

  test('if a person had resolved the create after the lease', () => {
    const record = resolved(current(sending(), START + LEASE_MS), { notCreated: true }, [], START + DAY_MS)
    expect(recorded(record, START + 2 * DAY_MS)).toBe('late')
  })

  test('but not if it repeats one that was in time', () => {
    const { record } = settled(sending(), created(invite('A')), [], START)
    expect(recorded(record, START + DAY_MS)).toBe('recorded')
  })
})

test.each(['2030-01-02T03:04:05', '2030-01-02 03:04:05', '2030-01-02t03:04:05z', '2030-01-01T22:04:05-05:00'])(
  'the time of an event is in UTC unless it has another zone, wherever this machine is: %s',
  (occurredAt) => {
    vi.stubEnv('TZ', 'America/New_York')
    onTestFinished(() => void vi.unstubAllEnvs())
    const facts = { ...about, key: 'k', receivedAt: START, occurredAt }
    const event = { inviteId: 'A', quizId: null, result: 'PASSED', validUntil: null, ...facts }
    const { record } = recordEvent(sending(), { type: 'certification.completed', ...event }, [], START)
    expect(record?.results).toMatchObject([{ resultAt: Date.parse('2030-01-02T03:04:05Z') }])
  },
)
