import { isJson } from '../body.ts'
import type { FailureKind, OperationKind } from './failures.ts'
import type { GraphQLError, GraphQLResult } from './graphql.ts'
import type { HttpResponse } from './guarded-fetch.ts'

/** The meaning of a GraphQL response: a failure, or none if its data is what was expected. */
export interface Classified {
  readonly failure?: FailureKind
  readonly apiCode?: string | undefined
}

/** What a request expects of its response. */
export interface Expectation {
  readonly kind: OperationKind
  /** The only field of the operation; `undefined` for a caller's own document, which may have several. */
  readonly field?: string | undefined
}

/**
 * Classifies a response. Executed data comes first: with an error beside it, or a bad status, it was still created.
 * Then come the service's own codes, then the HTTP status. The text of a message never counts.
 */
export function classify(result: GraphQLResult, expected: Expectation): Classified {
  const { data, errors, response } = result
  const { ok, status } = response
  if (hasResult(data, expected.field)) {
    return ok && errors?.length === 0 ? {} : { failure: 'unexpected', apiCode: errors?.[0]?.code }
  }
  /* Only without the field: a gateway may add fields of its own. */
  if (hasResult(data) && expected.field !== undefined && !(expected.field in data)) return { failure: 'mismatched' }
  if (errors === undefined) return { failure: serverFaultBy(status) ?? 'unreadable' }
  if (errors.length > 0) return mostCautious(errors.map((error) => classifyError(error, status, data, expected)))
  if (!ok) return { failure: classifyStatus(response, data) }
  /* The schema of a query decides whether its result may be null. */
  const mayBeNull = expected.field === undefined || expected.kind === 'query'
  if (mayBeNull && typeof data === 'object' && data !== null) return {}
  return { failure: data === undefined ? 'unreadable' : 'unexpectedEmpty' }
}

/** Whether the field has a result: a list, an object, a value. Without a name: whether any field has one. */
function hasResult(data: unknown, field?: string): data is Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null) return false
  const results = field === undefined ? Object.values(data) : [(data as Record<string, unknown>)[field]]
  return results.some((result) => result !== null && result !== undefined)
}

type Failing = Required<Classified>

function classifyError({ code, place }: GraphQLError, status: number, data: unknown, expected: Expectation): Failing {
  const isCreate = expected.kind === 'mutation'
  if (isCreate && place === 'below') return { failure: 'failedBelow', apiCode: code }
  const hasBegun = data !== undefined || (isCreate && place !== 'none')
  if (status === 429 && !hasBegun) return { failure: 'rateLimited', apiCode: code }
  /* With several fields, those before the failed one may have been executed. */
  const isCertain = !isCreate || expected.field !== undefined || !hasBegun
  const known = code === undefined || !isCertain ? undefined : BY_CODE.get(code)
  /* With data, the limit applied during the execution: earlier steps may have taken effect. */
  const limitedLate = known === 'rateLimitedByCode' && data !== undefined
  if (known !== undefined && !limitedLate) return { failure: known, apiCode: code }
  const failure = serverFaultBy(status) ?? (hasBegun ? 'unexplained' : (refusalBy(status) ?? 'refused'))
  return { failure, apiCode: code }
}

/* If several errors disagree, the least certain one decides. */
function mostCautious(classified: readonly Failing[]): Classified {
  const uncertain = classified.find(({ failure }) => UNCERTAIN.has(failure))
  return uncertain ?? classified[0] ?? { failure: 'unreadable' }
}

const UNCERTAIN: ReadonlySet<FailureKind> = new Set(['failedBelow', 'serverFault', 'unexplained'])

const BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['UNAUTHENTICATED', 'unauthenticated'],
  ['FORBIDDEN', 'forbidden'],
  ['NOT_FOUND', 'notFound'],
  ['BAD_USER_INPUT', 'badUserInput'],
  ['RATE_LIMITED', 'rateLimitedByCode'],
  ['INTERNAL_SERVER_ERROR', 'serverFault'],
])

/* Without a result and without an error the status decides, unless there is an unreadable result. */
function classifyStatus(response: HttpResponse, data: unknown): FailureKind {
  const error = serverFaultBy(response.status)
  if (error !== undefined) return error
  if (data !== undefined) return 'unexpectedEmpty'
  return mayHoldResult(response) ? 'unreadable' : (refusalBy(response.status) ?? 'unreadable')
}

/* JSON that ends early, bytes that are not text, a list of results: any of them may have contained a result. */
function mayHoldResult({ text, header }: HttpResponse): boolean {
  const begin = text.trimStart()
  if (begin === '') return /json/i.test(header('content-type') ?? '')
  return begin.startsWith('[') || (begin.startsWith('{') && !isJson(text)) || text.includes('\uFFFD')
}

/** The failure that a status reports, of the service or of a gateway. */
function serverFaultBy(status: number): FailureKind | undefined {
  return status === 408 || status >= 500 ? 'serverFault' : undefined
}

/** The refusal that a status reports; `undefined` for a success, which proves nothing about the operation. */
function refusalBy(status: number): FailureKind | undefined {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'notFound'
  if (status === 429) return 'rateLimited'
  return status >= 400 ? 'refused' : undefined
}
