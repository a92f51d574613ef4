import { expect, test } from 'vitest'
import { emptyDatabase, memoryStore } from '../../../examples/ledger-store/memory-store.ts'
import { type ClaimRequest, createLedger, type LedgerStore, withLedger } from '../../../src/ledger/index.ts'
import { all, candidate, guardedSetting, QUIZ, type StandingClock, standingClock } from './setting.ts'

const request: ClaimRequest = {
  scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
  target: { email: 'ada@example.com', quizIds: ['quiz'] },
  reference: 'a',
  input: { quizId: 'quiz', candidate: { email: 'ada@example.com' } },
  leaseMs: 60_000,
}
const created = { state: 'created', invites: [{ inviteId: 'inv_1', expiresAt: '2030-01-15T00:00:00.000Z' }] } as const

/* A ledger over a store that writes, and then does not know whether it has written; `meanwhile` happens before it is asked again. */
function unsureLedger(meanwhile: (clock: StandingClock) => void = () => {}) {
  const clock = standingClock()
  const store = memoryStore(emptyDatabase(), clock)
  let isSure = false
  const unsure = async (written: Promise<boolean>) => {
    await written
    meanwhile(clock)
    const answer = isSure
    isSure = true
    return answer
  }
  const broken: LedgerStore = {
    ...store,
    add: (send, last) => unsure(store.add(send, last)),
    replace: (send, facts) => unsure(store.replace(send, facts)),
  }
  return { ledger: createLedger(broken, clock), sure: createLedger(store, clock) }
}

test('a claim whose commit is unclear recognises its own send, and records it once', async () => {
  const { ledger, sure } = unsureLedger()
  expect(await ledger.claim(request)).toEqual({ kind: 'claimed' })
  expect(await all(sure.list())).toMatchObject([{ reference: 'a', state: 'sending' }])
  expect(await sure.claim({ ...request, reference: 'b' })).toMatchObject({ kind: 'in-flight' })
})

test('a claim whose commit is unclear until its lease has ended may not send: others have seen it as unknown', async () => {
  const { ledger, sure } = unsureLedger((clock) => clock.advance(60_000))
  expect(await ledger.claim(request)).toMatchObject({ kind: 'unknown', entries: [{ reference: 'a' }] })
  expect(await sure.find('a')).toMatchObject({ state: 'unknown' })
})

test('a settlement whose commit is unclear is recorded once, and is not late', async () => {
  const { ledger, sure } = unsureLedger()
  await sure.claim(request)
  expect(await ledger.settle('a', created)).toBe('recorded')
  expect(await sure.find('a')).toMatchObject({ state: 'created', invites: created.invites })
})

/* A store that accepts no change. After a thousand questions it fails, so that a loop without an end ends the test. */
function refusingLedger(refused: 'add' | 'replace') {
  const clock = standingClock()
  const store = memoryStore(emptyDatabase(), clock)
  let asked = 0
  const no = async () => {
    asked += 1
    if (asked > 1000) throw new Error('it was asked a thousand times')
    return false
  }
  return { clock, sure: createLedger(store, clock), ledger: createLedger({ ...store, [refused]: no }, clock) }
}

test.each(['add', 'replace'] as const)(
  'a store that never accepts an "%s" is asked again with growing pauses for 15 seconds, and then cannot be used',
  async (refused) => {
    const { clock, sure, ledger } = refusingLedger(refused)
    await sure.claim({ ...request, reference: 'b', target: { email: 'bob@example.com', quizIds: ['quiz'] } })
    const began = clock.now()
    const changed = refused === 'add' ? ledger.claim(request) : ledger.settle('b', created)
    await expect(changed).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
    /* The time that the store took counts too. */
    expect(clock.now() - began).toBeGreaterThan(10_000)
    expect(clock.now() - began).toBeLessThanOrEqual(15_001)
    expect(clock.waits.length).toBeLessThan(200)
    expect(clock.waits.every((ms) => ms <= 500)).toBe(true)
  },
)

test('a create whose claim the store never accepts ends at its deadline, and nothing is sent', async () => {
  const { mock, client } = await guardedSetting()
  const { clock, ledger } = refusingLedger('add')
  const began = clock.now()
  const guarded = withLedger(client, ledger, { account: 'acme' })
  const create = guarded.invites.create({ quizId: QUIZ, candidate }, { deadlineMs: 2000 })
  await expect(create).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  expect(clock.now() - began).toBeLessThanOrEqual(2001)
  expect(mock.invites).toEqual([])
})

test('a list ends, although the store shows a send whose lease is over again and again', async () => {
  const clock = standingClock()
  const store = memoryStore(emptyDatabase(), clock)
  let asked = 0
  const readOverdue = async () => {
    asked += 1
    if (asked > 1000) throw new Error('it was asked a thousand times')
    return ['gone']
  }
  expect(await all(createLedger({ ...store, readOverdue }, clock).list())).toEqual([])
})

test('a ledger is closed once, and its store with it', async () => {
  const store = memoryStore(emptyDatabase(), standingClock())
  let closed = 0
  const close = async () => {
    closed += 1
  }
  const ledger = createLedger({ ...store, close })
  await ledger.close()
  await ledger.close()
  expect(closed).toBe(1)
  await expect(all(ledger.list())).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
})
