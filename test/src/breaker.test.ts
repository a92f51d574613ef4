import { expect, test } from 'vitest'
import { CertifyError, type CertifyErrorCode, type Outcome } from '../../src/index.ts'
import { BreakerState, type Outage, type Permit } from '../../src/transport/breaker-state.ts'

const errorOf = (code: CertifyErrorCode, outcome: Outcome = 'not-executed', retryAfterMs?: number) =>
  new CertifyError({ code, outcome, retryAfterMs, message: 'no' })
const lost = errorOf('SERVER_FAULT', 'unknown')
const unsent = errorOf('UNREACHABLE')
const START = Date.parse('2030-01-01T00:00:00Z')

/** Each step is a create that begins (its name), one that ends, a probe that ends, time that passes, or the outage as it is then. */
type Step =
  | { readonly begin: string; readonly is: 'sent' | 'wait' | 'probe' | number }
  | { readonly end: string; readonly with?: CertifyError | null; readonly is?: 'opened' | 'closed' | undefined }
  | { readonly probed: CertifyError | undefined }
  | { readonly passMs: number }
  | { readonly outage: Partial<Outage> | undefined }

const begin = (name: string, is: 'sent' | 'wait' | 'probe' | number = 'sent'): Step => ({ begin: name, is })
const begins = (names: string): Step[] => Array.from(names, (name) => begin(name))
const fails = (name: string, error: CertifyError | null = lost, is?: 'opened' | 'closed'): Step => ({
  end: name,
  with: error,
  is,
})
const succeeds = (name: string, is?: 'closed'): Step => ({ end: name, is })
const succeed = (names: string): Step[] => Array.from(names, (name) => succeeds(name))
/* One after another, all conclusive. */
const inRow = (count: number): Step[] => Array.from({ length: count }, () => [begin('ok'), succeeds('ok')]).flat()
const RESPONSE: Step[] = [begin('due', 'probe'), { probed: undefined }]
const OPEN = [...begins('ab'), fails('a'), fails('b', lost, 'opened')]
const HALF_OPEN = [...OPEN, ...RESPONSE, begin('c')]
/* One after another: a create that is lost while others are remembered, and the pause that follows. */
const lostAgain = (pauseMs: number): Step[] => [
  begin('again'),
  fails('again', lost, 'opened'),
  begin('due', pauseMs),
  { passMs: pauseMs - 1 },
  begin('due', 1),
  { passMs: 1 },
  ...RESPONSE,
  begin('ok'),
  succeeds('ok', 'closed'),
]
const FIRST_LOST = [begin('a'), fails('a', lost, 'opened'), ...RESPONSE, begin('ok'), succeeds('ok', 'closed')]

