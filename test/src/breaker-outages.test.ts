import { expect, test } from 'vitest'
import { CertifyError, type Outcome } from '../../src/index.ts'
import { BreakerState, type Permit } from '../../src/transport/breaker-state.ts'
import { randomFrom } from '../exploration/hash.ts'

const failed = (outcome: Outcome) => new CertifyError({ code: 'SERVER_FAULT', outcome, message: 'no' })
const LATENCY_MS = 50
const JOBS = 1600
const SEEDS = [1, 2, 3, 4, 5]

/** A service, and a queue of creates for it. Times are milliseconds since the begin. */
interface Scenario {
  /** The share of creates that are lost at a time; and of queries that fail, if it differs. */
  readonly lostAt: (at: number) => number
  readonly failsAt?: (at: number) => number
  readonly workers?: number
  /** How often a job is added. */
  readonly everyMs?: number
}

/**
 * Works off all jobs, one event after another, each at its time. A job that was not sent is delivered again when the breaker says
 * so. Returns how many creates were lost, how many jobs have ended, and when the last one did.
 */
function workOff(scenario: Scenario, seed: number) {
  const { lostAt, failsAt = lostAt, workers = 10, everyMs = 25 } = scenario
  const breaker = new BreakerState()
  const random = randomFrom(seed)
  const events: { readonly at: number; readonly happen: () => void }[] = []
  const blocked: (() => void)[] = []
  let [now, idle, due, isProbing] = [0, workers, 0, false]
  const ended = { lost: 0, jobs: 0, at: 0 }
  const after = (ms: number, happen: () => void) => void events.push({ at: now + ms, happen })
  const deliver = () => {
    due += 1
    work()
  }
  const work = () => {
    for (; idle > 0 && due > 0; due -= 1) {
      idle -= 1
      attempt()
    }
  }
  const attempt = () => {
    const admission = breaker.admit(now)
    if (typeof admission === 'object') send(admission)
    else if (typeof admission === 'number') {
      idle += 1
      after(admission + 1000 * random(), deliver)
    } else {
      blocked.push(attempt)
      if (admission === 'probe' && !isProbing) probe()
    }
  }
  const send = (permit: Permit) => {
    const isLost = random() < lostAt(now)
    after(LATENCY_MS * (0.5 + random()), () => {
      breaker.ended(permit, isLost ? failed('unknown') : undefined, now)
      ended.lost += Number(isLost)
      ended.jobs += 1
      ended.at = now
      idle += 1
      unblock()
    })
  }
  const probe = () => {
    isProbing = true
    const isLost = random() < failsAt(now)
    after(LATENCY_MS, () => {
      isProbing = false
      breaker.probed(isLost ? failed('not-executed') : undefined, now)
      unblock()
    })
  }
  const unblock = () => {
    for (const again of blocked.splice(0)) again()
    work()
  }
  const add = (job: number) => {
    deliver()
    if (job < JOBS) after(everyMs, () => add(job + 1))
  }
  add(1)
  while (events.length > 0) {
    const next = events.reduce((first, each) => (each.at < first.at ? each : first))
    events.splice(events.indexOf(next), 1)
    now = next.at
    next.happen()
  }
  return ended
}

const during = (share: number, fromMs: number, untilMs: number) => (at: number) =>
  at >= fromMs && at < untilMs ? share : 0
const never = () => 0
const everyOther = (ms: number) => (at: number) => (at < 120_000 && Math.floor(at / ms) % 2 === 1 ? 1 : 0)

/* What it is, how many creates it costs at most, and the second by which all jobs have ended. The last one is added at second 40. */
test.each<[string, number, number, Scenario]>([
  ['a healthy service', 0, 41, { lostAt: never }],
  ['a complete outage', 3, 43, { lostAt: during(1, 2000, 22_000) }],
  ['a complete outage under load', 40, 40, { lostAt: during(1, 500, 20_500), workers: 40, everyMs: 1 }],
  ['a complete outage of ten minutes', 3, 620, { lostAt: during(1, 2000, 602_000) }],
  ['an outage of creates alone', 6, 50, { lostAt: during(1, 2000, 22_000), failsAt: never }],
  ['a tenth of creates lost for 30 seconds', 30, 60, { lostAt: during(0.1, 0, 30_000) }],
  ['a third of creates lost for 30 seconds', 20, 60, { lostAt: during(0.3, 0, 30_000) }],
  ['half of creates lost for 30 seconds', 15, 60, { lostAt: during(0.5, 0, 30_000) }],
  ['a third of creates lost, but no query', 20, 60, { lostAt: during(0.3, 0, 30_000), failsAt: never }],
  ['a third of creates lost under load', 20, 60, { lostAt: during(0.3, 0, 30_000), workers: 40, everyMs: 12 }],
  ['one in fifty creates lost for ever', 40, 50, { lostAt: () => 0.02 }],
  ['a third of creates lost for ten minutes', 60, 900, { lostAt: during(0.3, 0, 600_000) }],
  ['a service that fails for 5 seconds in 10', 15, 60, { lostAt: everyOther(5000) }],
])('%s costs at most %i of 1,600 creates, and all end within %i seconds', (_what, ...row) => {
  const [mostLost, seconds, scenario] = row
  for (const seed of SEEDS) {
    const { lost, jobs, at } = workOff(scenario, seed)
    expect(jobs).toBe(JOBS)
    expect(lost).toBeLessThanOrEqual(mostLost)
    expect(at).toBeLessThanOrEqual(seconds * 1000)
  }
})
