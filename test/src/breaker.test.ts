import { expect, test } from 'vitest'
import { CertifyError, type CertifyErrorCode, type Outcome } from '../../src/index.ts'
import { BreakerState, type Permit } from '../../src/transport/breaker-state.ts'

const errorOf = (code: CertifyErrorCode, outcome: Outcome = 'not-executed', retryAfterMs?: number) =>
  new CertifyError({ code, outcome, retryAfterMs, message: 'no' })
const lost = errorOf('SERVER_FAULT', 'unknown')
const unsent = errorOf('UNREACHABLE')

/** Each step is a create that begins (its name), one that ends, a probe that ends, or time that passes. */
type Step =
  | { readonly begin: string; readonly is: 'sent' | 'wait' | 'probe' | number }
  | { readonly end: string; readonly with?: CertifyError | null; readonly is?: 'opened' | 'closed' }
  | { readonly probed: CertifyError | undefined }
  | { readonly passMs: number }

const begin = (name: string, is: 'sent' | 'wait' | 'probe' | number = 'sent'): Step => ({ begin: name, is })
const fails = (name: string, error: CertifyError | null = lost, is?: 'opened'): Step => ({
  end: name,
  with: error,
  ...(is && { is }),
})
const succeeds = (name: string, is?: 'closed'): Step => ({ end: name, ...(is && { is }) })
const OPEN = [begin('a'), begin('b'), fails('a'), fails('b', lost, 'opened')]
const HALF_OPEN = [...OPEN, begin('c', 'probe'), { probed: undefined }, begin('c')]

test.each<[string, readonly Step[]]>([
  ['nothing is limited while every create is conclusive', [begin('a'), succeeds('a'), begin('b'), begin('c')]],
  [
    'creates in flight and inconclusive ones never exceed those in flight when the first failed',
    [begin('a'), begin('b'), fails('a'), begin('c', 'wait'), succeeds('b'), begin('c'), begin('d', 'wait')],
  ],
  [
    'only a conclusive create that began after the failure ends the limit',
    [begin('a'), begin('b'), begin('c'), fails('a'), succeeds('b'), begin('d'), begin('e', 'wait'), succeeds('d')],
  ],
  [
    'once all are inconclusive, one caller probes and the others wait',
    [...OPEN, begin('c', 'probe'), begin('d', 'wait')],
  ],
  [
    'between failed probes the pause doubles from half a second, and nobody waits for it',
    [
      ...OPEN,
      begin('c', 'probe'),
      { probed: unsent },
      begin('c', 500),
      { passMs: 400 },
      begin('c', 100),
      { passMs: 100 },
      begin('c', 'probe'),
      { probed: errorOf('SERVER_FAULT') },
      begin('c', 1000),
    ],
  ],
  [
    'a probe waits as long as the service asks, after a create and after a probe',
    [
      begin('a'),
      fails('a', errorOf('SERVER_FAULT', 'unknown', 7000), 'opened'),
      begin('b', 7000),
      { passMs: 7000 },
      begin('b', 'probe'),
      { probed: errorOf('RATE_LIMITED', 'not-executed', 60_000) },
      begin('b', 60_000),
    ],
  ],
  ['a refused probe is a response', [...OPEN, begin('c', 'probe'), { probed: errorOf('FORBIDDEN') }, begin('c')]],
  [
    'a probe that its caller ended says nothing: the next caller probes at once',
    [...OPEN, begin('c', 'probe'), { probed: errorOf('ABORTED') }, begin('d', 'probe')],
  ],
  [
    'after a response one create is sent, then two, then four',
    [
      ...HALF_OPEN,
      begin('d', 'wait'),
      succeeds('c', 'closed'),
      begin('d'),
      begin('e'),
      begin('f', 'wait'),
      succeeds('d'),
      begin('f'),
      begin('g'),
      begin('h'),
      begin('i', 'wait'),
    ],
  ],
  [
    'after a lost half-open create the pause doubles from five seconds',
    [
      ...HALF_OPEN,
      fails('c'),
      begin('d', 5000),
      { passMs: 5000 },
      begin('d', 'probe'),
      { probed: undefined },
      begin('d'),
      fails('d'),
      begin('e', 10_000),
    ],
  ],
  ['a half-open create that was not sent costs no pause', [...HALF_OPEN, fails('c', unsent), begin('d', 'probe')]],
  [
    'a half-open create that was rate limited says nothing',
    [...HALF_OPEN, fails('c', errorOf('RATE_LIMITED')), begin('d')],
  ],
  [
    'a refused create is conclusive',
    [...HALF_OPEN, { ...fails('c', errorOf('UNAUTHENTICATED')), is: 'closed' } as Step],
  ],
  ['a create that is not sent after all frees its place', [...HALF_OPEN, fails('c', null), begin('d')]],
  [
    'a clock that was set back delays no probe',
    [...OPEN, begin('c', 'probe'), { probed: unsent }, { passMs: -9e9 }, begin('c', 500)],
  ],
])('the circuit breaker: %s', (_rule, steps) => {
  const breaker = new BreakerState()
  const permits = new Map<string, Permit>()
  let now = Date.parse('2030-01-01T00:00:00Z')
  const seen: unknown[] = []
  for (const step of steps) {
    if ('passMs' in step) now += step.passMs
    else if ('probed' in step) breaker.probed(step.probed, now)
    else if ('begin' in step) {
      const admission = breaker.admit(now)
      if (typeof admission === 'object') permits.set(step.begin, admission)
      seen.push({ ...step, is: typeof admission === 'object' ? 'sent' : admission })
    } else {
      const outage = breaker.ended(permits.get(step.end) ?? { after: 0 }, step.with, now)
      const is = outage && (outage === breaker.outage ? 'opened' : 'closed')
      seen.push({ ...step, is })
    }
  }
  expect(seen).toEqual(steps.filter((step) => 'begin' in step || 'end' in step))
})

