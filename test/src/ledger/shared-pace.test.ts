import { expect, test, vi } from 'vitest'
import { type CampaignEvent, planCampaign, type RunOptions, runCampaign } from '../../../src/campaign/index.ts'
import { Pace } from '../../../src/campaign/pace.ts'
import { CertifyClient, CertifyError, type Fetch } from '../../../src/index.ts'
import type { Ledger, SharedPace } from '../../../src/ledger/index.ts'
import { MemoryPace } from './memory-pace.ts'
import { testPace } from './pace-rules.ts'
import { all, guardedSetting, QUIZ, standingClock } from './setting.ts'

/* They send hundreds of rows each. */
vi.setConfig({ testTimeout: 30_000 })

testPace(async () => {
  const clock = standingClock()
  return { forRun: new MemoryPace(clock.now).forRun, advance: clock.advance }
})

type Fault = (run: number, isCreate: boolean, at: number) => Response | undefined

/** Several runs of the same rows, on one ledger, as several processes are. */
async function fleet(
  rows: number,
  options: readonly RunOptions[],
  fault: Fault = () => undefined,
  shares: (pace: SharedPace) => SharedPace = (pace) => pace,
) {
  const { mock, ledger, clock } = await guardedSetting()
  const pace = new MemoryPace(clock.now)
  const shared = { value: () => shares(pace.forRun()) }
  const began = clock.now()
  const creates: { run: number; at: number }[] = []
  const probes: { run: number; at: number }[] = []
  const results = await Promise.all(
    options.map(async (each, run) => {
      const fetch: Fetch = async (url, init) => {
        const isCreate = init.body.includes('mutation')
        const at = clock.now() - began
        ;(isCreate ? creates : probes).push({ run, at })
        const answer = fault(run, isCreate, at)
        await new Promise((resolve) => setImmediate(resolve))
        return answer ?? mock.fetch(url, init)
      }
      const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch })
      const own = Object.create(ledger, { shared }) as Ledger
      const campaign = Array.from({ length: rows }, (_, index) => ({
        input: { quizId: QUIZ, candidate: { email: `c${index}@example.com` } },
      }))
      const plan = await planCampaign(campaign, { client, ledger: own, account: 'acme', world: mock.worldId })
      const events = await all<CampaignEvent>(runCampaign(plan, each))
      plan.close()
      const last = events.at(-1)
      if (last?.type !== 'finished') throw new Error('the summary has to come last')
      return { ...last.summary, events }
    }),
  )
  const invited = mock.invites.map(({ candidate }) => candidate.email)
  expect(new Set(invited).size).toBe(invited.length)
  return { results, creates, probes, invited, turns: pace.turns.map((turn) => turn - began), clock }
}

const each = (count: number, options: RunOptions = {}) => Array.from({ length: count }, () => options)
const unavailable = () => new Response(null, { status: 503 })

test('runs that share a ledger share the rows: each is sent once, and every run tells what became of all', async () => {
  const { results, invited, creates } = await fleet(450, each(3, { concurrency: 4 }))
  expect([invited.length, creates.length]).toEqual([450, 450])
  for (const { counts, remaining } of results) {
    expect(counts.created + counts.already_invited).toBe(450)
    expect([remaining, counts.created > 50]).toEqual([0, true])
  }
  expect(results.reduce((sum, { counts }) => sum + counts.created, 0)).toBe(450)
})

test('one run alone sends every row, in an order of its own', async () => {
  const { results, invited } = await fleet(350, each(1))
  expect([results[0]?.counts.created, results[0]?.remaining]).toEqual([350, 0])
  expect(invited).not.toEqual(
    invited.toSorted((one, other) => Number.parseInt(one.slice(1), 10) - Number.parseInt(other.slice(1), 10)),
  )
})

test('one rate counts for all runs together', async () => {
  const { creates, turns } = await fleet(60, each(3, { concurrency: 4, ratePerSecond: 10 }))
  expect(creates).toHaveLength(60)
  const sorted = turns.toSorted((one, other) => one - other)
  for (let index = 1; index < sorted.length; index += 1)
    expect((sorted[index] ?? 0) - (sorted[index - 1] ?? 0)).toBeGreaterThanOrEqual(100)
})

