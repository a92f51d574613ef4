import { expect, test } from 'vitest'
import { CertifyError, type CertifyErrorCode } from '../../src/index.ts'
import { CircuitBreaker, type Waiting } from '../../src/transport/breaker.ts'
import type { Permit } from '../../src/transport/breaker-state.ts'

const errorOf = (code: CertifyErrorCode, outcome: 'unknown' | 'not-executed' = 'not-executed') =>
  new CertifyError({ code, outcome, status: 503, message: 'no' })

/** A clock that stands still until `pass` lets time pass. */
function steppedClock() {
  let elapsed = 0
  /* What the time of day is ahead of it. */
  let aheadMs = Date.parse('2030-01-01T00:00:00Z')
  const timers = new Set<{ readonly at: number; readonly ring: () => void }>()
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    elapsed: () => elapsed,
    now: () => elapsed + aheadMs,
    random: () => 0.5,
    startTimer(ms: number, ring: () => void) {
      const timer = { at: elapsed + ms, ring }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    setBack: (ms: number) => {
      aheadMs -= ms
    },
    settle,
    armed: () => timers.size,
    async pass(ms: number) {
      elapsed += ms
      for (const timer of timers) if (timer.at <= elapsed && timers.delete(timer)) timer.ring()
      await settle()
    },
  }
}

/** A breaker that has opened, and what asks it. */
async function openBreaker() {
  const clock = steppedClock()
  const breaker = new CircuitBreaker(clock)
  const queries: { readonly signal: AbortSignal; readonly end: (error?: CertifyError) => void; readonly by: string }[] =
    []
  const waiting = (by: string, limits: Partial<Waiting> = {}): Waiting => ({
    operation: 'invites.create',
    runtime: clock,
    endsAt: clock.elapsed() + 60_000,
    timeoutMs: 30_000,
    probeMs: 30_000,
    probe: (signal) =>
      new Promise((resolve, reject) => {
        const end = (error?: CertifyError) => (error === undefined ? resolve(undefined) : reject(error))
        queries.push({ signal, end, by })
        signal.addEventListener('abort', () => reject(errorOf('ABORTED')))
      }),
    ...limits,
  })
  const answer = async (error?: CertifyError) => {
    queries.at(-1)?.end(error)
    await clock.settle()
  }
  /* Who asks, and what they have got so far. */
  const seen: Record<string, Permit | CertifyError | undefined> = {}
  const ask = async (by: string, limits?: Partial<Waiting>) => {
    const got = (what: Permit | CertifyError | undefined) => {
      seen[by] = what
    }
    void breaker.admit(waiting(by, limits)).then(got, got)
    await clock.settle()
  }
  await ask('first')
  const lost = breaker.record(seen['first'] as Permit, Promise.reject(errorOf('SERVER_FAULT', 'unknown')), {})
  await expect(lost).rejects.toThrow('no')
  delete seen['first']
  return { breaker, clock, queries, seen, ask, answer }
}

const PERMIT = { after: expect.any(Number) as number }
const REFUSED = { code: 'SERVICE_UNAVAILABLE', outcome: 'not-executed', retryable: true, retryAfterMs: 1000 }

test('one query serves all who wait, and then one create is sent', async () => {
  const { queries, seen, ask } = await openBreaker()
  for (const by of ['a', 'b', 'c']) await ask(by)
  expect([queries.map(({ by }) => by), seen]).toEqual([['a'], {}])
  queries[0]?.end()
  await expect.poll(() => seen).toMatchObject({ a: PERMIT })
  expect(Object.keys(seen)).toEqual(['a'])
})

test('whoever waits is sent when a create has ended, in the order of asking', async () => {
  const { breaker, clock, seen, ask, answer } = await openBreaker()
  for (const by of ['a', 'b', 'c', 'd']) await ask(by)
  await answer()
  breaker.release(seen['a'] as Permit)
  await clock.settle()
  expect(Object.keys(seen)).toEqual(['a', 'b'])
  await breaker.record(seen['b'] as Permit, Promise.resolve(), {})
  await clock.settle()
  expect(Object.keys(seen)).toEqual(['a', 'b', 'c', 'd'])
  expect(clock.armed()).toBe(0)
})

