import type { FailureKind, OperationKind } from './failures.ts'
import type { GraphQLError, GraphQLResult } from './graphql.ts'
import type { HttpResponse } from './guarded-fetch.ts'

/** What a GraphQL answer means: the data that was expected for, or a failure. */
export type Classified =
  | { readonly failure?: undefined; readonly data: Readonly<Record<string, unknown>> }
  | { readonly failure: FailureKind; readonly apiCode?: string | undefined }

/** What a request expects of its response. */
export interface Expectation {
  readonly kind: OperationKind
  /** The one field of the operation; `undefined` for a document of the caller's own. */
  readonly field?: string | undefined
  /** Whether the operation has one field, so that an error at a field says that nothing was executed before it. */
  readonly hasOneField: boolean
}

/**
 * Judges an answer. What was executed comes first: data beside an error, or under a bad status, was still created.
 * Then the service's own codes, then the HTTP status; never the text of a message.
 */
export function classify(result: GraphQLResult, expected: Expectation): Classified {
  const { data, errors, response } = result
  const { ok, status } = response
  if (hasResult(data, expected.field)) {
    return ok && errors?.length === 0 ? { data } : { failure: 'unexpected', apiCode: errors?.[0]?.code }
  }
  /* A gateway may add fields of its own beside it. */
  if (hasResult(data) && expected.field !== undefined && !(expected.field in data)) return { failure: 'mismatched' }
  if (errors === undefined) return { failure: serverFaultBy(status) ?? 'unreadable' }
  if (errors.length > 0) return mostCautious(errors.map((error) => classifyError(error, status, data, expected)))
  if (!ok) return { failure: classifyStatus(response, data) }
  /* Whether the result of a query may be null, its schema decides. */
  const mayBeNull = expected.field === undefined || expected.kind === 'query'
  if (mayBeNull && typeof data === 'object' && data !== null) return { data: { ...data } }
  return { failure: data === undefined ? 'unreadable' : 'unexpectedEmpty' }
}

/** Whether the field, or any field where none is named, has a result: a list, an object, a value. */
function hasResult(data: unknown, field?: string): data is Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null) return false
  const results = field === undefined ? Object.values(data) : [(data as Record<string, unknown>)[field]]
  return results.some((result) => result !== null && result !== undefined)
}

type Failing = Classified & { readonly failure: FailureKind }

function classifyError({ code, place }: GraphQLError, status: number, data: unknown, expected: Expectation): Failing {
  const isCreate = expected.kind === 'mutation'
  if (isCreate && place === 'below') return { failure: 'failedBelow', apiCode: code }
  const hasBegun = data !== undefined || (isCreate && place !== 'none')
  if (status === 429 && !hasBegun) return { failure: 'rateLimited', apiCode: code }
  /* Of several fields, those before the one at fault may have been executed. */
  const isClear = !isCreate || expected.hasOneField || !hasBegun
  const known = code === undefined || !isClear ? undefined : BY_CODE.get(code)
  /* With data the limit was met during the execution: what happened before it nobody can tell. */
  const limitedLate = known === 'rateLimitedByCode' && data !== undefined
  if (known !== undefined && !limitedLate) return { failure: known, apiCode: code }
  const failure = serverFaultBy(status) ?? (hasBegun ? 'unexplained' : (refusalBy(status) ?? 'refused'))
  return { failure, apiCode: code }
}

/* Several errors that do not agree: whichever leaves more open decides what may be said. */
function mostCautious(classified: readonly Failing[]): Classified {
  const open = classified.find(({ failure }) => OPEN.has(failure))
  return open ?? classified[0] ?? { failure: 'unreadable' }
}

const OPEN: ReadonlySet<FailureKind> = new Set(['failedBelow', 'serverFault', 'unexplained'])

const BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['UNAUTHENTICATED', 'unauthenticated'],
  ['FORBIDDEN', 'forbidden'],
  ['NOT_FOUND', 'notFound'],
  ['BAD_USER_INPUT', 'badUserInput'],
  ['RATE_LIMITED', 'rateLimitedByCode'],
  ['INTERNAL_SERVER_ERROR', 'serverFault'],
])

/* A status without a result and without an error says what it says, unless there is a result that cannot be read. */
function classifyStatus(response: HttpResponse, data: unknown): FailureKind {
  const error = serverFaultBy(response.status)
  if (error !== undefined) return error
  if (data !== undefined) return 'unexpectedEmpty'
  return mayHoldResult(response) ? 'unreadable' : (refusalBy(response.status) ?? 'unreadable')
}

/* JSON that ends early, bytes that are no text, a list of results: what was in it nobody knows. */
function mayHoldResult({ text, header }: HttpResponse): boolean {
  const begin = text.trimStart()
  if (begin === '') return /json/i.test(header('content-type') ?? '')
  return begin.startsWith('[') || (begin.startsWith('{') && !isJson(text)) || text.includes('\uFFFD')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A status by which the service, or whoever stands before it, failed. */
function serverFaultBy(status: number): FailureKind | undefined {
  return status === 408 || status >= 500 ? 'serverFault' : undefined
}

/** A status by which it refused; `undefined` for a success, which says nothing about the operation. */
function refusalBy(status: number): FailureKind | undefined {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'notFound'
  if (status === 429) return 'rateLimited'
  return status >= 400 ? 'refused' : undefined
}
