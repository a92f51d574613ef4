import type * as z from 'zod/mini'

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
  /** The names of its parameters in the query string. */
  readonly query?: readonly (keyof typeof QUERY)[]
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
}

/** A request for an operation. */
export interface Call<Body = unknown> {
  /** The address by which the mock was reached. */
  readonly base: string
  readonly signal: AbortSignal
  /** A parameter in the path. */
  readonly param: (name: string) => string
  readonly query: Readonly<Partial<Record<keyof typeof QUERY, string>>>
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

/** The parameters of a list that is returned in pages. */
export const PAGING = ['search', 'limit', 'page'] as const

/** The parameters that a query string can have. */
export const QUERY = {
  search: { description: 'A text that a row has to contain, in any case.', schema: { type: 'string' } },
  status: { description: 'The status that an invite has to have.', schema: { type: 'string' } },
  to: { description: 'The address that an e-mail was sent to.', schema: { type: 'string' } },
  after: { description: 'The inviteId of a known e-mail: only later ones count.', schema: { type: 'string' } },
  ignored: {
    description: 'true: the last 100 requests from none of the clients under test, in place of the others.',
    schema: { type: 'boolean', default: false },
  },
  limit: { description: 'How many rows.', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
  page: { description: 'Which page of them.', schema: { type: 'integer', minimum: 1, default: 1 } },
  timeoutMs: {
    description: 'How long to wait, in milliseconds.',
    schema: { type: 'integer', minimum: 0, maximum: 600_000, default: 5000 },
  },
} as const