test('a create whose deadline ends does not end the query, and its response counts', async () => {
  const { clock, queries, seen, ask, answer } = await openBreaker()
  await ask('impatient', { endsAt: 100 })
  await ask('patient')
  await clock.pass(100)
  expect(seen).toMatchObject({ impatient: REFUSED })
  expect(seen['impatient']).toHaveProperty(
    'message',
    expect.stringMatching(/no clear response \(SERVER_FAULT\)\. Nothing was sent/),
  )
  await clock.pass(200)
  await answer()
  expect([queries.length, seen['patient']]).toMatchObject([1, PERMIT])
})

test('the query of a create that nobody waits for any more counts for the next one', async () => {
  const { clock, queries, seen, ask, answer } = await openBreaker()
  await ask('impatient', { endsAt: 100 })
  await clock.pass(100)
  expect(queries[0]?.signal.aborted).toBe(false)
  await answer(errorOf('SERVER_FAULT'))
  await ask('next')
  expect(seen['next']).toMatchObject({ ...REFUSED, retryAfterMs: 500 })
})

test('a create without any time left still sends the query that is due, for the next one', async () => {
  const { queries, seen, ask, answer } = await openBreaker()
  await ask('late', { endsAt: 0 })
  expect([queries.length, seen['late']]).toMatchObject([1, REFUSED])
  await answer()
  await ask('next')
  expect(seen['next']).toMatchObject(PERMIT)
})

test('if the query fails on the side of its client, only that client is told, and another one sends its own', async () => {
  const { queries, seen, ask, answer } = await openBreaker()
  for (const by of ['a', 'b']) await ask(by)
  await answer(errorOf('CREDENTIALS_UNAVAILABLE'))
  expect([queries.map(({ by }) => by), seen]).toMatchObject([['a', 'b'], { a: { code: 'CREDENTIALS_UNAVAILABLE' } }])
  await answer()
  expect(seen['b']).toMatchObject(PERMIT)
})

test('an abort ends the wait at once, and the query with the last one who waits', async () => {
  const { clock, queries, seen, ask } = await openBreaker()
  const [one, other] = [new AbortController(), new AbortController()]
  await ask('a', { signal: one.signal })
  await ask('b', { signal: other.signal })
  one.abort()
  await clock.settle()
  expect([Object.entries(seen), queries[0]?.signal.aborted]).toEqual([[['a', undefined]], false])
  other.abort()
  await clock.settle()
  expect([Object.keys(seen), queries[0]?.signal.aborted, clock.armed()]).toEqual([['a', 'b'], true, 0])
  await ask('c')
  expect(queries.map(({ by }) => by)).toEqual(['a', 'c'])
})

test('a query that never settles is replaced a second after its time, and what it still says does not count', async () => {
  const { clock, queries, seen, ask } = await openBreaker()
  await ask('a', { probeMs: 2000 })
  await clock.pass(2999)
  await ask('b')
  expect(queries).toHaveLength(1)
  await clock.pass(1)
  expect(queries).toHaveLength(2)
  queries[0]?.end()
  await clock.settle()
  expect(seen).toEqual({})
  queries[1]?.end()
  await clock.settle()
  expect(Object.values(seen)).toMatchObject([PERMIT])
})

test('while few may be in flight, a create with less time than the last response took is not sent, for five seconds', async () => {
  const { breaker, clock, seen, ask, answer } = await openBreaker()
  await ask('a')
  await clock.pass(300)
  await answer()
  breaker.release(seen['a'] as Permit)
  await ask('deadline', { endsAt: clock.elapsed() + 299 })
  await ask('timeout', { timeoutMs: 299 })
  for (const by of ['deadline', 'timeout']) {
    expect(seen[by]).toMatchObject({ ...REFUSED, hint: expect.stringContaining('deadlineMs') as string })
    expect(seen[by]).toHaveProperty('message', expect.stringMatching(/less time left than the service needs/))
  }
  await ask('enough', { endsAt: clock.elapsed() + 300, timeoutMs: 300 })
  expect(seen['enough']).toMatchObject(PERMIT)
  breaker.release(seen['enough'] as Permit)
  await clock.pass(4999)
  await ask('still', { timeoutMs: 299 })
  expect(seen['still']).toMatchObject(REFUSED)
  await clock.pass(1)
  await ask('later', { timeoutMs: 1 })
  expect(seen['later']).toMatchObject(PERMIT)
})