/* What a create says about the service if it ends with this code and was not executed. */
const MEANINGS = {
  UNREACHABLE: 'inconclusive',
  TIMED_OUT: 'inconclusive',
  RATE_LIMITED: 'neither',
  CREDENTIALS_UNAVAILABLE: 'neither',
  CONFIG_INVALID: 'neither',
  INPUT_INVALID: 'neither',
  ALREADY_INVITED: 'neither',
  CLOCK_SKEW: 'neither',
  IN_PROGRESS: 'neither',
  LEDGER_UNUSABLE: 'neither',
  PRIOR_OUTCOME_UNKNOWN: 'neither',
  REFERENCE_CONFLICT: 'neither',
  /* Nothing was sent. */
  ABORTED: 'neither',
  SERVICE_UNAVAILABLE: 'neither',
  API_ERROR: 'conclusive',
  BAD_USER_INPUT: 'conclusive',
  CONNECTION_LOST: 'conclusive',
  FORBIDDEN: 'conclusive',
  NOT_FOUND: 'conclusive',
  REDIRECT_REFUSED: 'conclusive',
  RESPONSE_MISMATCHED: 'conclusive',
  RESPONSE_UNEXPECTED: 'conclusive',
  RESPONSE_UNREADABLE: 'conclusive',
  SERVER_FAULT: 'conclusive',
  UNAUTHENTICATED: 'conclusive',
} as const satisfies Record<CertifyErrorCode, string>

test.each(Object.entries(MEANINGS) as [CertifyErrorCode, string][])(
  'to the circuit breaker, %s without an executed create is %s, and with an unknown outcome it is inconclusive',
  (code, meaning) => {
    expect(meaningOf(errorOf(code))).toBe(meaning)
    expect(meaningOf(errorOf(code, 'unknown'))).toBe('inconclusive')
  },
)

test('to the circuit breaker, an executed create is conclusive, whatever else went wrong', () => {
  expect(meaningOf(errorOf('RESPONSE_UNEXPECTED', 'executed'))).toBe('conclusive')
})

/* How a half-open create ends decides what happens to the next one. */
function meaningOf(error: CertifyError) {
  const breaker = new BreakerState()
  const admitted = () => breaker.admit(0) as Permit
  breaker.ended(admitted(), lost, 0)
  expect(breaker.admit(0)).toBe('probe')
  breaker.probed(undefined, 0)
  if (breaker.ended(admitted(), error, 0) !== undefined) return 'conclusive'
  return typeof breaker.admit(0) === 'object' ? 'neither' : 'inconclusive'
}
