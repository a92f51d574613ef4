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

/**
 * Reads steps. `abc`: three creates begin, and are sent. `d:wait`, `d:probe`, `d:500`: one may not be sent, but must
 * wait, or probe, now or in 500 ms. `+ab`: two end conclusively; `+a:closed`: and the outage ends. `-a` is lost, `~a`
 * was not sent, `-a:opened` begins an outage. `8ok`: eight in a row are conclusive. `500ms` pass. `probed`: the probe
 * got a response.
 */
function stepsIn(text: string): Step[] {
  return text.split(' ').flatMap((word): Step[] => {
    const read = /^(?:(-?[\de]+)(ms|ok)|([+~-]?)([a-z]+)(?::(\w+))?)$/.exec(word)
    if (read === null) throw new Error(`no step: ${word}`)
    const [, count, unit, sign = '', names = '', is] = read
    if (unit === 'ms') return [{ passMs: Number(count) }]
    if (unit === 'ok') return stepsIn(Array.from({ length: Number(count) }, () => 'z +z').join(' '))
    if (names === 'probed') return [{ probed: undefined }]
    if (sign === '') return Array.from(names, (begin) => ({ begin, is: (Number(is) || is || 'sent') as 'sent' }))
    const end = (name: string) => ({ end: name, ...ENDS[sign], is: is as 'opened' })
    return Array.from(names, end)
  })
}

const ENDS: Readonly<Record<string, { readonly with: CertifyError }>> = { '-': { with: lost }, '~': { with: unsent } }
const RESPONSE = 'y:probe probed'
const OPEN = 'ab -a -b:opened'
const HALF_OPEN = `${OPEN} ${RESPONSE} c`
const FIRST_LOST = `a -a:opened ${RESPONSE} z +z:closed`
/* A create that is lost while others are remembered, and the pause that follows. */
const lostAgain = (...pauses: readonly number[]) =>
  pauses.map((ms) => `x -x:opened y:${ms} ${ms - 1}ms y:1 1ms ${RESPONSE} z +z:closed`).join(' ')

