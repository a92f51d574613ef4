import * as z from 'zod/mini'
import type { Abortable } from '../contract/mock-server.ts'
import { optionalText, parseWith } from '../contract/validation.ts'
import { NoneCame, UnknownAfter } from '../sandbox/waits.ts'
import { type ErrorCode, refuse } from './control-errors.ts'

/** One operation of the control API: what it does, and what the OpenAPI document says about it. */
export interface Operation extends Described<z.ZodMiniType, z.ZodMiniObject> {
  /** The method, and the path below `/__mock`. Names in braces are parameters. */
  readonly route: Route
  readonly summary: string
  readonly run: (request: ControlRequest) => unknown
}

type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** What an operation takes and returns, besides the parameters in its path. */
interface Described<Body extends z.ZodMiniType, Query extends z.ZodMiniObject> {
  /** What its summary leaves out. */
  readonly description?: string
  /** Checks the parameters in its query string. Without it, there are none. */
  readonly query?: Query
  /** Checks the body. */
  readonly body?: Body
  /** The maximum size of a body, in bytes. Default: the same as for a request of the service. */
  readonly maxBodyBytes?: number
  /** Whether the mock itself checks the body, by more than this schema. */
  readonly isCheckedByMock?: true
  /** A body that works. */
  readonly example?: unknown
  /** The JSON that is returned; without it the response is 204 and empty. */
  readonly result?: z.ZodMiniType
  /** The status of the response. Default 200. */
  readonly status?: 200 | 201
  /** The codes of its errors, besides those that every operation of its method has. */
  readonly errors?: readonly ErrorCode[]
}

/** A request for an operation. */
export interface ControlRequest<Body = unknown, Query = unknown> {
  /** The address by which the mock was reached. */
  readonly base: string
  readonly signal: AbortSignal
  /** A parameter in the path. */
  readonly param: (name: string) => string
  readonly query: Query
  readonly body: Body
}

/** An operation whose `run` receives the body and the query as their schemas parse them. */
export function operation<Body extends z.ZodMiniType, Query extends z.ZodMiniObject>(
  route: Route,
  summary: string,
  described: Described<Body, Query>,
  run: (request: ControlRequest<z.output<Body>, z.output<Query>>) => unknown,
): Operation {
  return { route, summary, ...described, run } as Operation
}

interface WaitFor<Query extends z.ZodMiniObject> {
  /** Which row to wait for. */
  readonly query: Query
  readonly result: z.ZodMiniType
  /** The code of the error when none comes in time. */
  readonly code: ErrorCode
}

/** An operation that answers when a row has come. It ends with the connection of its client. */
export function waitOperation<Query extends z.ZodMiniObject>(
  route: `GET /${string}`,
  summary: string,
  { query, result, code }: WaitFor<Query>,
  wait: (wait: z.output<Query> & Abortable) => Promise<unknown>,
): Operation {
  return operation(
    route,
    summary,
    { description: DESCRIPTION, query, result, errors: ['NOT_FOUND', code] },
    ({ query: wanted, signal }) =>
      wait({ ...wanted, signal }).catch((error: unknown) => {
        if (error instanceof NoneCame) refuse(code, error.message)
        if (error instanceof UnknownAfter) refuse('NOT_FOUND', error.message)
        throw error
      }),
  )
}

const DESCRIPTION = 'Returns the newest row that fits, or the first one that does. Status 504: none in time.'

/** What a query string asks of an operation. Throws one error that names everything that is wrong with it. */
export function parsedQuery({ route, query = noParameters(route) }: Operation, sent: Readonly<Record<string, string>>) {
  const values = Object.entries(sent).map(([name, text]) => [name, valueIn(name, text)])
  return parseWith(query, Object.fromEntries(values), 'The query cannot be used')
}

/** The parameters of a list that is returned in pages. */
export const PAGING = {
  limit: whole('How many rows.', 100, 1000),
  page: whole('Which page of them.', 1),
}

/** The parameters of a list that can be searched. */
export const SEARCH = {
  search: optionalText('Text that a row must contain, in any case.'),
  ...PAGING,
}

function whole(description: string, byDefault: number, most = Number.MAX_SAFE_INTEGER) {
  const checks = [z.gte(1), z.lte(most)]
  return z.optional(z.int().check(...checks, z.meta({ description, default: byDefault })))
}

function noParameters(route: string) {
  return z.strictObject({}, { error: ({ keys = [] }) => `${route} has no parameter ${(keys as string[]).join(', ')}` })
}

/** The value in a text. A text that does not fit stays, and is refused by its schema. */
function valueIn(name: string, text: string): unknown {
  if (NUMBERS.has(name) && /^\d+$/.test(text)) return Number(text)
  // A plus sign in a query string is a space. No address has a space.
  return ADDRESSES.has(name) ? text.replaceAll(' ', '+') : text
}

const ADDRESSES: ReadonlySet<string> = new Set(['to', 'email'])
const NUMBERS: ReadonlySet<string> = new Set(['limit', 'page', 'timeoutMs'])
