import type { MockRequest, MockResponse } from './fetch-types.ts'

/** The header that names the event, in every attempt. */
export const EVENT_ID_HEADER = 'x-certify-event-id'

/**
 * How callbacks get to where they are sent. A `callbackUrl` is https, and an application under test seldom is: either map
 * its host, or take the events straight into the test.
 *
 * @example
 * ```ts
 * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
 * ```
 */
export interface MockCallbackOptions {
  /**
   * Takes every callback in place of the network: an application's own route handler, as web frameworks have it. Any 2xx
   * acknowledges.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { deliver: (request) => app.fetch(request) } })
   * ```
   */
  readonly deliver?: (request: MockRequest) => MockResponse | Promise<MockResponse>
  /**
   * Where the callbacks of an origin are sent instead.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
   * ```
   */
  readonly hosts?: Readonly<Record<string, string>>
  /**
   * The names of hosts that may be contacted besides loopback addresses. Callbacks to any other host are blocked.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { allow: ['hooks.staging.example'] } })
   * ```
   */
  readonly allow?: readonly string[]
  /**
   * How long an answer is waited for, in milliseconds of real time. Default 10,000.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { timeoutMs: 500 } })
   * ```
   */
  readonly timeoutMs?: number
}

/**
 * One event on its way to a `callbackUrl`.
 *
 * - `waiting`: its turn has not come, or it waits for another attempt.
 * - `delivered`: it was acknowledged.
 * - `given-up`: no attempt is left; by default the events behind it wait until it is redelivered.
 * - `skipped`: no attempt was left, and the events behind it went on.
 * - `blocked`: its host is neither loopback nor allowed; nothing was contacted.
 * - `dropped`: a fault lost it.
 */
export interface MockCallback {
  /** The identifier of the event: the same in every attempt. */
  readonly id: string
  readonly type: string
  readonly url: string
  /** The invite that it is about. */
  readonly inviteId: string
  /** What is sent, byte by byte the same in every attempt. */
  readonly body: string
  readonly status: 'waiting' | 'delivered' | 'given-up' | 'skipped' | 'blocked' | 'dropped'
  /** ISO 8601 in UTC. */
  readonly occurredAt: string
  /** When the next attempt is due; `null` where there is none, another event has to go first, or callbacks are paused. */
  readonly nextAttemptAt: string | null
  readonly attempts: readonly MockCallbackAttempt[]
}

/** One attempt to deliver a callback: the status that came back, or why there was none. */
export interface MockCallbackAttempt {
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly status: number | null
  readonly error: string | null
}

/**
 * The events that invites with a `callbackUrl` give rise to. Those of one candidate to one address are delivered one
 * after the other, and each waits until the one before it was acknowledged; others do not wait for them.
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
   * The log, oldest first: everything that waits, and the last 10,000 that do not.
   *
   * @example
   * ```ts
   * const lost = mock.callbacks.list().filter(({ status }) => status === 'given-up')
   * ```
   */
  list(): readonly MockCallback[]
  /**
   * Hands every callback to this from now on, in place of the network and of `deliver` in the options; until `reset`. An
   * application's own route handler, as web frameworks have it: any 2xx acknowledges. It must not wait for the mock to
   * settle, which waits for it.
   *
   * @example
   * ```ts
   * mock.callbacks.deliverTo((request) => app.fetch(request))
   * ```
   */
  deliverTo(deliver: (request: MockRequest) => MockResponse | Promise<MockResponse>): void
  /**
   * Sends an event once more, whatever became of it: the same identifier and the same body, with all its attempts anew, and
   * at its own place among those of its candidate and address that wait.
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
   * Whether no further attempts are begun, because of `pause`.
   *
   * @example
   * ```ts
   * if (mock.callbacks.paused) mock.callbacks.resume()
   * ```
   */
  readonly paused: boolean
  /**
   * Begins no further attempts, until resumed. One that is under way is finished.
   *
   * @example
   * ```ts
   * mock.callbacks.pause()
   * ```
   */
  pause(): void
  /**
   * Goes on with what waits.
   *
   * @example
   * ```ts
   * mock.callbacks.resume()
   * await mock.settle()
   * ```
   */
  resume(): void
}
