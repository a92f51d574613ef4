/** A request that came in, and what was answered. It holds no headers, and the keys of the world stand in it by their names. */
export interface MockExchange {
  /** 1 for the first request of this world. */
  readonly number: number
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly method: string
  /** From the mock's base on, with the query string. */
  readonly target: string
  /** The name of the API key that was sent; `null` where there was none or nobody knows it. */
  readonly key: string | null
  /** The operations that were asked for, whatever the client calls them. */
  readonly operations: readonly string[]
  /** The body, at most its first 16,384 characters; `null` where it was too large to be read. */
  readonly body: string | null
  /** The status that was sent; `null` where a fault kept the answer back. */
  readonly status: number | null
  /** What was sent, at most its first 16,384 characters; `null` where a fault kept the answer back. */
  readonly answer: string | null
  /** Whether a fault decided what came of it. */
  readonly faulty: boolean
}

/**
 * The last 1,000 requests of a world, of whatever kind: a client of an API is known by its requests.
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
   * How many requests are in it no more.
   *
   * @example
   * ```ts
   * expect(mock.requestLog.dropped).toBe(0)
   * ```
   */
  readonly dropped: number
  /**
   * Forgets all requests; the numbers go on.
   *
   * @example
   * ```ts
   * mock.requestLog.clear()
   * ```
   */
  clear(): void
}
