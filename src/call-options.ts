import type { AbortSignalLike } from './transport/fetch.ts'

/** How many attempts a call may make: 1 to 10; `false` means one. */
export type RetryOption = Pick<ClientLimits, 'maxAttempts'> | false

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignalLike | undefined
  /** The limit for one attempt, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined
  /** The limit for this call including all its attempts and waits, in milliseconds. Default: the client's. */
  readonly deadlineMs?: number | undefined
  /** How many attempts this call may make. Default: the client's. */
  readonly retry?: RetryOption | undefined
  /**
   * Your own identifier for this call instead of a new UUID: 1 to 120 letters, digits and `_.=-`. Sent as
   * `x-client-reference`. With a ledger it is the idempotency key of a create: see {@link CreateOptions}.
   */
  readonly reference?: string | undefined
  /**
   * Called with the headers of each complete response. They come from the service and may contain anything. Like
   * `hooks`, it cannot change or delay the call.
   */
  readonly onResponse?: ((header: (name: string) => string | null) => void) | undefined
}

/**
 * The options of a create.
 *
 * With a ledger, `reference` is the idempotency key. The same reference with the same input returns the recorded
 * invite, however often it is called and from however many processes, or throws PRIOR_OUTCOME_UNKNOWN if there may be one. A
 * failure with the outcome `not-executed` uses nothing up: the next create with the reference is sent. Once something was or
 * may have been created, a different input with the same reference is REFERENCE_CONFLICT.
 *
 * With any reference, or none, the candidate and the quizzes are compared, too: see `ifInvited` and `ifUnknown`.
 */
export interface CreateOptions extends CallOptions {
  /**
   * With a ledger: what to do if the candidate has an open invite. `refuse` (default) throws ALREADY_INVITED, `reuse`
   * returns the recorded invite if its input is the same, `create` sends another one.
   */
  readonly ifInvited?: 'refuse' | 'reuse' | 'create' | undefined
  /**
   * With a ledger: what to do if an earlier outcome is unknown. `refuse` (default) throws PRIOR_OUTCOME_UNKNOWN,
   * `create` sends another one.
   */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /** With a ledger: how long to wait for another call that is inviting the same candidate, in milliseconds. Default: the client's. */
  readonly waitForInProgressMs?: number | undefined
}

/** The options of one send. Not public. */
export interface SendOptions extends CallOptions {
  /**
   * Wall-clock deadline in Unix milliseconds: no request is sent that might still be running then. Leases need it
   * because timers stand still while the machine sleeps or the process is stopped. Default: no limit.
   */
  readonly mustEndBy?: number | undefined
  /** When the call began, by the monotonic clock: its deadline counts from then. Default: now. */
  readonly startedAt?: number | undefined
}

/** The limits of a client's calls, with defaults. */
export interface ClientLimits {
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number
  /** For a call including all its attempts and waits, in milliseconds. */
  readonly deadlineMs: number
  /** How many attempts a call may make. */
  readonly maxAttempts: number
}
