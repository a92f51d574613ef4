import type { Settings } from '../options.ts'
import { type Schema, validate } from '../validation.ts'
import type { Bounds } from './bounds.ts'
import { classify } from './classify.ts'
import type { Failed, OperationKind } from './failures.ts'
import { globalFetch } from './global-fetch.ts'
import { type GraphQLResult, runGraphQL } from './graphql.ts'
import { guardedFetch, type HttpResponse, Interruption, interruptionBy } from './guarded-fetch.ts'
import { belongsToAnother, type ReturnedInvite } from './known-invites.ts'

/** What is sent, and how its answer is checked. */
export interface GraphQLRequest<Data, Variables> {
  /** As the caller knows it, as in `invites.create`. */
  readonly name: string
  readonly kind: OperationKind
  /** The document, with the types that belong to it. */
  readonly document: { toString(): string; readonly __apiType?: ((variables: Variables) => unknown) | undefined }
  /** The one field of its document; absent for documents of the caller's own. */
  readonly field?: string
  /** Whether its document has one field and no more. */
  readonly hasOneField: boolean
  /** Checks `data`; absent for documents of the caller's own, whose `data` is handed over as it came. */
  readonly data?: () => Schema<Data>
  /** The invites in checked data. */
  readonly invites?: (data: Data, variables: Variables) => readonly ReturnedInvite[]
  /** What the credentials need to have for it. */
  readonly scope?: string
  /** The causes that the specification documents for BAD_USER_INPUT. */
  readonly possibleReasons?: readonly string[]
}

/** What one attempt came to: checked data or a failure, and the answer that said so, where a whole one came. */
export type Attempted<Data> = { readonly response: HttpResponse | undefined } & (
  | { readonly data: Data; readonly failed?: undefined }
  | { readonly failed: Failed; readonly data?: undefined }
)

/**
 * Sends an operation once, within its bounds, and classifies the response.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, where there are no credentials to send
 */
export async function attemptOnce<Data, Variables extends object>(
  operation: GraphQLRequest<Data, Variables>,
  variables: Variables,
  reference: string,
  { endpoint, headers, credentials, fetch = globalFetch }: Settings,
  bounds: Bounds,
): Promise<Attempted<Data>> {
  try {
    const authentication = typeof credentials === 'function' ? await withinBounds(credentials, bounds) : credentials
    const sent = { ...authentication, ...headers, 'x-client-reference': reference }
    const result = await runGraphQL(endpoint, operation.document.toString(), variables, (body) =>
      guardedFetch(fetch, endpoint, { body, headers: sent }, bounds),
    )
    const attempted = readResult(operation, variables, endpoint, result)
    /* A second answer to the same request would be taken for that to the next. Of invites alone it can be told. */
    if (attempted.failed !== undefined) result.response.discard(attempted.failed.kind === 'mismatched')
    return attempted
  } catch (error) {
    if (!(error instanceof Interruption)) throw error
    return { response: undefined, failed: error.failed }
  } finally {
    bounds.dispose()
  }
}

/* A function of the caller's may take its time: it has no more of it than the attempt. */
async function withinBounds<T>(provide: () => Promise<T>, bounds: Bounds): Promise<T> {
  try {
    if (bounds.ending() !== undefined) throw new Error('given up before it was expected')
    return await bounds.race(provide())
  } catch (error) {
    const ending = bounds.ending()
    throw ending === undefined ? error : interruptionBy(ending, 'not-sent')
  }
}

function readResult<Data, Variables>(
  operation: GraphQLRequest<Data, Variables>,
  variables: Variables,
  endpoint: string,
  result: GraphQLResult,
): Attempted<Data> {
  const classified = classify(result, operation)
  const { response } = result
  const { status, givenUp } = response
  /* A result is one, however its body ended. Nothing else is proof then. */
  if (givenUp !== undefined && classified.failure !== undefined && classified.failure !== 'unexpected') {
    throw interruptionBy(givenUp, 'body', status)
  }
  /* Also of what is not as it should be: nobody is given the link of somebody else. */
  const received =
    classified.failure === 'unexpected' ? result.data : classified.failure === undefined ? classified.data : undefined
  if (belongsToAnother(endpoint, invitesIn(operation, received, variables))) {
    return { response, failed: { kind: 'mismatched', status } }
  }
  if (classified.failure !== undefined) {
    const { failure: kind, apiCode } = classified
    const apiMessages = result.errors?.map(({ message }) => message)
    return {
      response,
      failed: { kind, status, apiCode, apiMessages, partial: kind === 'unexpected' ? result.data : undefined },
    }
  }
  if (operation.data === undefined) return { response, data: classified.data as Data }
  const { value, issues } = validate(operation.data(), classified.data)
  if (issues !== undefined)
    return { response, failed: { kind: 'unexpected', status, issues, partial: classified.data } }
  return { response, data: value }
}

/* Of data that was not checked: it may have any shape. */
function invitesIn<Data, Variables>(
  { invites }: GraphQLRequest<Data, Variables>,
  data: unknown,
  variables: Variables,
): readonly ReturnedInvite[] {
  try {
    return data === undefined ? [] : (invites?.(data as Data, variables) ?? [])
  } catch {
    return []
  }
}
