import * as z from 'zod/mini'
import type { CallbackFaultRule, FaultRule } from '../generated/contract.ts'
import { OPERATIONS, type OperationName } from '../generated/operations.ts'
import { EVENT_TYPES } from '../world/events.ts'
import { MAX_TIMER_MS } from './limits.ts'
import { durationSchema, isPlainObject, object, optional, optionalText, parseWith, typedAs } from './validation.ts'

/** Statuses of responses without a body. */
export const BODYLESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304])

const status = z.int().check(z.gte(200), z.lte(599))

const headers = z.record(z.string(), z.string()).check((payload) => {
  for (const [name, value] of Object.entries(payload.value)) {
    const isSound = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\u0020-\u007e]*$/.test(value)
    // The runtimes set these headers. A body that is shorter than announced is the fault `truncate`.
    const isFraming = /^(content-length|transfer-encoding|connection)$/i.test(name)
    const message = `${JSON.stringify(name)} is not a header that a response can have`
    if (!isSound || isFraming) payload.issues.push({ code: 'custom', input: value, message })
  }
})

const response = object('a response', {
  status: status.check(z.describe('The HTTP status: 200 to 599.')),
  headers: optional(headers, 'Its headers. Default: none.'),
  body: optionalText('Its body. Default: empty.'),
}).check(
  z.refine((each) => !BODYLESS_STATUSES.has(each.status) || (each.body ?? '') === '', {
    error: ({ input }) => `a response with status ${Object(input).status} has no body`,
  }),
)

const graphqlError = object('an error', {
  code: z.string().check(z.minLength(1), z.describe('The code of the error.')),
  data: optional(z.enum(['absent', 'null', 'result']), 'The data of the response. Default `absent`.'),
})

const late = object('a delay', {
  delayMs: z.number().check(z.gte(0), z.lte(MAX_TIMER_MS), z.describe('Milliseconds of real time.')),
})

const FAULTS = ['cut', 'reset', 'hang', 'stall', 'truncate'] as const

export const fault = z
  .union([status, z.enum(FAULTS), response, graphqlError, late], {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not a fault: faults are a status from 200 to 599, ${FAULTS.join(', ')}, and objects with status, code or delayMs`,
  })
  .check(
    z.describe(`What happens to one request.

- a number: an HTTP status with the HTML page of a gateway; 429 and 503 come without \`retry-after\`.
- \`cut\`: the connection ends without a response; \`reset\`: it is reset, as by a crash.
- \`hang\`: no response ever comes; the connection stays open until the client gives up.
- \`stall\`: status, headers and half of the body come, then nothing more.
- \`truncate\`: status, headers and half of the body come, then the connection ends.
- an object with \`status\`: exactly this response. \`mock.fetch\` returns a redirect and never follows it.
- an object with \`code\`: a GraphQL error, in the form that the behaviour switches set. Its \`data\` is absent (the default), null, or the true result, which exists only after the effect.
- an object with \`delayMs\`: the true response, this many milliseconds of real time after its effect, at most 2,147,483,647 (24 days).

Before the effect there is no true body: \`stall\` and \`truncate\` then send half of a GraphQL error.`),
  )

const CALLBACK_FAULTS = ['refuse', 'duplicate'] as const

export const callbackFault = z
  .union([z.enum(CALLBACK_FAULTS), object('a fault', { delay: durationSchema('How long it is postponed.') })], {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not a fault of a callback: those are ${CALLBACK_FAULTS.join(', ')}, { delay }`,
  })
  .check(
    z.describe(`What happens to one attempt to deliver a callback.

- \`refuse\`: the connection is refused; it is retried like any other failure.
- \`duplicate\`: it arrives twice.
- an object with \`delay\`: it is postponed for this long, on the world's clock.`),
  )

const counts = {
  probability: optional(
    z.number().check(z.gt(0), z.lte(1)),
    'The probability that a match is hit, above 0 and at most 1. The seed of the mock decides which ones are hit. With it, `times` is `Infinity` by default. Default 1.',
  ),
  times: z.optional(
    z.nullable(
      z
        .int()
        .check(
          z.gte(1),
          z.describe('How many matches `fault` hits: 1 or more, or `Infinity`, which is `null` in JSON. Default 1.'),
        ),
    ),
  ),
}