test.each<[rule: string, ...steps: (string | Step)[]]>([
  ['nothing is limited while every create is conclusive', 'a +a bcdefghijk'],
  ['an inconclusive create halves how many may be in flight', 'abcde -a +bc f:wait +d f g:wait'],
  [
    'of the creates that were in flight together, each further inconclusive one takes one place',
    'abcdefgh -abc +defgh ij k:wait',
  ],
  ['without a place left it opens, and a probe is due at once', 'abcd -ab -c:opened e:probe -d e:probe'],
  ['as many conclusive creates as may be in flight double it', 'abcd -a +bcd ef g:wait +e g h:wait +f hij k:wait'],
  ['an inconclusive create in between begins that count again', 'abcdefgh -a +cdefgh ij +i -b kl +kl mn o:wait'],
  [
    'a conclusive create that began before the last inconclusive one proves nothing',
    'abcdef -a +bcdef ghi j:wait',
    { outage: { since: START, unknown: 1 } },
  ],
  [
    'a create that is lost while another is remembered opens it, however many are in flight',
    'abcdefghij -a +bcdefghij klm +k -l:opened n:1000',
  ],
  [
    'each round of lost creates that is remembered doubles the pause, from one second',
    `${FIRST_LOST} ${lostAgain(1000, 2000, 4000)}`,
  ],
  [
    'no pause is longer than five minutes',
    FIRST_LOST,
    lostAgain(...Array.from({ length: 9 }, (_each, index) => 1000 * 2 ** index), 300_000),
  ],
  [
    'a round is remembered once, however many of it are lost; eight conclusive creates forget it',
    'abcdefgh -abc +defgh 8ok ijklmnopqr',
  ],
  ['seven conclusive creates in a row do not forget a round', `${FIRST_LOST} 6ok a -a:opened b:1000`],
  [
    'eight conclusive creates in a row forget one round of several',
    `${FIRST_LOST} ${lostAgain(1000)} 7ok ${lostAgain(1000)} 15ok a -a:opened b:probe`,
  ],
  [
    'with nothing remembered any more, a lost create is the first one again',
    `${FIRST_LOST} 7ok abcdefg -a +bcdefg hij k:wait`,
  ],
  ['creates that were not sent are not remembered', `a ~a:opened ${RESPONSE} b +b:closed c -c:opened d:probe`],
  [
    'creates that were not sent limit it until eight in a row are conclusive',
    'abc ~a +bc 7ok defghijk l:wait +d lmnopq',
  ],
  [
    'the first lost create of a round is remembered, if the round began with one that was not sent',
    `${FIRST_LOST} 3ok abcd ~a -b:opened e:1000`,
  ],
  [
    'a create that is lost long after the rest of its round begins a round of its own',
    'abcd -a +bc 8ok efghi -d +efg j k:wait',
  ],
  [
    'between failed probes the pause doubles from half a second up to thirty',
    `${OPEN} c:probe`,
    { probed: unsent },
    'c:500 400ms c:100 100ms c:probe',
    { probed: errorOf('SERVER_FAULT') },
    'c:1000',
    ...[2000, 4000, 8000, 16_000, 30_000, 30_000].flatMap((ms) => ['60000ms c:probe', { probed: unsent }, `c:${ms}`]),
    { outage: { failures: 8, error: unsent, unknown: 2, openSince: START } },
  ],
  [
    'a probe waits as long as the service asks, after a create or a probe, but five minutes at most',
    'a',
    { end: 'a', with: errorOf('SERVER_FAULT', 'unknown', 7000), is: 'opened' },
    'b:7000 7000ms b:probe',
    { probed: errorOf('RATE_LIMITED', 'not-executed', 60_000) },
    'b:60000 60000ms b:probe',
    { probed: errorOf('SERVER_FAULT', 'not-executed', 3_600_000) },
    'b:300000',
  ],
  ['a refused probe is a response', `${OPEN} c:probe`, { probed: errorOf('FORBIDDEN') }, 'c'],
  [
    'a probe that fails on this side says nothing: the next caller probes at once',
    `${OPEN} c:probe`,
    { probed: errorOf('CREDENTIALS_UNAVAILABLE') },
    'd:probe',
    { outage: { failures: 0, error: lost } },
  ],
  [
    'after a response one create is sent, then two, then four',
    `${HALF_OPEN} d:wait +c:closed`,
    { outage: undefined },
    'de f:wait +de fghi j:wait',
  ],
  [
    'after a lost half-open create the pause doubles from five seconds',
    `${HALF_OPEN} -c d:5000 5000ms ${RESPONSE} d -d e:10000`,
    { outage: { lost: 2, unsent: 0, unknown: 4, failures: 0, since: START, openSince: START + 5000 } },
  ],
  [
    'a half-open create that was not sent costs no pause',
    `${HALF_OPEN} ~c d:probe`,
    { outage: { lost: 0, unsent: 1, unknown: 2 } },
  ],
  [
    'a half-open create that was rate limited says nothing',
    HALF_OPEN,
    { end: 'c', with: errorOf('RATE_LIMITED') },
    'd',
    { outage: { unsent: 0 } },
  ],
  ['a refused create is conclusive', HALF_OPEN, { end: 'c', with: errorOf('UNAUTHENTICATED'), is: 'closed' }],
  ['a create that is not sent after all frees its place', HALF_OPEN, { end: 'c', with: null }, 'd e:wait'],
  [
    'what was sent before the response to a probe takes no place, and neither opens nor closes it',
    `abcdef -abc -d:opened ${RESPONSE} h -e +f`,
    { outage: { unknown: 5, lost: 0 } },
    'i:wait +h:closed ij k:wait',
  ],
  [
    'what was sent before the response to a probe begins no outage after the end of the last one',
    `abc -a -b:opened ${RESPONSE} d +d:closed -c`,
    { outage: undefined },
    'ef g:wait',
  ],
  [
    'creates that are lost while it is open neither open it again nor count as half-open',
    'abcd -ab -c:opened -d e:probe',
    { outage: { unknown: 4, lost: 0 } },
  ],
  [
    'a clock that was set back delays no probe beyond its pause',
    `${OPEN} c:probe`,
    { probed: unsent },
    '-9e9ms c:500 500ms c:probe',
  ],
])('the circuit breaker: %s', (_rule, ...script) => {
  const steps = script.flatMap((each) => (typeof each === 'string' ? stepsIn(each) : [each]))
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
