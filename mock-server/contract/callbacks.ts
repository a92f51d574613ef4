import type { MockCallback } from '../generated/contract.ts'
import type { MockRequest, MockResponse } from './fetch-types.ts'

/** The header with the identifier of the event: the same in every attempt. */
export const EVENT_ID_HEADER = 'x-certify-event-id'

/**
 * The host of the receiver in the mock itself. Callbacks to `https://sandbox.callback/…` are answered with 200 and kept
 * in the log, without reaching the network or a handler.
 */
export const RECEIVER_HOST = 'sandbox.callback'

/**
 * The events of invites with a `callbackUrl`. Events of one candidate for one address are delivered in order: each
 * waits until the previous one is acknowledged. Other events do not wait for them.
 *
 * @example
 * ```ts
 * mock.open(invite.challengeUrl).pass()
 * await mock.settle()
 * expect(mock.callbacks.list()).toMatchObject([{ type: 'certification.completed', status: 'delivered' }])
 * ```
 */
export interface MockCallbacks {
  /** The log, oldest first. */
  list(): readonly MockCallback[]
  /**
   * Sends every callback to this address or this handler, overriding the options `deliver` and `hosts`, until `reset`.
   * Any 2xx acknowledges. A handler must not await `mock.settle()`, which waits for it.
   *
   * @param target an origin to contact instead of the one in each `callbackUrl`, or a handler to call instead of the
   *   network
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
   * place among the waiting events of its candidate and address. Does nothing while an attempt is under way.
   *
   * @throws Error when there is no such event.
   */
  redeliver(id: string): void
  /** Whether deliveries are paused. */
  readonly paused: boolean
  /** Begins no further attempts until `resume`. An attempt in progress is finished. */
  pause(): void
  /** Delivers the waiting events. */
  resume(): void
}
