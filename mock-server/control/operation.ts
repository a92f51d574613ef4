import type * as z from 'zod/mini'
import type { ErrorCode } from './control-errors.ts'

/** One operation of the control API: what it does, and what the OpenAPI document says about it. */
export interface Operation extends Described<z.ZodMiniType, z.ZodMiniObject> {
  /** The method, and the path below `/__mock`. Names in braces are parameters. */
  readonly route: Route
  readonly summary: string
  readonly run: (call: Call) => unknown
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
  /** The JSON that is returned; without it the answer is 204 and empty. */
  readonly result?: z.ZodMiniType
  /** The status of the answer. Default 200. */
  readonly status?: 200 | 201
  /** The codes of its errors, besides those that every operation of its method has. */
  readonly errors?: readonly ErrorCode[]
}

/** A request for an operation. */
export interface Call<Body = unknown, Query = unknown> {
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
  run: (call: Call<z.output<Body>, z.output<Query>>) => unknown,
): Operation {
  return { route, summary, ...described, run } as Operation
}
