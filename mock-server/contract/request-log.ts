/** A request and its answer. It has no headers, and the names of keys in place of keys. */
export interface MockExchange {
  /** 1 for the first request of this world. */
  readonly number: number
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly method: string
  /** The path below the mock's base, with the query string. */
  readonly target: string
  /** The name of the API key that was sent; `null` where there was none or it is unknown. */
  readonly key: string | null
  /** The operations that were selected, whatever names the client gives them. */
  readonly operations: readonly string[]
  /** The body, at most its first 16,384 characters; `null` where it could not be read. */
  readonly body: string | null
  /** The status that was sent; `null` where a fault withheld the answer. */
  readonly status: number | null
  /** The answer, at most its first 16,384 characters; `null` where a fault withheld it. */
  readonly answer: string | null
  /** Whether a fault hit it. */
  readonly faulty: boolean
}

/**
 * The last 1,000 requests to a world.
 *
 * @example
 * ```ts
 * expect(mock.requestLog.list().filter(({ operations }) => operations.includes('developerCreateCertificationInvite'))).toHaveLength(1)
 * ```
 */
export interface MockRequestLog {
  /**
   * The requests, oldest first.
   *
   * @example
   * ```ts
   * const refused = mock.requestLog.list().filter(({ status }) => status !== 200)
   * ```
   */
  list(): readonly MockExchange[]
  /**
   * The last 100 requests over HTTP that are from none of the clients under test, oldest first: one from a page of another
   * origin, or one without any credentials, such as a browser's look for an icon. They are not in `list`, and have numbers
   * of their own. In process, no request is ignored.
   *
   * @example
   * ```ts
   * const keyless = mock.requestLog.ignored.filter(({ target }) => target === '/api/developer/graphql')
   * ```
   */
  readonly ignored: readonly MockExchange[]
  /**
   * How many requests the log no longer has.
   *
   * @example
   * ```ts
   * expect(mock.requestLog.dropped).toBe(0)
   * ```
   */
  readonly dropped: number
  /**
   * Forgets all requests. The numbering continues.
   *
   * @example
   * ```ts
   * mock.requestLog.clear()
   * ```
   */
  clear(): void
}
