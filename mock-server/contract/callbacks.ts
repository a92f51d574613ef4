import type { MockRequest, MockResponse } from './fetch-types.ts'

/** The header with the identifier of the event: the same in every attempt. */
export const EVENT_ID_HEADER = 'x-certify-event-id'

/**
 * The host of the receiver in the mock itself. Callbacks to `https://sandbox.callback/…` are answered with 200 and kept in
 * the log, and reach no network and no handler.
 */
export const RECEIVER_HOST = 'sandbox.callback'

/**
 * How callbacks reach the application under test. A `callbackUrl` is https, and such an application seldom is: map its
 * host, or handle the events in the test itself. Callbacks to `https://sandbox.callback/…` need neither: the mock answers
 * them with 200 and keeps them.
 *
 * @example
 * ```ts
 * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
 * ```
 */
export interface MockCallbackOptions {
  /**
   * Handles every callback in place of the network, as an application's own route handler does. Any 2xx acknowledges.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { deliver: (request) => app.fetch(request) } })
   * ```
   */
  readonly deliver?: (request: MockRequest) => MockResponse | Promise<MockResponse>
  /**
   * Maps the origin of a `callbackUrl` to the origin that is contacted instead.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
   * ```
   */
  readonly hosts?: Readonly<Record<string, string>>
  /**
   * The host names that may be contacted besides loopback addresses. Callbacks to any other host are blocked. Names that end
   * with `.localhost` are looked up first, and blocked where one of their addresses is not loopback.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { allow: ['hooks.staging.example'] } })
   * ```
   */
  readonly allow?: readonly string[]
  /**
   * The time-out of an attempt, in milliseconds of real time. Default 10,000.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { timeoutMs: 500 } })
   * ```
   */
  readonly timeoutMs?: number
}

/**
 * One event to a `callbackUrl`.
 *
 * - `waiting`: it waits for its first attempt or a retry.
 * - `delivered`: it was acknowledged.
 * - `given-up`: no retry is left; by default the events behind it wait until it is redelivered.
 * - `skipped`: no retry was left, and the events behind it were delivered.
 * - `blocked`: its host is neither loopback nor allowed; nothing was contacted.
 * - `dropped`: a fault lost it.
 */
export interface MockCallback {
  /** The identifier of the event: the same in every attempt. */
  readonly id: string
  readonly type: string
  readonly url: string
  /** The invite of the event. */
  readonly inviteId: string
  /** The body: the same bytes in every attempt. */
  readonly body: string
  readonly status: 'waiting' | 'delivered' | 'given-up' | 'skipped' | 'blocked' | 'dropped'
  /** ISO 8601 in UTC. */
  readonly occurredAt: string
  /** When the next attempt is due; `null` where there is none, another event comes first, or callbacks are paused. */
  readonly nextAttemptAt: string | null
  /** The identifier of the event that has to be acknowledged first; `null` where there is none. */
  readonly waitsBehind: string | null
  readonly attempts: readonly MockCallbackAttempt[]
}

/** The statuses of a callback. */
export const CALLBACK_STATUSES = ['waiting', 'delivered', 'given-up', 'skipped', 'blocked', 'dropped'] as const

/** One attempt to deliver a callback: the status of the answer, or why there was none. */
export interface MockCallbackAttempt {
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  /** The headers that were sent; the password of the URL is hidden. Empty where nothing was sent. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The body of the answer, at most its first 4,096 characters; `null` where there was none or it could not be read. */
  readonly answer: string | null
}

/**
 * The events of invites with a `callbackUrl`. Those of one candidate to one address are delivered in order: each waits
 * until the one before it was acknowledged. Other events do not wait for them.
 *
 * @example
 * ```ts
 * mock.open(invite.challengeUrl).pass()
 * await mock.settle()
 * expect(mock.callbacks.list()).toMatchObject([{ type: 'certification.completed', status: 'delivered' }])
 * ```
 */
export interface MockCallbacks {
  /**
   * The log, oldest first: every event that waits, and the last 10,000 that no longer wait.
   *
   * @example
   * ```ts
   * const lost = mock.callbacks.list().filter(({ status }) => status === 'given-up')
   * ```
   */
  list(): readonly MockCallback[]
  /**
   * Sends every callback to this address or this handler, in place of the options `deliver` and `hosts`, until `reset`. Any
   * 2xx acknowledges. A handler must not await `mock.settle()`, which waits for it.
   *
   * @param target an origin that is contacted in place of that of each `callbackUrl`, or a handler in place of the network
   * @throws Error when it is neither
   * @example
   * ```ts
   * mock.callbacks.deliverTo((request) => app.fetch(request))
   * mock.callbacks.deliverTo('http://127.0.0.1:3000')
   * ```
   */
  deliverTo(target: string | ((request: MockRequest) => MockResponse | Promise<MockResponse>)): void
  /**
   * Sends an event again, whatever its status: with the same identifier and body, and with all its retries. It keeps its
   * place among the waiting events of its candidate and address.
   *
   * @throws Error when there is no such event.
   * @example
   * ```ts
   * for (const { id, status } of mock.callbacks.list()) if (status === 'given-up') mock.callbacks.redeliver(id)
   * await mock.settle()
   * ```
   */
  redeliver(id: string): void
  /**
   * Whether deliveries are paused.
   *
   * @example
   * ```ts
   * if (mock.callbacks.paused) mock.callbacks.resume()
   * ```
   */
  readonly paused: boolean
  /**
   * Begins no further attempts until `resume`. An attempt under way is finished.
   *
   * @example
   * ```ts
   * mock.callbacks.pause()
   * ```
   */
  pause(): void
  /**
   * Delivers what waits.
   *
   * @example
   * ```ts
   * mock.callbacks.resume()
   * await mock.settle()
   * ```
   */
  resume(): void
}
