import { expect, test } from 'vitest'
import { emptyDatabase, memoryStore } from '../../../examples/ledger-store/memory-store.ts'
import { type ClaimRequest, createLedger, type LedgerStore } from '../../../src/ledger/index.ts'
import { all, type StandingClock, standingClock } from './setting.ts'

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
