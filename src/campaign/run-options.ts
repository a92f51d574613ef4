import type { AbortSignalLike } from '../index.ts'

/** The options of a run. */
export interface RunOptions {
  /** The most requests at the same time, 1 or more. Default: 8. */
  readonly concurrency?: number | undefined
  /** The most requests in a second. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Ends the run after so many refused, failed or unknown rows. Default: never. */
  readonly maxFailures?: number | undefined
  /** Starts no further row. Requests that were sent are awaited and recorded. */
  readonly signal?: AbortSignalLike | undefined
  /** `create` sends rows with an unknown outcome again. Default: `refuse`. */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /** The limit for one create, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
  /**
   * How long the service may fail to respond before the run ends, in milliseconds, 0 or more. Meanwhile no create is sent,
   * and a query probes the service. Default: 600,000.
   */
  readonly maxOutageMs?: number | undefined
  /** Ends the run if `Retry-After` asks for a longer wait, in milliseconds, 0 or more. Default: no limit. */
  readonly maxWaitMs?: number | undefined
}
