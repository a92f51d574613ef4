import * as z from 'zod/mini'
import type { ErrorCode } from './control-errors.ts'

/** One operation of the control API: what it does, and what the OpenAPI document says about it. */
export interface Operation extends Described<z.ZodMiniType> {
  /** The method, and the path below `/__mock`. Names in braces are parameters. */
  readonly route: Route
  readonly summary: string
  readonly run: (call: Call) => unknown
}

type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** What an operation takes and returns, besides the parameters in its path. */
interface Described<Body extends z.ZodMiniType> {
  /** What its summary leaves out. */
  readonly description?: string
  /** The parameters in its query string. A strict object refuses all others. */
  readonly query?: z.ZodMiniObject
  /** Checks the body. */
  readonly body?: Body
  /** The schema of the body in the document, where the mock itself checks more than `body` does. */
  readonly documented?: z.ZodMiniType
  /** A body that works. */
  readonly example?: unknown
  /** The JSON that is returned; without it the answer is 204 and empty. */
  readonly result?: z.ZodMiniType
  /** The status of the answer. Default 200. */
  readonly status?: 200 | 201
  /** The codes of its errors, besides those that every operation of its method has. */
  readonly errors?: readonly ErrorCode[]
}

/** A request for an operation. */
export interface Call<Body = unknown> {
  /** The address by which the mock was reached. */
  readonly base: string
  readonly signal: AbortSignal
  /** A parameter in the path. */
  readonly param: (name: string) => string
  /** The parameters in the query string, as they were sent. */
  readonly query: Readonly<Partial<Record<string, string>>>
  readonly body: Body
}

/** An operation whose `run` receives the body as its schema parses it. */
export function operation<Body extends z.ZodMiniType>(
  route: Route,
  summary: string,
  described: Described<Body>,
  run: (call: Call<z.output<Body>>) => unknown,
): Operation {
  return { route, summary, ...described, run } as Operation
}

/** The parameters of a list that is returned in pages. A number that is no such number counts as the default. */
export const PAGING = {
  limit: parameter('How many rows.', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  page: parameter('Which page of them.', { type: 'integer', minimum: 1, default: 1 }),
}

/** The parameters of a list that can be searched. */
export const SEARCH = {
  search: parameter('A text that a row has to contain, in any case.'),
  ...PAGING,
}

/** An optional parameter in a query string. */
export function parameter(description: string, schema: Readonly<Record<string, unknown>> = {}) {
  return z.optional(z.string().check(z.meta({ description, ...schema })))
}
