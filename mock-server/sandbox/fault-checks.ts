import { BODYLESS_STATUSES } from '../api/exchange.ts'
import { type CallbackFaultRule, type FaultRule, OPERATIONS } from '../contract/fault-rules.ts'
import { durationMs } from '../world/clock.ts'

/** What a rule may speak of: the names of keys, and the types of events as they are sent. */
export interface Surroundings {
  readonly keys: readonly string[]
  readonly events: readonly string[]
}

/** Throws one error that names everything that keeps a rule from being played. */
export function assertPlayable(rule: FaultRule | CallbackFaultRule, surroundings: Surroundings): void {
  const problems = isObject(rule) ? ruleProblems(rule, surroundings) : ['a rule is an object']
  if (problems.length > 0) throw new Error(`This fault cannot be played: ${problems.join('; ')}.`)
}

function ruleProblems(rule: Unchecked, { keys, events }: Surroundings): string[] {
  const { email, skip = 0, times, probability, fault, script } = rule
  const entries = Array.isArray(script) ? script.filter((entry) => entry !== 'ok') : []
  const faults = fault === undefined ? entries : [fault, ...entries]
  return [
    ...('event' in rule ? callbackProblems(rule, events) : requestProblems(rule, keys)),
    ...failed([
      [email === undefined || typeof email === 'string', 'email is a string'],
      [skip === 0 || isCount(skip), 'skip is a whole number, 0 or more'],
      [
        [undefined, null, Infinity].includes(times as null) || isCount(times),
        'times is a whole number, 1 or more, or Infinity',
      ],
      [times === undefined || script === undefined, 'times goes with fault, a script has its own length'],
      [isProbability(probability), 'probability is a number above 0 and at most 1'],
      [(fault === undefined) !== (script === undefined), 'exactly one of fault and script is needed'],
      [script === undefined || (Array.isArray(script) && script.length > 0), 'script is a list with entries'],
    ]),
    ...faults.flatMap((entry) =>
      'event' in rule ? callbackFaultProblems(entry) : faultProblems(entry, rule['phase']),
    ),
  ]
}

function requestProblems(rule: Unchecked, keyNames: readonly string[]): string[] {
  const { operation, key, phase = 'before' } = rule
  return [
    ...unknownKeys('a rule', rule, 'operation key email phase skip times probability fault script'),
    ...failed([
      [operation === undefined || isOneOf(operation, OPERATIONS), `operation is one of ${OPERATIONS.join(', ')}`],
      [key === undefined || isOneOf(key, keyNames), `key is the name of a key: ${keyNames.join(', ')}`],
      [isOneOf(phase, ['before', 'after']), 'phase is before or after'],
    ]),
  ]
}

function callbackProblems(rule: Unchecked, events: readonly string[]): string[] {
  const { event } = rule
  return [
    ...unknownKeys('a rule for callbacks', rule, 'event email skip times probability fault script'),
    ...failed([[isOneOf(event, ['any', ...events]), `event is any, ${events.join(', ')}`]]),
  ]
}

function callbackFaultProblems(fault: unknown): string[] {
  if (isObject(fault)) return [...unknownKeys('a fault', fault, 'delay'), ...delayProblems(fault['delay'])]
  return failed([
    [
      isOneOf(fault, CALLBACK_FAULTS),
      `${JSON.stringify(fault)} is no fault of a callback: those are ${CALLBACK_FAULTS.join(', ')}, { delay }`,
    ],
  ])
}

const CALLBACK_FAULTS = ['refuse', 'drop', 'duplicate', 'reorder', 'bad-signature', 'stale-timestamp']

function delayProblems(delay: unknown): string[] {
  try {
    durationMs(delay as number)
    return []
  } catch {
    return [`delay is a length of time such as '30s', not ${JSON.stringify(delay)}`]
  }
}

function faultProblems(fault: unknown, phase: unknown): string[] {
  if (typeof fault === 'number') return answerProblems({ status: fault })
  if (isObject(fault)) {
    if ('delayMs' in fault) return latencyProblems(fault)
    if ('delay' in fault) return ['a request is delayed by delayMs; delay is for callbacks']
    return 'code' in fault ? errorProblems(fault, phase) : answerProblems(fault)
  }
  const said = `${JSON.stringify(fault)} is no fault: those are a status, ${FAULTS.join(', ')}, and objects with status, code or delayMs`
  return failed([[isOneOf(fault, FAULTS), said]])
}

const FAULTS = ['cut', 'reset', 'hang', 'stall', 'truncate']

function latencyProblems(fault: Unchecked): string[] {
  const times = [fault['delayMs']].flat()
  const inOrder = times.every((time) => typeof time === 'number' && time >= 0) && times.length <= 2
  return [
    ...unknownKeys('a delay', fault, 'delayMs'),
    ...failed([
      [inOrder && Number(times[0]) <= Number(times.at(-1)), 'delayMs is a number, 0 or more, or two of them'],
    ]),
  ]
}

function answerProblems(answer: Unchecked): string[] {
  const { status, headers = {}, body = '' } = answer
  const inRange = isCount(status) && status >= 200 && status <= 599
  const bodyless = inRange && BODYLESS_STATUSES.has(status)
  return [
    ...unknownKeys('an answer', answer, 'status headers body'),
    ...failed([
      [inRange, `a status is a whole number from 200 to 599, not ${JSON.stringify(status)}`],
      [typeof body === 'string', 'body is a string'],
      [!bodyless || body === '', `an answer with status ${JSON.stringify(status)} has no body`],
      [isObject(headers), 'headers is an object'],
      ...Object.entries(Object(headers)).map(headerCheck),
    ]),
  ]
}

function headerCheck([name, value]: readonly [string, unknown]): Check {
  const sound = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === 'string' && /^[\t\u0020-\u007e]*$/.test(value)
  // The runtimes measure bodies themselves; an answer that is shorter than announced is `truncate`.
  const framing = /^(content-length|transfer-encoding|connection)$/i.test(name)
  return [sound && !framing, `${JSON.stringify(name)} is no header that an answer can be given`]
}

function errorProblems(error: Unchecked, phase: unknown): string[] {
  const { code, data = 'absent' } = error
  return [
    ...unknownKeys('an error', error, 'code data'),
    ...failed([
      [typeof code === 'string' && code !== '', 'code is a string that is not empty'],
      [isOneOf(data, ['absent', 'null', 'result']), 'data is absent, null or result'],
      [data !== 'result' || phase === 'after', 'there is no result before the effect: it takes phase after'],
    ]),
  ]
}

type Unchecked = Readonly<Record<string, unknown>>

/** What has to hold, and what is said where it does not. */
type Check = readonly [holds: boolean, problem: string]

function failed(checks: readonly Check[]): string[] {
  return checks.filter(([holds]) => !holds).map(([, problem]) => problem)
}

function unknownKeys(what: string, value: Unchecked, known: string): string[] {
  const unknown = Object.keys(value).filter((key) => !known.split(' ').includes(key))
  return failed([[unknown.length === 0, `${what} has no ${unknown.join(', ')}, only ${known.replaceAll(' ', ', ')}`]])
}

function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOneOf(value: unknown, values: readonly string[]): boolean {
  return typeof value === 'string' && values.includes(value)
}

function isProbability(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value > 0 && value <= 1)
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1
}
