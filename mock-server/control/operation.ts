import type * as z from 'zod/mini'

/** One operation of the control API: what it does, and what the document of the API says about it. */
export interface Operation {
  /** The method, and the path from `/__mock` on; what is in braces is a parameter. */
  readonly way: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`
  readonly summary: string
  /** The names of the parameters in the query string: those of {@link QUERY}. */
  readonly query?: readonly (keyof typeof QUERY)[]
  readonly body?: Body
  /** What is answered, as JSON, with this status; 204 and nothing where it is left out. */
  readonly answer?: { readonly status?: 201; readonly schema: z.ZodMiniType }
  readonly run: (call: Call) => unknown
}

/** What a body is checked by, what the document says where the mock checks it itself, and an example that works, where one can be given. */
interface Body {
  readonly schema: z.ZodMiniType
  readonly described?: z.ZodMiniType
  readonly example?: unknown
}

/** A request for an operation. */
export interface Call<Given = unknown> {
  /** Where the mock is reached. */
  readonly base: string
  readonly signal: AbortSignal
  /** A parameter in the path. */
  readonly param: (name: string) => string
  readonly query: Readonly<Partial<Record<keyof typeof QUERY, string>>>
  readonly body: Given
}

/** An operation with a body, whose `run` gets what the schema makes of it. */
export function withBody<Schema extends z.ZodMiniType>(
  operation: Omit<Operation, 'body' | 'run'> & {
    readonly body: Body & { readonly schema: Schema }
    readonly run: (call: Call<z.output<Schema>>) => unknown
  },
): Operation {
  return operation as Operation
}

/** The parameters that a query string can have. */
export const QUERY = {
  search: { description: 'A text that has to be in a row, in any case.', schema: { type: 'string' } },
  status: { description: 'The status that an invite has to have.', schema: { type: 'string' } },
  to: { description: 'The address that an e-mail was sent to.', schema: { type: 'string' } },
  after: { description: 'The inviteId of a known e-mail: only later ones count.', schema: { type: 'string' } },
  limit: { description: 'How many rows.', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
  page: { description: 'Which page of them.', schema: { type: 'integer', minimum: 1, default: 1 } },
  timeoutMs: {
    description: 'How long to wait, in milliseconds.',
    schema: { type: 'integer', minimum: 0, maximum: 600_000, default: 5000 },
  },
} as const
