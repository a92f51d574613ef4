import { ClientError, GraphQLClient } from 'graphql-request'
import type { HttpResponse } from './guarded-fetch.ts'

/** One error of a GraphQL result: its code, where it has one, and the service's own words. */
export interface GraphQLError {
  readonly code: string | undefined
  readonly message: string
  readonly place: ErrorPlace
}

/**
 * Where in the result an error came up, by its path: nowhere, which may be before anything was executed; at a field of
 * the operation; or below such a field, whose resolver had returned by then. A path of another form counts as `below`.
 */
export type ErrorPlace = 'none' | 'field' | 'below'

/** A GraphQL result, or as much of one as there was. */
export interface GraphQLResult {
  readonly response: HttpResponse
  /** `undefined` where the result had no `data`: the request was refused before it was executed. */
  readonly data?: unknown
  /** `undefined` where `errors` is no list of objects: nothing follows from it. */
  readonly errors: readonly GraphQLError[] | undefined
}

/**
 * Runs one request through graphql-request: its body out by `send`, a whole answer back. Nothing of that library gets
 * out of this file: its errors hold the candidate's data in their very message.
 *
 * @throws Interruption where `send` does
 */
export async function runGraphQL(
  endpoint: string,
  expression: string,
  variables: object,
  send: (body: string) => Promise<HttpResponse>,
): Promise<GraphQLResult> {
  let response: HttpResponse | undefined
  const client = new GraphQLClient(endpoint, {
    errorPolicy: 'all',
    jsonSerializer,
    /* It would parse the document for it. */
    excludeOperationName: true,
    fetch: async (_url, init) => {
      /* It is what our own serializer made. */
      response = await send(init?.body as string)
      return asResponse(response)
    },
  })
  const result = await client.rawRequest(expression, variables).catch((error: unknown) => {
    if (error instanceof ClientError) return error.response
    if (response === undefined) throw error
    return {}
  })
  const { data, errors } = result as GraphQLBody
  return { response: response as unknown as HttpResponse, data, errors: readErrors(errors) }
}

const jsonSerializer = { stringify: JSON.stringify, parse: parseResult }

/* Whatever its content type says, an answer that parses is read: it may hold the only copy of a link. */
function asResponse({ status, ok, text }: HttpResponse): Response {
  return { status, ok, headers: JSON_HEADERS, text: () => text } as unknown as Response
}

const JSON_HEADERS = { get: () => 'application/json' }

/** Parses a result and leaves out what servers send as null although GraphQL wants it absent. */
function parseResult(text: string): unknown {
  const result: unknown = JSON.parse(text)
  if (typeof result !== 'object' || result === null || Array.isArray(result)) throw new Error('not a GraphQL result')
  const { data, errors } = result as GraphQLBody
  const read: GraphQLBody = {}
  if (data !== undefined) read.data = data
  if (errors !== undefined && errors !== null) read.errors = Array.isArray(errors) ? errors : [null]
  return read
}

interface GraphQLBody {
  data?: unknown
  errors?: unknown
}

function readErrors(errors: unknown): readonly GraphQLError[] | undefined {
  const list = (errors ?? []) as readonly unknown[]
  if (!list.every(isRecord)) return undefined
  return list.map(({ message, code, path, extensions }) => {
    const given = (isRecord(extensions) ? extensions['code'] : undefined) ?? code
    return {
      /* A code reaches messages and logs, so it has to look like one: no sentence, no address. */
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
