import type { FailureKind } from './failures.ts'
import type { GraphQLFault, GraphQLResult } from './graphql.ts'

/** What a GraphQL answer means: the data that was asked for, or a failure. */
export type Verdict =
  | { readonly failure?: undefined; readonly data: Readonly<Record<string, unknown>> }
  | { readonly failure: FailureKind; readonly apiCode?: string | undefined }

/**
 * Judges an answer. What was executed comes first: data beside an error, or under a bad status, was still created.
 * Then the service's own codes, then the HTTP status; never the text of a message.
 *
 * @param emptyIsAResult whether the operation may have nothing to give, as a document of the caller's own may
 */
export function judge(result: GraphQLResult, emptyIsAResult: boolean): Verdict {
  const { data, faults } = result
  const { ok, status } = result.answer
  if (hasResult(data)) {
    return ok && faults.length === 0 ? { data } : { failure: 'unexpected', apiCode: faults[0]?.code }
  }
  if (faults.length > 0) return mostCautious(faults.map((fault) => judgeFault(fault, status, data)))
  if (!ok) return { failure: byStatus(status) ?? 'unreadable' }
  if (emptyIsAResult && typeof data === 'object' && data !== null) return { data: { ...data } }
  return { failure: data === undefined ? 'unreadable' : 'unexpectedEmpty' }
}

/** Whether any field of the operation has a result: a list, an object, a value. */
function hasResult(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && Object.values(data).some((field) => field !== null)
}

function judgeFault({ code }: GraphQLFault, status: number, data: unknown): Verdict & { failure: FailureKind } {
  if (status === 429 && data === undefined) return { failure: 'rateLimited', apiCode: code }
  const known = code === undefined ? undefined : BY_CODE.get(code)
  /* With data the limit was met during the execution: what happened before it nobody can tell. */
  const limitedLate = known === 'rateLimitedByCode' && data !== undefined
  if (known !== undefined && !limitedLate) return { failure: known, apiCode: code }
  const failure = byStatus(status) ?? (data === undefined ? 'refused' : 'unexplained')
  return { failure, apiCode: code }
}

/* Several errors that do not agree: whichever leaves more open decides what may be said. */
function mostCautious(verdicts: readonly (Verdict & { failure: FailureKind })[]): Verdict {
  const open = verdicts.find(({ failure }) => failure === 'serverFault' || failure === 'unexplained')
  return open ?? verdicts[0] ?? { failure: 'unreadable' }
}

const BY_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['UNAUTHENTICATED', 'unauthenticated'],
  ['FORBIDDEN', 'forbidden'],
  ['NOT_FOUND', 'notFound'],
  ['BAD_USER_INPUT', 'badUserInput'],
  ['RATE_LIMITED', 'rateLimitedByCode'],
  ['INTERNAL_SERVER_ERROR', 'serverFault'],
])

/** What a status says by itself; `undefined` for a success, which says nothing about the operation. */
function byStatus(status: number): FailureKind | undefined {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'notFound'
  if (status === 429) return 'rateLimited'
  if (status === 408 || status >= 500) return 'serverFault'
  return status >= 400 ? 'refused' : undefined
}
