import { ClientError, GraphQLClient } from 'graphql-request'
import type { HttpResponse } from './guarded-fetch.ts'

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

/** A GraphQL result, or the readable part of one. */
export interface GraphQLResult {
  readonly response: HttpResponse
  /** `undefined` if the result had no `data`: the request was refused before it was executed. */
  readonly data?: unknown
  /** `undefined` if `errors` is not a list of objects: it proves nothing. */
  readonly errors: readonly GraphQLError[] | undefined
}

/** A request as graphql-request built it. */
export interface BuiltRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * Runs one request through graphql-request: it builds the request, `send` sends it and returns the complete response,
 * and the library's result is what is read. No error of the library leaves this file: its message contains the
 * candidate's data.
 *
 * @throws Interruption from `send`
 */
export async function runGraphQL(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  query: string,
  variables: object,
  send: (request: BuiltRequest) => Promise<HttpResponse>,
): Promise<GraphQLResult> {
  let received: HttpResponse | undefined
  const client = new GraphQLClient(endpoint, {
    headers: { ...headers },
    errorPolicy: 'all',
    jsonSerializer,
    /* Otherwise the library parses the document. */
    excludeOperationName: true,
    fetch: async (url, init) => {
      const built = { headers: Object.fromEntries(new Map(init?.headers as Headers)), body: init?.body as string }
      received = await send({ url: (url as URL).href, ...built })
      return asResponse(received)
    },
  })
  const result = await client.rawRequest(query, variables).catch((error: unknown) => {
    if (error instanceof ClientError) return error.response
    if (received === undefined) throw error
    /* It could not be read as a result. */
    return asResponse(received)
  })
  const { status, headers: read, data, errors } = result as GraphQLBody & Pick<Response, 'status' | 'headers'>
  /* The `catch` above only returns if there is a response. */
  const whole = received as unknown as HttpResponse
  const header = (name: string) => (isContentType(name) ? whole.header(name) : read.get(name))
  return { response: { ...whole, status, header }, data, errors: readErrors(errors) }
}

const jsonSerializer = { stringify: JSON.stringify, parse: parseResult }

/*
 * A response that parses is read, whatever its content type: it may have the only copy of a link. Not the runtime's own
 * `Response`: merely naming it loads all of undici, which would slow the start of the CLI.
 */
function asResponse({ status, ok, header, text }: HttpResponse): Response {
  const get = (name: string) => (isContentType(name) ? 'application/json' : header(name))
  return { status, ok, headers: { get }, text: () => text } as unknown as Response
}

function isContentType(name: string): boolean {
  return name.toLowerCase() === 'content-type'
}

/**
 * Parses a result. Drops `null` in fields that GraphQL wants absent: some servers send it.
 *
 * The library drops data that is not an object, and fails when it prints a result that is nested too deeply for the
 * stack. Either would look like a result without data, which HTTP 429 turns into a refusal. So its errors are made
 * unreadable instead.
 */
function parseResult(text: string): unknown {
  const result: unknown = JSON.parse(text)
  if (!isRecord(result)) throw new Error('not a GraphQL result')
  const { data, errors } = result as GraphQLBody
  const hasReadableData = data === undefined || data === null || isRecord(data)
  if (!hasReadableData || isDeeperThan(MOST_LEVELS, result)) return { errors: [null] }
  const read: GraphQLBody = {}
  if (data !== undefined) read.data = data
  if (errors !== undefined && errors !== null) read.errors = Array.isArray(errors) ? errors : [null]
  return read
}

/**
 * The `data` of a result, with every number that would be rounded as a string: an identifier keeps its digits. A
 * reviver sees them only from Node.js 21 on.
 */
export function exactDataOf({ text }: HttpResponse): unknown {
  let isString = false
  const quoted = text.replaceAll(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') isString = !isString
    return !isString && Math.abs(Number(token)) >= 2 ** 53 ? `"${token}"` : token
  })
  return (JSON.parse(quoted) as GraphQLBody).data
}

/* A result of this API has 7 levels, an introspection about 20. */
const MOST_LEVELS = 200

/* Its own recursion stops at that depth too. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (levels < 0) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((each) => isDeeperThan(levels - 1, each))
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
