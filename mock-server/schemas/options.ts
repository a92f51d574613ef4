import * as z from 'zod/mini'
import { _default as byDefault } from 'zod/mini'
import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import type { MockServerOptions } from '../contract/options.ts'
import { SCOPES } from '../world/model.ts'
import { durationSchema, mustBe, object, parseWith } from './error-messages.ts'

/** Throws one error that names every unknown option and every wrong value. */
export function assertOptions(options: MockServerOptions): void {
  parseWith(mockOptions, options, 'These options are not valid')
}

/** Every behaviour switch: its setting, or its default. */
export function switchesWith(set: Partial<BehaviourSwitches> = {}): BehaviourSwitches {
  return parseWith(switches, set, 'These switches are not valid') as BehaviourSwitches
}

/** The first setting of a switch is its default. */
const switches = object('behaviour', {
  candidateIdentity: oneOf('normalised-email', 'exact-email'),
  internationalEmail: oneOf('refuse', 'accept'),
  candidateName: oneOf('optional', 'required'),
  pendingInvite: oneOf('allow', 'refuse', 'return-existing'),
  certificationValidity: or(['two-years', 'never-expires'], "a length of time such as '90d'", durationSchema()),
  runningAttempt: oneOf('continues', 'ends'),
  disabledQuizLinks: oneOf('stay-open', 'withdrawn'),
  followUpOffer: or(['once'], 'a function', z.custom(isFunction)),
  unknownIdCode: oneOf('BAD_USER_INPUT', 'NOT_FOUND'),
  searchResult: oneOf('whole-track', 'matching-packages'),
  undeliverableTrack: oneOf('kept', 'omitted'),
  nullDescriptions: oneOf('never', 'always'),
  nullSendInviteEmail: oneOf('sends', 'refused'),
  invalidInputCode: other('BAD_USER_INPUT', 'a code', z.string().check(z.minLength(1))),
  severalReasons: oneOf('all', 'first'),
  bothCredentials: oneOf('api-key', 'session'),
  sessionScopes: or(['all'], `a list of ${SCOPES.join(', ')}`, z.array(z.enum(SCOPES))),
  unauthenticatedAnswer: oneOf('graphql-200', 'graphql-401', 'html-401', 'graphql-200-without-code'),
  forbiddenAnswer: oneOf('graphql-200', 'graphql-403', 'html-403', 'graphql-200-without-code'),
  errorCodePlace: oneOf('extensions', 'top-level', 'none'),
  errorStatus: oneOf(200, 400),
  refusedData: oneOf('null', 'partial'),
  rateLimit: or(
    ['none'],
    "{ requests, per }, such as { requests: 10, per: '1m' }",
    z.object({ requests: z.int().check(z.gte(0)), per: durationSchema() }),
  ),
  callbackRetries: other(
    ['1s', '5s', '30s', '5m', '1h'],
    "a list of lengths of time such as '30s'",
    z.array(durationSchema()),
  ),
  givenUpCallback: oneOf('stall', 'skip'),
  eventNames: other({}, 'an object of names', z.record(z.string(), z.string())),
  callbackSigning: or(
    ['none'],
    "{ standardWebhooks: 'whsec_' and base64 }",
    z.object({ standardWebhooks: z.string().check(z.regex(/^(whsec_)?[A-Za-z0-9+/]+={0,2}$/)) }),
  ),
})

const part = z.optional(z.array(z.unknown()))

const mockOptions = object('the mock', {
  baseUrl: z.optional(z.string({ error: mustBe('a text') })),
  seed: z.optional(z.string({ error: mustBe('a text') })),
  world: z.optional(object('world', { quizzes: part, tracks: part, candidates: part, apiKeys: part })),
  behaviour: z.optional(switches),
  now: z.optional(z.union([z.string(), z.number(), z.date()], { error: mustBe('a time') })),
  callbacks: z.optional(
    object('callbacks', {
      deliver: z.optional(z.custom(isFunction, { error: mustBe('a function') })),
      hosts: z.optional(z.record(z.string(), z.string(), { error: mustBe('an object of origins') }).check(areOrigins)),
      allow: z.optional(z.array(z.string(), { error: mustBe('a list of host names') })),
      timeoutMs: z.optional(z.number({ error: mustBe('a number of milliseconds') })),
    }),
  ),
})

function oneOf<const Values extends readonly (string | number)[]>(...values: Values) {
  return byDefault(z.literal(values, { error: mustBe(values.join(', ')) }), values[0] as never)
}

/** One of these values, or what the schema accepts. */
function or(values: readonly [string, ...string[]], text: string, schema: z.ZodMiniType) {
  return other(values[0], `${values.join(', ')}, or ${text}`, z.union([z.literal(values), schema]))
}

/** What the schema accepts, with one message for everything that may be wrong. */
function other(value: unknown, text: string, schema: z.ZodMiniType) {
  const fits = (given: unknown): boolean => z.safeParse(schema, given, { jitless: true }).success
  return byDefault(z.custom(fits, { error: mustBe(text) }), value)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function areOrigins({ value, issues }: z.core.ParsePayload<Record<string, string>>): void {
  const refuse = (text: string, example: string): void => {
    if (/^https?:\/\//.test(text) && URL.canParse(text)) return
    const message = `callbacks.hosts: ${JSON.stringify(text)} is no origin such as ${example}`
    issues.push({ code: 'custom', input: text, message })
  }
  for (const [from, to] of Object.entries(value)) {
    refuse(from, 'https://app.example')
    refuse(to, 'http://127.0.0.1:3000')
  }
}
