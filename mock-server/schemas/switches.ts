import * as z from 'zod/mini'
import { _default as byDefault } from 'zod/mini'
import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import { SCOPES } from '../world/model.ts'
import { describeAs } from './json-schema.ts'
import { durationSchema, mustBe, object, parseWith } from './error-messages.ts'

/** Every behaviour switch: its setting, or its default. */
export function switchesWith(set: Partial<BehaviourSwitches> = {}): BehaviourSwitches {
  return copyOfSwitches(parseWith(switches, set, 'These switches are not valid') as BehaviourSwitches)
}

/** A copy that shares nothing with these switches. */
export function copyOfSwitches(behaviour: BehaviourSwitches): BehaviourSwitches {
  const { followUpOffer, ...others } = behaviour
  return { ...structuredClone(others), followUpOffer }
}

/** The first setting of a switch is its default. */
export const switches = object('behaviour', {
  candidateIdentity: oneOf('normalised-email', 'exact-email'),
  internationalEmail: oneOf('refuse', 'accept'),
  candidateName: oneOf('optional', 'required'),
  pendingInvite: oneOf('allow', 'refuse', 'return-existing'),
  certificationValidity: or(
    ['two-years', 'never-expires'],
    "a length of time such as '90d', at most 365000d",
    durationSchema(),
  ),
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
    "{ requests, per }, such as { requests: 10, per: '1m' }; per is at most 365000d",
    z.object({ requests: z.int().check(z.gte(0)), per: durationSchema() }),
  ),
  callbackRetries: other(
    ['1s', '5s', '30s', '5m', '1h'],
    "a list of lengths of time such as '30s', each at most 365000d",
    z.array(durationSchema()),
  ),
  givenUpCallback: oneOf('stall', 'skip'),
  eventNames: other({}, 'an object of names', z.record(z.string(), z.string())),
  callbackSigning: or(
    ['none'],
    "{ standardWebhooks: 'whsec_' and base64 }",
    z.object({ standardWebhooks: z.string().check(z.regex(/^(whsec_)?[A-Za-z0-9+/]+={0,2}$/), z.refine(isBase64)) }),
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
  const custom = z.custom(fits, { error: mustBe(text) })
  describeAs(custom, schema)
  return byDefault(custom, value)
}

/** Some lengths of text cannot be decoded. */
function isBase64(secret: string): boolean {
  try {
    return atob(secret.replace(/^whsec_/, '')) !== ''
  } catch {
    return false
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
