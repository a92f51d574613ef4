import type { Seen } from './responses.ts'
import type { Scenario } from './scenario.ts'

/** Something that a service may do and no client can detect: it denies what it did. */
export interface Assumption {
  readonly what: string
  readonly why: string
  /** What it excuses: an outcome `not-executed` of an executed create, or a second request for it. */
  readonly excuses: 'lie' | 'repeat'
  readonly holds: (seen: Seen, scenario: Scenario) => boolean
}

/**
 * Everything for which the client takes a service's word. Nothing else may make a create misreport or repeat.
 * docs/production.md has the same list. Beyond it: a service that responds twice to one request on a kept connection
 * responds to the next one as well. A ledger notices another candidate's invite.
 */
export const ASSUMPTIONS: readonly Assumption[] = [
  {
    what: 'a whole 4xx, but no 408 or 499, without `data` and without an error’s path',
    why: 'By HTTP the request was refused. A firewall’s page under 403 or 409 counts too, whoever wrote it.',
    excuses: 'lie',
    holds: ({ status, isWhole, text }) => isWhole && isRefusal(status) && wasNotBegun(text),
  },
  {
    what: 'a whole result of errors with the codes of refusals, without a path or with that of the field itself',
    why: 'Who refuses did nothing. The codes: FORBIDDEN, NOT_FOUND, BAD_USER_INPUT, UNAUTHENTICATED; RATE_LIMITED without `data`.',
    excuses: 'lie',
    holds: ({ status, isWhole, text }) => isWhole && !isRedirect(status) && wasRefused(text),
  },
  {
    what: 'a whole 2xx of errors without `data` and without a path',
    why: 'By GraphQL, a result without `data` is one of a request that was never executed.',
    excuses: 'lie',
    holds: ({ status, isWhole, text }) => isWhole && status < 300 && wasNotBegun(text) && errorsOf(text).length > 0,
  },
  {
    what: '301, 307, 308',
    why: 'The request belongs elsewhere. A 302 or 303 may point to the result of what was done.',
    excuses: 'lie',
    holds: ({ status }) => [301, 307, 308].includes(status),
  },
  {
    what: 'a whole 429 without `data` and without an error’s path',
    why: 'The request was not let in, and is sent again. `retry: false` sends a create once even then.',
    excuses: 'repeat',
    holds: ({ status, isWhole, text }) => isWhole && status === 429 && wasNotBegun(text),
  },
  {
    what: '421 with the global fetch of Node.js',
    why: 'It sends the request again by itself, below the client.',
    excuses: 'repeat',
    holds: ({ status }, { way }) => status === 421 && way.fetch === 'global',
  },
]

const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 499
const isRedirect = (status: number) => status >= 300 && status < 400

/* No GraphQL at all, or a result without `data` whose errors, if any, have no path. */
function wasNotBegun(text: string): boolean {
  const json = parse(text)
  if (json === BROKEN || Array.isArray(json)) return false
  return !isRecord(json) || (!('data' in json) && areErrors(json['errors'] ?? []) && errorsOf(text).every(hasNoPath))
}

/* Every error has a refusal code and comes from no deeper than the field, which has no result. */
function wasRefused(text: string): boolean {
  const json = parse(text)
  if (!isRecord(json) || !areErrors(json['errors']) || hasResult(json['data'])) return false
  return errorsOf(text).every((error) => {
    const { code } = isRecord(error['extensions']) ? error['extensions'] : {}
    const isRefused = REFUSALS.has(code) || (code === 'RATE_LIMITED' && !('data' in json))
    return isRefused && (hasNoPath(error) || isOneStep(error['path']))
  })
}

const REFUSALS = new Set<unknown>(['FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT', 'UNAUTHENTICATED'])

function hasResult(data: unknown): boolean {
  return isRecord(data) && Object.values(data).some((value) => value !== null)
}

/* The document has one field: a path with one step can mean nothing else. */
const isOneStep = (path: unknown) => Array.isArray(path) && path.length <= 1
const hasNoPath = ({ path }: Record<string, unknown>) => path === undefined || path === null

/** The errors of a GraphQL result, or none if it is not one. */
function errorsOf(text: string): readonly Record<string, unknown>[] {
  const json = parse(text)
  return isRecord(json) && areErrors(json['errors']) ? json['errors'] : []
}

function areErrors(errors: unknown): errors is readonly Record<string, unknown>[] {
  return Array.isArray(errors) && errors.every(isRecord)
}

const BROKEN = Symbol('begins like JSON and is none')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*[[{]/.test(text) ? BROKEN : undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
