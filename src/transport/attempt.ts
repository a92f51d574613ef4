import type { TypedDocument } from '../document.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import type { Settings } from '../options.ts'
import { type Schema, validate } from '../validation.ts'
import type { Bounds } from './attempt-limits.ts'
import { classify } from './classify-response.ts'
import type { Failed, OperationKind } from './failures.ts'
import { defaultFetch } from './default-fetch.ts'
import { exactDataOf, type GraphQLResult, runGraphQL } from './graphql.ts'
import { guardedFetch, type HttpResponse, Interruption, interruptionBy } from './guarded-fetch.ts'
import type { RequestEvent } from './hooks.ts'

/** An operation to send, and how to check its response. */
export interface GraphQLRequest<Data, Variables> {
  /** The caller's name for it, as in `invites.create`. */
  readonly name: string
  readonly kind: OperationKind
  readonly document: TypedDocument<unknown, Variables>
  /** The only field of its document; absent for a caller's own document, which may have several. */
  readonly field?: string
  /** Checks `data`; absent for a caller's own document: its `data` is returned unchecked. */
  readonly data?: () => Schema<Data>
  /** Whether the data belongs to this request, as far as it shows. It may be unchecked. */
  readonly isOwn?: (data: Data, variables: Variables) => boolean
  /** The scope that the credentials need. */
  readonly scope?: string
  /** The causes that the specification documents for BAD_USER_INPUT. */
  readonly possibleReasons?: readonly string[]
}

/** The result of one attempt: checked data or a failure. With the response, if a whole one arrived. */
export type Attempted<Data> = { readonly response: HttpResponse | undefined } & (
  | { readonly data: Data; readonly failed?: undefined; readonly refused?: undefined }
  | { readonly failed: Failed; readonly data?: undefined; readonly refused?: undefined }
  | Refused
)

/** Nothing was sent: a function of the caller failed, or returned headers that cannot be sent. */
interface Refused {
  readonly refused: CertifyError
  readonly failed?: undefined
  readonly data?: undefined
}

/** Sends an operation once, within its bounds, and classifies the response. */
export async function attemptOnce<Data, Variables extends object>(
  operation: GraphQLRequest<Data, Variables>,
  variables: Variables,
  event: RequestEvent,
  { endpoint, headers, requestHeaders, fetch = defaultFetch }: Settings,
  bounds: Bounds,
): Promise<Attempted<Data>> {
  try {
    const given =
      typeof requestHeaders === 'function' ? await withinBounds(() => requestHeaders(event), bounds) : requestHeaders
    const sent = { ...given, ...headers, 'x-client-reference': event.reference }
    const result = await runGraphQL(endpoint, sent, operation.document.toString(), variables, (request) =>
      guardedFetch(fetch, request, bounds),
    )
    return readResult(operation, variables, result)
  } catch (error) {
    if (error instanceof Interruption) return { response: undefined, failed: error.failed }
    if (isCertifyError(error)) return { response: undefined, refused: error }
    throw error
  } finally {
    bounds.dispose()
  }
}

/* A caller's function may take as long as the attempt, but no longer. */
async function withinBounds<T>(provide: () => Promise<T>, bounds: Bounds): Promise<T> {
  try {
    return await bounds.race(provide)
  } catch (error) {
    const ending = bounds.ending()
    throw ending === undefined ? error : interruptionBy(ending, 'not-sent')
  }
}

function readResult<Data, Variables>(
  operation: GraphQLRequest<Data, Variables>,
  variables: Variables,
  result: GraphQLResult,
): Attempted<Data> {
  const { failure, apiCode } = classify(result, operation)
  const { response, data, errors } = result
  const { status, givenUp } = response
  const hasData = failure === undefined || failure === 'unexpected'
  /* A complete result counts even if the body was cut short. Anything else proves nothing then. */
  if (givenUp !== undefined && !hasData) throw interruptionBy(givenUp, 'body', status)
  /* Unexpected data is checked too: no caller may get another candidate's link. */
  if (hasData && !isOwn(operation, data, variables)) return { response, failed: { kind: 'mismatched', status } }
  if (failure !== undefined) {
    const apiMessages = errors?.map(({ message }) => message)
    const isResult = data !== undefined || apiMessages?.length !== 0
    const reason = isResult || failure === 'serverFault' ? undefined : nameOfContent(response)
    const partial = failure === 'unexpected' ? exactDataOf(response) : undefined
    return { response, failed: { kind: failure, reason, status, apiCode, apiMessages, partial } }
  }
  if (operation.data === undefined) return { response, data: data as Data }
  const { value, issues } = validate(operation.data(), data)
  if (issues !== undefined)
    return { response, failed: { kind: 'unexpected', status, issues, partial: exactDataOf(response) } }
  return { response, data: value }
}

/* Unchecked data can have any shape, and then proves nothing. */
function isOwn<Data, Variables>(
  operation: GraphQLRequest<Data, Variables>,
  data: unknown,
  variables: Variables,
): boolean {
  try {
    return operation.isOwn?.(data as Data, variables) !== false
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
