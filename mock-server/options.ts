import { DEFAULT_DIALECT, type Dialect } from './contract/behaviour-switches.ts'
import type { MockServerOptions } from './contract/options.ts'
import { durationMs } from './world/clock.ts'
import { SCOPES } from './world/model.ts'

/** Throws one error that names everything in the options that is not one of them, or cannot be what it is. */
export function assertOptions(options: MockServerOptions): void {
  const { world = {}, callbacks = {}, dialect = {} } = options
  const problems = [
    ...unknown('the mock', options, 'baseUrl seed world dialect now callbacks'),
    ...unknown('world', world, 'quizzes tracks candidates apiKeys'),
    ...unknown('callbacks', callbacks, 'deliver hosts allow timeoutMs'),
    ...unknown('the dialect', dialect, Object.keys(DEFAULT_DIALECT).join(' ')),
    ...Object.entries(callbacks.hosts ?? {}).flatMap(([from, to]) => [
      ...failed(isOrigin(from), `callbacks.hosts: ${JSON.stringify(from)} is no origin such as https://app.example`),
      ...failed(isOrigin(to), `callbacks.hosts: ${JSON.stringify(to)} is no origin such as http://127.0.0.1:3000`),
    ]),
    ...Object.entries(dialect).flatMap(([name, value]: [string, unknown]) => {
      const rule = (RULES as Partial<Record<string, Rule>>)[name]
      return rule && value !== undefined ? failed(rule.holds(value), `dialect.${name} has to be ${rule.text}`) : []
    }),
  ]
  if (problems.length > 0) throw new Error(`These options cannot be played: ${problems.join('; ')}.`)
}

interface Rule {
  readonly text: string
  readonly holds: (value: unknown) => boolean
}

/** What each switch of the dialect can be set to. */
const RULES: Record<keyof Dialect, Rule> = {
  candidateIdentity: oneOf('normalised-email', 'exact-email'),
  candidateName: oneOf('optional', 'required'),
  pendingInvite: oneOf('allow', 'refuse', 'return-existing'),
  certificationValidity: or(oneOf('two-years', 'never-expires'), "a length of time such as '90d'", isDuration),
  runningAttempt: oneOf('continues', 'ends'),
  disabledQuizLinks: oneOf('stay-open', 'withdrawn'),
  followUpOffer: or(oneOf('once'), 'a function', (value) => typeof value === 'function'),
  unknownIdCode: oneOf('BAD_USER_INPUT', 'NOT_FOUND'),
  searchResult: oneOf('whole-track', 'matching-packages'),
  undeliverableTrack: oneOf('kept', 'omitted'),
  nullSendInviteEmail: oneOf('sends', 'refused'),
  invalidInputCode: { text: 'a code', holds: (value) => typeof value === 'string' && value !== '' },
  severalReasons: oneOf('all', 'first'),
  bothCredentials: oneOf('api-key', 'session'),
  sessionScopes: or(oneOf('all'), `a list of ${SCOPES.join(', ')}`, (value) => isListOf(value, isScope)),
  unauthenticatedAnswer: oneOf('graphql-200', 'graphql-401', 'html-401', 'graphql-200-without-code'),
  forbiddenAnswer: oneOf('graphql-200', 'graphql-403', 'html-403', 'graphql-200-without-code'),
  errorCodePlace: oneOf('extensions', 'top-level', 'none'),
  errorStatus: oneOf(200, 400),
  refusedData: oneOf('null', 'partial'),
  rateLimit: or(oneOf('none'), "{ requests, per }, such as { requests: 10, per: '1m' }", isRateLimit),
  callbackRetries: { text: "a list of lengths of time such as '30s'", holds: (value) => isListOf(value, isDuration) },
  givenUpCallback: oneOf('stall', 'skip'),
  eventNames: { text: 'an object of names', holds: (value) => isListOf(Object.values(Object(value)), isText) },
  callbackSigning: or(oneOf('none'), "{ standardWebhooks: 'whsec_' and base64 }", isSigning),
}

function oneOf(...values: readonly (string | number)[]): Rule {
  return { text: values.join(', '), holds: (value) => values.some((each) => each === value) }
}

function or(rule: Rule, text: string, holds: Rule['holds']): Rule {
  return { text: `${rule.text}, or ${text}`, holds: (value) => rule.holds(value) || holds(value) }
}

function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => holds(item))
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isScope(value: unknown): boolean {
  return SCOPES.some((scope) => scope === value)
}

function isDuration(value: unknown): boolean {
  try {
    durationMs(value as number)
    return true
  } catch {
    return false
  }
}

function isRateLimit(value: unknown): boolean {
  const { requests, per }: { requests?: unknown; per?: unknown } = Object(value)
  return Number.isInteger(requests) && Number(requests) >= 0 && isDuration(per)
}

function isSigning(value: unknown): boolean {
  const { standardWebhooks }: { standardWebhooks?: unknown } = Object(value)
  return typeof standardWebhooks === 'string' && /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(standardWebhooks)
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

function unknown(what: string, value: object, known: string): string[] {
  const names = known.split(' ')
  return Object.keys(value)
    .filter((name) => !names.includes(name))
    .map((name) => `${what} has no ${name}; there are ${names.join(', ')}`)
}

function failed(holds: boolean, problem: string): string[] {
  return holds ? [] : [problem]
}
