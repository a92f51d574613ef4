/**
 * What a ledger on Postgres needs of a client: a `Pool` of `pg` or of Neon, PGlite, or an object of yours around the pool of
 * another one, as `{ query: (text, values) => sql.unsafe(text, values) }` with `postgres`. For `enqueue`, the client of your
 * transaction.
 */
export interface PostgresClient {
  /** Runs one statement. `values` are texts, for `$1` and so on. */
  readonly query: (text: string, values?: unknown[]) => PromiseLike<QueryResult>
}

/** The rows of a statement, alone or in an object. */
export type QueryResult = { readonly rows: readonly object[] } | readonly object[]