test('a Retry-After that one run gets pauses all, and each of them says so', async () => {
  let limitedAt = 0
  const { results, creates } = await fleet(300, each(3, { concurrency: 2 }), (_run, isCreate, at) => {
    if (!isCreate || limitedAt > 0) return undefined
    limitedAt = at + 1
    return new Response(null, { status: 429, headers: { 'retry-after': '20' } })
  })
  const early = creates.filter(({ at }) => at < 20_000)
  /* Those that were on their way when it came, and no others. */
  expect(early.length).toBeLessThanOrEqual(6)
  for (const { events, counts } of results) {
    expect(counts.created + counts.already_invited).toBe(300)
    expect(events.filter(({ type }) => type === 'pause')).toEqual([
      expect.objectContaining({ waitMs: expect.toSatisfy((ms: number) => ms > 19_000 && ms <= 20_000) }),
    ])
  }
})

test('a run that may not wait so long ends, when another one is asked to wait', async () => {
  let isLimited = false
  const options = [{ concurrency: 1 }, { concurrency: 1, maxWaitMs: 5_000 }]
  const { results } = await fleet(300, options, (run, isCreate) => {
    if (!isCreate || run !== 0 || isLimited) return undefined
    isLimited = true
    return new Response(null, { status: 429, headers: { 'retry-after': '20' } })
  })
  expect(results[0]?.remaining).toBe(0)
  expect(results[1]).toMatchObject({ stopped: 'error', error: { code: 'RATE_LIMITED', outcome: 'not-executed' } })
})

test('in an outage one run probes for all, and all go on when a create is answered', async () => {
  const isDown = (at: number) => at >= 1_000 && at < 60_000
  const { results, creates, probes } = await fleet(
    300,
    each(3, { concurrency: 2, ratePerSecond: 20 }),
    (_run, _isCreate, at) => (isDown(at) ? unavailable() : undefined),
  )
  const during = probes.filter(({ at }) => isDown(at))
  expect(during.length).toBeGreaterThan(3)
  expect(new Set(during.map(({ run }) => run)).size).toBe(1)
  /* What was on its way, of all runs. */
  expect(creates.filter(({ at }) => isDown(at)).length).toBeLessThanOrEqual(6)
  for (const { remaining, counts, events } of results) {
    expect([remaining, counts.unknown <= 6]).toEqual([0, true])
    expect(events.some((event) => event.type === 'outage' && event.state === 'over')).toBe(true)
  }
  expect(new Set(creates.filter(({ at }) => at >= 60_000).map(({ run }) => run)).size).toBe(3)
})

test('if the run that probes ends, another one goes on', async () => {
  const isDown = (at: number) => at >= 1_000 && at < 60_000
  const stopping = new AbortController()
  const { results, probes } = await fleet(
    300,
    [0, 1, 2]
      .map(() => ({ concurrency: 2, ratePerSecond: 20, maxOutageMs: 300_000, signal: stopping.signal }))
      .map((options, run) => (run === 0 ? { ...options, maxOutageMs: 10_000 } : options)),
    (_run, _isCreate, at) => (isDown(at) ? unavailable() : undefined),
  )
  const during = probes.filter(({ at }) => isDown(at))
  expect(results.filter(({ remaining }) => remaining === 0).length).toBe(2)
  expect(results[0]?.stopped).toBe('error')
  expect(during.at(-1)?.run).not.toBe(0)
})

test('a pause of this run is not told again as one of another run, when the pause of all began a moment later', async () => {
  const clock = standingClock()
  const shared = new MemoryPace(clock.now).forRun()
  const told: number[] = []
  const slow: SharedPace = {
    ...shared,
    pauseFor: async (ms) => {
      clock.advance(300)
      await shared.pauseFor(ms)
      clock.advance(300)
    },
  }
  const pace = new Pace(clock, undefined, { pace: slow, onPause: (waitMs) => told.push(waitMs), onOutage: () => {} })
  await pace.pauseFor(5_000)
  expect(await pace.waitForTurn(new AbortController().signal)).toBe(true)
  expect((await shared.read()).pausedMs).toBe(0)
  expect(told).toEqual([])
})

test('if what is shared cannot be read, nothing is sent', async () => {
  const lost = new CertifyError({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed', message: 'gone' })
  const gone = async () => Promise.reject(lost)
  const broken = (pace: SharedPace): SharedPace => ({ ...pace, read: gone, takeTurn: gone })
  for (const options of [{}, { ratePerSecond: 10 }]) {
    const { results, creates } = await fleet(20, each(2, options), undefined, broken)
    expect(creates).toEqual([])
    for (const { stopped, error, remaining } of results)
      expect({ stopped, code: error?.code, remaining }).toEqual({
        stopped: 'error',
        code: 'LEDGER_UNUSABLE',
        remaining: 20,
      })
  }
})