test('the time that a create took replaces what the query took, and nothing is refused once nothing is limited', async () => {
  const { breaker, clock, seen, ask, answer } = await openBreaker()
  await ask('a')
  await clock.pass(300)
  await answer()
  let end = () => {}
  const sent = new Promise<void>((resolve) => {
    end = resolve
  })
  const recorded = breaker.record(seen['a'] as Permit, sent, {})
  await clock.pass(50)
  end()
  await recorded
  await ask('short', { timeoutMs: 49 })
  expect(seen['short']).toMatchObject(REFUSED)
  for (let count = 1; count < 8; count += 1) {
    await ask('b', { timeoutMs: 50 })
    const more = breaker.record(seen['b'] as Permit, clock.pass(50), {})
    await more
  }
  await ask('short', { timeoutMs: 1 })
  expect(seen['short']).toMatchObject(PERMIT)
})

test('a create that has not ended at its deadline no longer takes a place: its runtime has ended it', async () => {
  const { breaker, clock, seen, ask, answer } = await openBreaker()
  await ask('gone', { endsAt: 1000 })
  await answer()
  await clock.pass(1000)
  await ask('waits', { endsAt: 1001 })
  expect(seen['waits']).toBeUndefined()
  await clock.pass(1)
  await ask('next')
  expect(seen).toMatchObject({ waits: REFUSED, next: PERMIT })
  expect(breaker.outage).toMatchObject({ unknown: 1 })
})

test('after a query that timed out, whoever has more time for one need not wait', async () => {
  const { queries, seen, ask, answer } = await openBreaker()
  await ask('a', { probeMs: 100 })
  await answer(errorOf('TIMED_OUT'))
  await ask('b', { probeMs: 100 })
  expect(seen['b']).toMatchObject({ ...REFUSED, retryAfterMs: 500 })
  await ask('c', { probeMs: 101 })
  expect(queries).toHaveLength(2)
  await answer(errorOf('SERVER_FAULT'))
  await ask('d', { probeMs: 102 })
  expect(seen['d']).toMatchObject({ ...REFUSED, retryAfterMs: 1000 })
})

test('whoever has rested through the pause may probe, even if the clock was set back, but not through a newer pause', async () => {
  const { breaker, clock, queries, seen, ask, answer } = await openBreaker()
  const pauseOf = async (by: string) => {
    await ask(by)
    await answer(errorOf('SERVER_FAULT'))
    return (seen[by] as CertifyError).retryAfterMs ?? 0
  }
  const signal = new AbortController().signal
  const rest = breaker.rest(await pauseOf('a'), signal)
  clock.setBack(3_600_000)
  await clock.pass(500)
  await rest
  await ask('b')
  expect(queries).toHaveLength(2)
  await answer(errorOf('SERVER_FAULT'))
  const longer = breaker.rest(1000, signal)
  const stop = new AbortController()
  const stopped = breaker.rest(2000, stop.signal)
  await clock.pass(999)
  stop.abort()
  await stopped
  await ask('c')
  expect(seen['c']).toMatchObject({ retryAfterMs: 1 })
  const outdated = breaker.rest(1, signal)
  await clock.pass(1)
  await Promise.all([longer, outdated])
  expect(await pauseOf('d')).toBe(2000)
})

test('the hooks learn of an outage that opened it and of its end, once each', async () => {
  const { breaker, seen, ask, answer } = await openBreaker()
  const events: unknown[] = []
  const hooks = {
    onBreakerOpened: (event: object) => events.push({ opened: event }),
    onBreakerClosed: (event: object) => events.push({ closed: event }),
  }
  await ask('a')
  await answer()
  await breaker.record(seen['a'] as Permit, Promise.resolve(), hooks)
  await ask('b')
  await breaker.record(seen['b'] as Permit, Promise.reject(errorOf('SERVER_FAULT', 'unknown')), hooks).catch(() => {})
  const event = { since: '2030-01-01T00:00:00.000Z', unknown: 1, code: 'SERVER_FAULT', status: 503 }
  expect(events).toEqual([{ closed: event }, { opened: event }])
  expect(breaker.responses).toBe(2)
})

test('a create ends as its request did, and one without a permit changes nothing', async () => {
  const { breaker } = await openBreaker()
  expect(await breaker.record(undefined, Promise.resolve('an invite'), {})).toBe('an invite')
  expect(breaker.responses).toBe(0)
})