test.each<[string, readonly Step[]]>([
  ['nothing is limited while every create is conclusive', [...begins('a'), succeeds('a'), ...begins('bcdefghijk')]],
  [
    'an inconclusive create halves how many may be in flight',
    [
      ...begins('abcde'),
      fails('a'),
      ...succeed('bc'),
      begin('f', 'wait'),
      succeeds('d'),
      begin('f'),
      begin('g', 'wait'),
    ],
  ],
  [
    'of the creates that were in flight together, each further inconclusive one takes one place',
    [
      ...begins('abcdefgh'),
      ...['a', 'b', 'c'].map((name) => fails(name)),
      ...succeed('defgh'),
      ...begins('ij'),
      begin('k', 'wait'),
    ],
  ],
  [
    'without a place left it opens, and a probe is due at once',
    [
      ...begins('abcd'),
      fails('a'),
      fails('b'),
      fails('c', lost, 'opened'),
      begin('e', 'probe'),
      fails('d'),
      begin('e', 'probe'),
    ],
  ],
  [
    'as many conclusive creates as may be in flight double it',
    [
      ...begins('abcd'),
      fails('a'),
      ...succeed('bcd'),
      ...begins('ef'),
      begin('g', 'wait'),
      succeeds('e'),
      begin('g'),
      begin('h', 'wait'),
      succeeds('f'),
      ...begins('hij'),
      begin('k', 'wait'),
    ],
  ],
  [
    'an inconclusive create in between begins that count again',
    [
      ...begins('abcdefgh'),
      fails('a'),
      ...succeed('cdefgh'),
      ...begins('ij'),
      succeeds('i'),
      fails('b'),
      ...begins('kl'),
      ...succeed('kl'),
      ...begins('mn'),
      begin('o', 'wait'),
    ],
  ],
  [
    'a conclusive create that began before the last inconclusive one proves nothing',
    [
      ...begins('abcdef'),
      fails('a'),
      ...succeed('bcdef'),
      ...begins('ghi'),
      begin('j', 'wait'),
      { outage: { since: START, unknown: 1 } },
    ],
  ],
  [
    'a create that is lost while another is remembered opens it, however many are in flight',
    [
      ...begins('abcdefghij'),
      fails('a'),
      ...succeed('bcdefghij'),
      ...begins('klm'),
      succeeds('k'),
      fails('l', lost, 'opened'),
      begin('n', 1000),
    ],
  ],
  [
    'each round of lost creates that is remembered doubles the pause, from one second',
    [...FIRST_LOST, ...lostAgain(1000), ...lostAgain(2000), ...lostAgain(4000)],
  ],
  [
    'no pause is longer than five minutes',
    [
      ...FIRST_LOST,
      ...Array.from({ length: 9 }, (_each, index) => lostAgain(1000 * 2 ** index)).flat(),
      ...lostAgain(300_000),
    ],
  ],
  [
    'a round is remembered once, however many of it are lost; eight conclusive creates forget it',
    [
      ...begins('abcdefgh'),
      ...['a', 'b', 'c'].map((name) => fails(name)),
      ...succeed('defgh'),
      ...inRow(8),
      ...begins('ijklmnopqr'),
    ],
  ],
  [
    'seven conclusive creates in a row do not forget a round',
    [...FIRST_LOST, ...inRow(6), begin('a'), fails('a', lost, 'opened'), begin('b', 1000)],
  ],
  [
    'eight conclusive creates in a row forget one round of several',
    [
      ...FIRST_LOST,
      ...lostAgain(1000),
      ...inRow(7),
      ...lostAgain(1000),
      ...inRow(15),
      begin('a'),
      fails('a', lost, 'opened'),
      begin('b', 'probe'),
    ],
  ],
  [
    'with nothing remembered any more, a lost create is the first one again',
    [
      ...FIRST_LOST,
      ...inRow(7),
      ...begins('abcdefg'),
      fails('a'),
      ...succeed('bcdefg'),
      ...begins('hij'),
      begin('k', 'wait'),
    ],
  ],
  [
    'creates that were not sent are not remembered',
    [
      begin('a'),
      fails('a', unsent, 'opened'),
      ...RESPONSE,
      begin('b'),
      succeeds('b', 'closed'),
      begin('c'),
      fails('c', lost, 'opened'),
      begin('d', 'probe'),
    ],
  ],
  [
    'creates that were not sent limit it until eight in a row are conclusive',
    [
      ...begins('abc'),
      fails('a', unsent),
      ...succeed('bc'),
      ...inRow(7),
      ...begins('defghijk'),
      begin('l', 'wait'),
      succeeds('d'),
      ...begins('lmnopq'),
    ],
  ],
  [
    'the first lost create of a round is remembered, if the round began with one that was not sent',
    [...FIRST_LOST, ...inRow(3), ...begins('abcd'), fails('a', unsent), fails('b', lost, 'opened'), begin('e', 1000)],
  ],
  [
    'a create that is lost long after the rest of its round begins a round of its own',
    [
      ...begins('abcd'),
      fails('a'),
      ...succeed('bc'),
      ...inRow(8),
      ...begins('efghi'),
      fails('d'),
      ...succeed('efg'),
      begin('j'),
      begin('k', 'wait'),
    ],
  ],
  [
    'between failed probes the pause doubles from half a second up to thirty',
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
      ...[2000, 4000, 8000, 16_000, 30_000, 30_000].flatMap((ms): Step[] => [
        { passMs: 60_000 },
        begin('c', 'probe'),
        { probed: unsent },
        begin('c', ms),
      ]),
      { outage: { failures: 8, error: unsent, unknown: 2, openSince: START } },
    ],
  ],
  [
    'a probe waits as long as the service asks, after a create or a probe, but five minutes at most',
    [
      begin('a'),
      fails('a', errorOf('SERVER_FAULT', 'unknown', 7000), 'opened'),
      begin('b', 7000),
      { passMs: 7000 },
      begin('b', 'probe'),
      { probed: errorOf('RATE_LIMITED', 'not-executed', 60_000) },
      begin('b', 60_000),
      { passMs: 60_000 },
      begin('b', 'probe'),
      { probed: errorOf('SERVER_FAULT', 'not-executed', 3_600_000) },
      begin('b', 300_000),
    ],
  ],
  ['a refused probe is a response', [...OPEN, begin('c', 'probe'), { probed: errorOf('FORBIDDEN') }, begin('c')]],
  [
    'a probe that fails on this side says nothing: the next caller probes at once',
    [
      ...OPEN,
      begin('c', 'probe'),
      { probed: errorOf('CREDENTIALS_UNAVAILABLE') },
      begin('d', 'probe'),
      { outage: { failures: 0, error: lost } },
    ],
  ],
  [
    'after a response one create is sent, then two, then four',
    [
      ...HALF_OPEN,
      begin('d', 'wait'),
      succeeds('c', 'closed'),
      { outage: undefined },
      ...begins('de'),
      begin('f', 'wait'),
      ...succeed('de'),
      ...begins('fghi'),
      begin('j', 'wait'),
    ],
  ],
  [
    'after a lost half-open create the pause doubles from five seconds',
    [
      ...HALF_OPEN,
      fails('c'),
      begin('d', 5000),
      { passMs: 5000 },
      ...RESPONSE,
      begin('d'),
      fails('d'),
      begin('e', 10_000),
      { outage: { lost: 2, unsent: 0, unknown: 4, failures: 0, since: START, openSince: START + 5000 } },
    ],
  ],
  [
    'a half-open create that was not sent costs no pause',
    [...HALF_OPEN, fails('c', unsent), begin('d', 'probe'), { outage: { lost: 0, unsent: 1, unknown: 2 } }],
  ],
  [
    'a half-open create that was rate limited says nothing',
    [...HALF_OPEN, fails('c', errorOf('RATE_LIMITED')), begin('d'), { outage: { unsent: 0 } }],
  ],
  ['a refused create is conclusive', [...HALF_OPEN, fails('c', errorOf('UNAUTHENTICATED'), 'closed')]],
  [
    'a create that is not sent after all frees its place',
    [...HALF_OPEN, fails('c', null), begin('d'), begin('e', 'wait')],
  ],
  [
    'what was sent before the response to a probe takes no place, and neither opens nor closes it',
    [
      ...begins('abcdef'),
      ...['a', 'b', 'c'].map((name) => fails(name)),
      fails('d', lost, 'opened'),
      ...RESPONSE,
      begin('h'),
      fails('e'),
      succeeds('f'),
      { outage: { unknown: 5, lost: 0 } },
      begin('i', 'wait'),
      succeeds('h', 'closed'),
      ...begins('ij'),
      begin('k', 'wait'),
    ],
  ],
  [
    'what was sent before the response to a probe begins no outage after the end of the last one',
    [
      ...begins('abc'),
      fails('a'),
      fails('b', lost, 'opened'),
      ...RESPONSE,
      begin('d'),
      succeeds('d', 'closed'),
      fails('c'),
      { outage: undefined },
      ...begins('ef'),
      begin('g', 'wait'),
    ],
  ],
  [
    'creates that are lost while it is open neither open it again nor count as half-open',
    [
      ...begins('abcd'),
      fails('a'),
      fails('b'),
      fails('c', lost, 'opened'),
      fails('d'),
      begin('e', 'probe'),
      { outage: { unknown: 4, lost: 0 } },
    ],
  ],
  [
    'a clock that was set back delays no probe beyond its pause',
    [
      ...OPEN,
      begin('c', 'probe'),
      { probed: unsent },
      { passMs: -9e9 },
      begin('c', 500),
      { passMs: 500 },
      begin('c', 'probe'),
    ],
  ],
])('the circuit breaker: %s', (_rule, steps) => {
  const breaker = new BreakerState()
  const permits = new Map<string, Permit>()
  let now = START
  const seen: unknown[] = []
  for (const step of steps) {
    if ('passMs' in step) now += step.passMs
    else if ('probed' in step) breaker.probed(step.probed, now)
    else if ('outage' in step) {
      const { outage } = breaker
      const names = Object.keys(step.outage ?? {}) as (keyof Outage)[]
      seen.push({ outage: outage && Object.fromEntries(names.map((name) => [name, outage[name]])) })
    } else if ('begin' in step) {
      const admission = breaker.admit(now)
      if (typeof admission === 'object') permits.set(step.begin, admission)
      seen.push({ ...step, is: typeof admission === 'object' ? 'sent' : admission })
    } else {
      const outage = breaker.ended(permits.get(step.end) as Permit, step.with, now)
      const is = outage && (outage === breaker.outage ? 'opened' : 'closed')
      seen.push({ ...step, is })
    }
  }
  expect(seen).toEqual(steps.filter((step) => 'begin' in step || 'end' in step || 'outage' in step))
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
  WRONG_SERVICE: 'neither',
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
  '%s is %s for the circuit breaker, but inconclusive with an unknown outcome',
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
