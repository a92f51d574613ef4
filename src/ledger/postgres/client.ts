/**
 * What a ledger on Postgres needs of a client: a `Pool` or `Client` of `pg`, one of PGlite, or an object of yours around
 * another one, as `{ query: (text, values) => sql.unsafe(text, values) }` with `postgres`.
 */
export interface PostgresClient {
  /** Runs one statement. `values` are texts, for `$1` and so on. */
  readonly query: (text: string, values?: unknown[]) => PromiseLike<QueryResult>
}

/** The rows of a statement, alone or in an object. */
export type QueryResult = { readonly rows: readonly object[] } | readonly object[]
