import * as z from 'zod/mini'
import { BODYLESS_STATUSES } from './bodyless-statuses.ts'
import { durationSchema, given, isPlainObject, object, parseWith } from './error-messages.ts'

/** The names that a rule may use: operations, keys, and the types of events as they are sent. */
export interface RuleSubjects {
  readonly operations: readonly string[]
  readonly keys: readonly string[]
  /** `null`: any. */
  readonly events: readonly string[] | null
}

/** Throws one error that names everything that is wrong with a rule. */
export function assertRule(rule: unknown, subjects: RuleSubjects): void {
  const isForCallbacks = 'event' in Object(rule)
  const { times }: { times?: unknown } = Object(rule)
  const inJson = times === Infinity ? { ...Object(rule), times: null } : rule
  parseWith(isForCallbacks ? callbackRule(subjects) : requestRule(subjects), inJson, 'This fault is not valid')
}

/** A rule for requests, as JSON: without `Infinity`. */
export function requestRule({ operations, keys }: Omit<RuleSubjects, 'events'>) {
  const { email, ...counts } = common
  const rule = object('a rule', {
    operation: z.optional(z.enum(operations, `operation is one of ${operations.join(', ')}`)),
    key: z.optional(z.nullable(z.enum(keys, `key is the name of a key: ${keys.join(', ')}; or null`))),
    email,
    phase: z.optional(z.enum(['before', 'after'], 'phase is before or after')),
    ...counts,
    fault: z.optional(fault),
    script: script(fault),
  })
  return rule.check(
    ...wholeRule<z.output<typeof rule>>(),
    z.refine(({ phase, fault: one, script: many }) => phase === 'after' || ![one, many].flat().some(takesResult), {
      error: 'there is no result before the effect: it takes phase after',
      when: isPlainObject,
    }),
  )
}

/** A rule for attempts to deliver callbacks, as JSON. */
export function callbackRule({ events }: Pick<RuleSubjects, 'events'>) {
  const types = ['any', ...(events ?? [])]
  const rule = object('a rule for callbacks', {
    event: events === null ? z.string() : z.enum(types, `event is ${types.join(', ')}`),
    ...common,
    fault: z.optional(callbackFault),
    script: script(callbackFault),
  })
  return rule.check(...wholeRule<z.output<typeof rule>>())
}

const TIMES = 'times is a whole number, 1 or more, or Infinity'
const SKIP = 'skip is a whole number, 0 or more'
const PROBABILITY = 'probability is a number above 0 and at most 1'

const common = {
  email: z.optional(z.string('email is a string')),
  skip: z.optional(z.int(SKIP).check(z.gte(0, SKIP))),
  times: z.optional(z.nullable(z.int(TIMES).check(z.gte(1, TIMES)))),
  probability: z.optional(z.number(PROBABILITY).check(z.gt(0, PROBABILITY), z.lte(1, PROBABILITY))),
}

function wholeRule<Rule extends { times?: unknown; fault?: unknown; script?: unknown }>() {
  return [
    z.refine<Rule>(({ times, script: many }) => times === undefined || many === undefined, {
      error: 'times goes with fault, a script has its own length',
      when: isPlainObject,
    }),
    z.refine<Rule>(({ fault: one, script: many }) => (one === undefined) !== (many === undefined), {
      error: 'exactly one of fault and script is needed',
      when: isPlainObject,
    }),
  ] as const
}

function script<Fault extends z.ZodMiniType>(entry: Fault) {
  const error = 'script is a list with entries'
  return z.optional(z.array(z.union([z.literal('ok'), entry]), error).check(z.minLength(1, error)))
}

const FAULTS = ['cut', 'reset', 'hang', 'stall', 'truncate'] as const

const badStatus = (issue: { input?: unknown }): string =>
  `a status is a whole number from 200 to 599, not ${given(issue)}`

const status = z
  .number({ error: badStatus })
  .check(z.multipleOf(1, { error: badStatus }), z.gte(200, { error: badStatus }), z.lte(599, { error: badStatus }))

const noHeader = (name: unknown): string => `${JSON.stringify(name)} is no header that an answer can have`

const headers = z
  .record(z.string(), z.string({ error: ({ path }) => noHeader(path?.at(-1)) }), 'headers is an object')
  .check((payload) => {
    for (const [name, value] of Object.entries(payload.value)) {
      const isSound = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\u0020-\u007e]*$/.test(value)
      // The runtimes set these headers. A body that is shorter than announced is the fault `truncate`.
      const isFraming = /^(content-length|transfer-encoding|connection)$/i.test(name)
      if (!isSound || isFraming) payload.issues.push({ code: 'custom', input: value, message: noHeader(name) })
    }
  })

const answer = object('an answer', {
  status,
  headers: z.optional(headers),
  body: z.optional(z.string('body is a string')),
}).check(
  z.refine((each) => !BODYLESS_STATUSES.has(each.status) || (each.body ?? '') === '', {
    error: ({ input }) => `an answer with status ${Object(input).status} has no body`,
  }),
)

const graphqlError = object('an error', {
  code: z.string('code is a string that is not empty').check(z.minLength(1, 'code is a string that is not empty')),
  data: z.optional(z.enum(['absent', 'null', 'result'], 'data is absent, null or result')),
})

const DELAY = 'delayMs is a number, 0 or more, or two of them'
const delayMs = z.number(DELAY).check(z.gte(0, DELAY))

const late = object('a delay', {
  delayMs: z.union(
    [delayMs, z.tuple([delayMs]), z.tuple([delayMs, delayMs]).check(z.refine(([from, to]) => from <= to, DELAY))],
    DELAY,
  ),
})

const fault = z.union([z.enum(FAULTS), status, late, graphqlError, answer], {
  error: (issue) =>
    'delay' in Object(issue.input)
      ? 'a request is delayed by delayMs; delay is for callbacks'
      : `${given(issue)} is no fault: those are a status, ${FAULTS.join(', ')}, and objects with status, code or delayMs`,
})

const CALLBACK_FAULTS = [
  ...(['refuse', 'drop', 'duplicate', 'reorder', 'forged', 'truncated', 'huge'] as const),
  ...(['bad-signature', 'stale-timestamp'] as const),
]

const callbackFault = z.union(
  [
    z.enum(CALLBACK_FAULTS),
    object('a fault', {
      delay: durationSchema((issue) => `delay is a length of time such as '30s', at most 365000d, not ${given(issue)}`),
    }),
  ],
  { error: (issue) => `${given(issue)} is no fault of a callback: those are ${CALLBACK_FAULTS.join(', ')}, { delay }` },
)

function takesResult(entry: unknown): boolean {
  return Object(entry).data === 'result'
}
