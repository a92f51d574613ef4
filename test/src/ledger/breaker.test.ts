import { expect, test } from 'vitest'
import { createMockServer } from '../../../mock-server/index.ts'
import { type ApiKeyOptions, type Fetch, isCertifyError } from '../../../src/index.ts'
import { openLedger } from '../../../src/ledger/index.ts'
import { clientBy, jumpingClock } from '../clock.ts'
import { failureOf } from '../failing.ts'
import { clientOf, guardedSetting, QUIZ } from './setting.ts'

const CREATE = 'developerCreateCertificationInvite'
const inputOf = (email: string) => ({ quizId: QUIZ, candidate: { email } })

/** A service with a latency, down from second 2 to 4, and clients with one ledger. No test really waits. */
async function slowService({ createMs, queryMs }: { readonly createMs: number; readonly queryMs: number }) {
  const clock = jumpingClock()
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const ledger = await openLedger(':memory:', { clock })
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.startTimer(ms, resolve))
  const fetch: Fetch = async (url, init) => {
    if (clock.elapsed() >= 2000 && clock.elapsed() < 4000) return new Response(null, { status: 503 })
    const response = await mock.fetch(url, init)
    await wait(init.body.includes('mutation') ? createMs : queryMs)
    return response
  }
  /* One create after another, until second 17. Returns how those ended that began after second 13. */
  const work = async (name: string, everyMs: number, options: Partial<ApiKeyOptions>) => {
    const { baseUrl, apiKey } = mock
    const client = clientBy(clock, { baseUrl, apiKey, fetch, ledger, allowClockSkew: true, retry: false, ...options })
    const ends: string[] = []
    for (let count = 0; clock.elapsed() < 17_000; count += 1) {
      const isLater = clock.elapsed() > 13_000
      const end = await client.invites.create(inputOf(`${name}${count}@example.com`)).then(
        () => 'created',
        (error: unknown) => {
          if (!isCertifyError(error)) throw error
          return error.outcome
        },
      )
      if (isLater) ends.push(end)
      await wait(everyMs)
    }
    return ends
  }
  return work
}

const IMPATIENT = { deadlineMs: 1000 }

test.each([
  ['creates take most of their deadline', { createMs: 700, queryMs: 700 }, IMPATIENT, IMPATIENT],
  ['queries take longer than the deadline of a create', { createMs: 100, queryMs: 1500 }, IMPATIENT, IMPATIENT],
  ['another caller has no time for a response', { createMs: 300, queryMs: 300 }, {}, { deadlineMs: 100 }],
  ['another client has no time for a response', { createMs: 300, queryMs: 300 }, {}, { timeoutMs: 100 }],
])('the circuit breaker closes once the service is well again, even if %s', async (_what, latency, own, others) => {
  const work = await slowService(latency)
  const [ends] = await Promise.all([work('a', 200, own), work('b', 40, others)])
  expect(new Set(ends)).toEqual(new Set(['created']))
  expect(ends.length).toBeGreaterThan(3)
})

test('an account for which the service fails delays no other one, and loses few of its own', async () => {
  const { mock, ledger } = await guardedSetting()
  const keyOf = (name: string) => mock.apiKeys.find((key) => key.name === name)?.key ?? ''
  const sick = clientOf(mock, { ledger, account: 'sick', apiKey: keyOf('invite') })
  const well = clientOf(mock, { ledger, account: 'well' })
  mock.faults.add({ operation: CREATE, key: 'invite', fault: 503, times: Number.POSITIVE_INFINITY })
  const ends: string[] = []
  for (let count = 0; count < 20; count += 1) {
    ends.push((await failureOf(sick.invites.create(inputOf(`sick${count}@example.com`)))).code)
    await well.invites.create(inputOf(`well${count}@example.com`))
  }
  expect(ends).toEqual(['SERVER_FAULT', 'SERVER_FAULT', ...Array.from({ length: 18 }, () => 'SERVICE_UNAVAILABLE')])
  expect(await ledger.count({ account: 'well' })).toBe(20)
})

test('the clients of one account share a breaker, and another service has its own', async () => {
  const { mock, ledger, guarded } = await guardedSetting()
  const other = createMockServer({ now: '2030-01-01T00:00:00Z', baseUrl: 'https://other.example' })
  const elsewhere = clientOf(other, { ledger, account: 'other' })
  mock.faults.add({ fault: 503, times: Number.POSITIVE_INFINITY })
  await failureOf(guarded.invites.create(inputOf('lost@example.com')))
  const next = () => clientOf(mock, { ledger }).invites.create(inputOf('next@example.com'))
  expect(await failureOf(next())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(await elsewhere.invites.create(inputOf('next@example.com'))).toMatchObject({ status: 'PENDING' })
})
