import { isObject, type Schema, validate } from '../validation.ts'
import { isJson } from '../util/body.ts'
import { AttemptFailed, endedEarly, type FailureKind, type HeaderReader, type OperationFacts } from './failures.ts'
import type { HttpResponse } from './fetch.ts'

/** What a request expects of its response. */
export interface Expected<Result> extends OperationFacts {
  /** The only field of its document: the result. Absent for a caller's own document: its `data` is the result. */
  readonly field?: string
  /** Checks `data`; absent for a caller's own document: its `data` is returned unchecked. */
  readonly data?: () => Schema<Readonly<Record<string, Result>>>
  /** Whether a result belongs to this request, as far as it shows. It may be unchecked. */
  isOwn?(result: Result, variables: never): boolean
}

/** The body of a GraphQL response, as the parser left it. */
export interface GraphQLBody {
  data?: unknown
  errors?: unknown
}

/** The checked result of an attempt. */
export interface Received<Result> {
  readonly result: Result
  readonly status: number
  readonly header: HeaderReader
}

/** Reads the result in a response. @throws AttemptFailed if it has none, with what the response proves */
export function readResponse<Result>(
  expected: Expected<Result>,
  variables: object,
  response: HttpResponse,
  body: GraphQLBody,
): Received<Result> {
  const { data } = body
  const { status, header, givenUp } = response
  const errors = readErrors(body.errors)
  const { failure, apiCode } = classify({ data, errors, response }, expected)
  const hasData = failure === undefined || failure === 'unexpected'
  /* A complete result counts even if the body was cut short. Anything else proves nothing then. */
  if (givenUp !== undefined && !hasData) throw endedEarly(givenUp, 'body', status)
  /* Unexpected data is checked too: no caller may get another candidate's link. */
  if (hasData && !isOwn(expected, data, variables)) throw new AttemptFailed({ kind: 'mismatched', status, header })
  if (failure !== undefined) {
    const apiMessages = errors?.map(({ message }) => message)
    const isResult = data !== undefined || apiMessages?.length !== 0
    const reason = isResult || failure === 'serverFault' ? undefined : nameOfContent(response)
    const partial = failure === 'unexpected' ? data : undefined
    throw new AttemptFailed({ kind: failure, reason, status, header, apiCode, apiMessages, partial })
  }
  if (expected.data === undefined || expected.field === undefined) return { result: data as Result, status, header }
  const { value, issues } = validate(expected.data(), data)
  if (issues !== undefined) {
    throw new AttemptFailed({ kind: 'unexpected', status, header, issues, partial: data })
  }
  return { result: value[expected.field] as Result, status, header }
}

/** One error of a GraphQL result: its code, if it has one, and the service's own text. */
export interface GraphQLError {
  readonly code: string | undefined
  readonly message: string
  readonly place: ErrorPlace
}

/**
 * Where in the result an error is, by its path. `none`: perhaps before anything was executed. `field`: at a field of
 * the operation. `below`: under such a field; its resolver had returned. Any other form of path counts as `below`.
 */
export type ErrorPlace = 'none' | 'field' | 'below'

interface GraphQLResult {
  readonly response: HttpResponse
  /** `undefined` if the result had no `data`: the request was refused before it was executed. */
  readonly data: unknown
  /** `undefined` if `errors` is not a list of objects: it proves nothing. */
  readonly errors: readonly GraphQLError[] | undefined
}

function readErrors(errors: unknown): readonly GraphQLError[] | undefined {
  const list = (errors ?? []) as readonly unknown[]
  if (!list.every(isObject)) return undefined
  return list.map(({ message, code, path, extensions }) => {
    const given = (isObject(extensions) ? extensions['code'] : undefined) ?? code
    return {
      /* A code is shown and logged, so it must look like one: no sentence, no e-mail address. */
      code: typeof given === 'string' && /^\w{1,64}$/.test(given) ? given : undefined,
      message: typeof message === 'string' ? message : '',
      place: placeOf(path),
    }
  })
}

function placeOf(path: unknown): ErrorPlace {
  if (path === undefined || path === null) return 'none'
  return Array.isArray(path) && path.length <= 1 ? 'field' : 'below'
}

/* The meaning of a response: a failure, or none if its data is what was expected. */
interface Classified {
  readonly failure?: FailureKind
  readonly apiCode?: string | undefined
}

type Facts = Pick<Expected<never>, 'kind' | 'field'>

/**
 * Classifies a response. Executed data comes first: with an error beside it, or a bad status, it was still created.
 * Then come the service's own codes, then the HTTP status. The text of a message never counts.
 */
function classify({ data, errors, response }: GraphQLResult, expected: Facts): Classified {
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

function classifyError({ code, place }: GraphQLError, status: number, data: unknown, expected: Facts): Failing {
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
  const refusal = code === undefined ? (REFUSAL_BY_STATUS.get(status) ?? 'refusedWithoutCode') : 'refused'
  return { failure: serverFaultBy(status) ?? (hasBegun ? 'unexplained' : refusal), apiCode: code }
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

const REFUSAL_BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [429, 'rateLimited'],
])

/* Without a result and without an error the status decides, unless there is an unreadable result. */
function classifyStatus(response: HttpResponse, data: unknown): FailureKind {
  const error = serverFaultBy(response.status)
  if (error !== undefined) return error
  if (data !== undefined) return 'unexpectedEmpty'
  if (response.status < 400 || mayHoldResult(response)) return 'unreadable'
  /* Only the service can refuse: what is no GraphQL result came from something in front of it. */
  return REFUSAL_BY_STATUS.get(response.status) ?? 'turnedAway'
}

/* What is neither a page nor JSON, and yet has a bracket of JSON, such as JSON that ends early; and bytes that are not text. */
function mayHoldResult({ text, header }: HttpResponse): boolean {
  const begin = text.trimStart()
  if (begin === '') return /json/i.test(header('content-type') ?? '') && !isDelimited(header)
  const isPageOrResult = begin.startsWith('<') || (begin.startsWith('{') && isJson(text))
  return (!isPageOrResult && /^\[|\{/.test(begin)) || /[\0\uFFFD]/.test(text)
}

/* Whether the response says where its body ends: a lost connection cannot have cut it unnoticed. */
function isDelimited(header: HeaderReader): boolean {
  return header('content-length') === '0' || header('transfer-encoding') !== null
}

/* The failure that a status reports, of the service or of a gateway. With 499, a gateway gave up during the request. */
function serverFaultBy(status: number): FailureKind | undefined {
  return status === 408 || status === 499 || status >= 500 ? 'serverFault' : undefined
}

/* Unchecked data can have any shape, and then proves nothing. */
function isOwn<Result>({ field = '', ...expected }: Expected<Result>, data: unknown, variables: object): boolean {
  try {
    return expected.isOwn?.((data as Readonly<Record<string, Result>>)[field] as Result, variables as never) !== false
  } catch {
    return true
  }
}

/* What came instead of a GraphQL result; nothing of the body itself. */
function nameOfContent({ text, header }: HttpResponse): string | undefined {
  const type = header('content-type') ?? ''
  if (/^text\/html\b/i.test(type) || /^\s*<(!doctype )?html\b/i.test(text)) return 'an HTML page'
  return /^text\/plain\b/i.test(type) ? 'plain text' : undefined
}