export const requestRule = object(
  'a rule',
  {
    operation: z.optional(
      typedAs<OperationName>(
        'OperationName',
        z
          .enum(OPERATIONS)
          .check(
            z.describe(
              'The operation that the request would execute, whatever name the client gives it. A request that cannot be executed matches none.',
            ),
          ),
      ),
    ),
    key: z.optional(
      z.nullable(
        z.string().check(z.describe("The name of the request's API key; `null`: requests without a known key.")),
      ),
    ),
    email: optionalText(
      'The address of the invited candidate, compared as the switch `candidateIdentity` says. Together with `operation`, both must match the same operation.',
    ),
    phase: optional(
      z.enum(['before', 'after']),
      '`before`, the default: nothing is executed. `after`: the request is executed, invites exist and e-mails are sent; the fault hits only the response.',
    ),
    ...counts,
    fault: z.optional(fault),
    script: script(fault),
  },
  'Which requests a fault hits, when, and how. A request must match every condition of the rule. A rule without conditions matches every request to the endpoint, even one that cannot be parsed.',
).check(
  ...wholeRule<FaultRule>(),
  z.refine(
    ({ phase, fault: one, script: many }) =>
      phase === 'after' || ![one, many].flat().some((each) => Object(each).data === 'result'),
    {
      error: 'there is no result before the effect: use phase after',
      when: isPlainObject,
    },
  ),
)

const EVENTS = ['any', ...EVENT_TYPES] as const

export const callbackRule = object(
  'a rule for callbacks',
  {
    event: z.enum(EVENTS).check(z.describe('The type of the event; `any` for all.')),
    email: optionalText('The address of the candidate, compared as the switch `candidateIdentity` says.'),
    ...counts,
    fault: z.optional(callbackFault),
    script: script(callbackFault),
  },
  'Which attempts to deliver a callback a fault hits, and how. It counts like rules for requests.',
).check(...wholeRule<CallbackFaultRule>())

/** The progress of a rule. */
export const faultProgress = z.object({
  id: z.string().check(z.describe('The identifier: unique in this mock until it is reset.')),
  hits: z.int().check(z.describe('How many requests, or attempts, it has hit.')),
  left: z
    .number()
    .check(z.describe('How many more it decides on, including those that it lets pass: 0 when it is used up.')),
})

/** A rule in the list, as JSON: `left` is null if it has no limit. */
export const faultRow = z.looseObject({ ...faultProgress.shape, left: z.nullable(z.int()) })

/** Throws one error that names everything that is wrong with a rule. `keys` are the names of the keys of the world. */
export function assertRule(rule: unknown, keys: readonly string[]): void {
  const { event, times, key }: { event?: unknown; times?: unknown; key?: unknown } = Object(rule)
  const inJson = times === Infinity ? { ...Object(rule), times: null } : rule
  parseWith(event === undefined ? requestRule : callbackRule, inJson, NOT_VALID)
  if (typeof key === 'string' && !keys.includes(key)) {
    throw new Error(`${NOT_VALID}: key is the name of a key: ${keys.join(', ')}; or null.`)
  }
}

const NOT_VALID = 'This fault is not valid'

function wholeRule<Rule extends { readonly times?: unknown; readonly fault?: unknown; readonly script?: unknown }>() {
  return [
    z.refine<Rule>(({ times, script: many }) => times === undefined || many === undefined, {
      error: 'times goes with fault; a script has its own length',
      when: isPlainObject,
    }),
    z.refine<Rule>(({ fault: one, script: many }) => (one === undefined) !== (many === undefined), {
      error: 'exactly one of fault and script is needed',
      when: isPlainObject,
    }),
  ] as const
}

function script<Fault extends z.ZodMiniType>(entry: Fault) {
  const entries = z.array(z.union([z.literal('ok'), entry]))
  const description = 'What happens to each match in turn, instead of `fault`; `ok` lets one pass.'
  return z.optional(entries.check(z.minLength(1), z.describe(description)))
}
