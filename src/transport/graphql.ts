import { ClientError, GraphQLClient } from 'graphql-request'
import type { Bounds } from '../clock.ts'
import { defaultFetch } from './default-fetch.ts'
import type { OperationKind } from './failures.ts'
import { type Fetch, type HttpResponse, sendWithin } from './fetch.ts'
import type { HeaderSource, HeaderValues, Provider } from './headers.ts'
import type { RequestEvent } from './observe.ts'
import { isObject } from '../validation.ts'
import { type Expected, type GraphQLBody, type Received, readResponse } from './response.ts'

/** A GraphQL document with the types of its result and its variables. Code generators make it in string mode. */
export type TypedDocument<Data, Variables> = (string | InstanceType<StringConstructor>) & {
  readonly __apiType?: ((variables: Variables) => Data) | undefined
}

/** An operation to send, and what is expected of its response. */
export interface GraphQLRequest<Result> extends Expected<Result> {
  readonly document: string | InstanceType<StringConstructor>
}

/** Where and how a client sends its requests. */
export interface Connection {
  readonly endpoint: string
  /** The client's own headers of every request. They take precedence over the credentials, and those over the caller's. */
  readonly headers: HeaderValues
  readonly credentials: HeaderSource
  readonly callersHeaders: HeaderSource
  /** Default: the runtime's best. */
  readonly fetch: Fetch | undefined
}

/**
 * Sends an operation once, within its bounds. graphql-request builds the request and reads the response, with options for
 * three guarantees: `fetch` knows whether a request was sent, a response that parses is read whatever its content type,
 * and no data is dropped in parsing.
 *
 * @throws AttemptFailed
 */
export async function sendOnce<Result>(
  operation: GraphQLRequest<Result>,
  variableSource: object | Provider<object>,
  event: RequestEvent,
  { endpoint, headers, credentials, callersHeaders, fetch }: Connection,
  bounds: Bounds,
): Promise<Received<Result>> {
  const provide = <T extends object>(source: T | Provider<T>) =>
    typeof source === 'function' ? source(event, bounds) : source
  const variables = await provide(variableSource)
  const authentication = await provide(credentials)
  /* Called last: no other code of the caller can then fail before the request is sent. */
  const given = await provide(callersHeaders)
  let response: HttpResponse | undefined
  const client = new GraphQLClient(endpoint, {
    headers: { ...given, ...authentication, ...headers, 'x-client-reference': event.reference },
    jsonSerializer: { stringify: JSON.stringify, parse: parseBody },
    /* The library must not parse the document: the parser is not in our bundles (build/no-graphql.ts). */
    excludeOperationName: true,
    fetch: async (url, init) => {
      const built = { headers: Object.fromEntries(init?.headers as Headers), body: init?.body as string }
      const request = { url: (url as URL).href, ...built }
      const maxBytes = MAX_BYTES[operation.kind]
      response = await sendWithin(bounds, fetch ?? defaultFetch, fetch !== undefined, request, maxBytes)
      return asJson(response)
    },
  })
  /* No error of the library leaves this function: its message contains the candidate's data. */
  const body: GraphQLBody = await client
    .rawRequest(operation.document.toString(), variables)
    .catch((error: unknown) => {
      if (error instanceof ClientError) return error.response
      if (response === undefined) throw error
      /* It could not be read as a result. */
      return {}
    })
  return readResponse(operation, variables, response as unknown as HttpResponse, body)
}

/* More than any response needs: a create returns few links, and parsing 8 MB of brackets takes two seconds. */
const MAX_BYTES = { mutation: 2 ** 20, query: 2 ** 24 } as const satisfies Record<OperationKind, number>

/* A response that parses is read, whatever its content type: it may have the only copy of a link. */
function asJson({ status, ok, text }: HttpResponse): Response {
  return { status, ok, headers: { get: () => 'application/json' }, text: () => text } as unknown as Response
}

/**
 * Parses a result. Drops `null` in fields that GraphQL wants absent: some servers send it.
 *
 * The library drops data that is not an object, and fails when it prints a result that is nested too deeply for the
 * stack. Either would look like a result without data, which HTTP 429 turns into a refusal. So its errors are made
 * unreadable instead.
 */
function parseBody(text: string): unknown {
  const result: unknown = JSON.parse(text)
  if (!isObject(result)) throw new Error('not a GraphQL result')
  const { data, errors } = result as GraphQLBody
  const hasReadableData = data === undefined || data === null || isObject(data)
  if (!hasReadableData || isDeeperThan(MAX_LEVELS, result)) return { errors: [null] }
  const read: GraphQLBody = {}
  if (data !== undefined) read.data = data
  if (errors !== undefined && errors !== null) read.errors = Array.isArray(errors) ? errors : [null]
  return read
}

/* A result of this API has 7 levels, an introspection about 20. */
const MAX_LEVELS = 200

/* Its own recursion stops at that depth too. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (levels < 0) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((each) => isDeeperThan(levels - 1, each))
}
