import type { OperationName } from '../generated/operation-name.ts'
import type { Duration } from '../world/clock.ts'

/**
 * What happens to one request.
 *
 * - a number: an HTTP status with the HTML page of a gateway; 429 and 503 come without `retry-after`.
 * - `cut`: the connection ends without an answer; `reset`: it is reset, as by a crash.
 * - `hang`: no answer ever comes; the connection stays open until the client gives up.
 * - `stall`: status, headers and half of the body come, then nothing more.
 * - `truncate`: status, headers and half of the body come, then the connection ends.
 * - an object with `status`: exactly this answer. `mock.fetch` returns a redirect and never follows it.
 * - an object with `code`: a GraphQL error, in the form that the behaviour switches set. Its `data` is absent (the
 *   default), null, or the true result, which exists only after the effect.
 * - an object with `delayMs`: the true answer, this many milliseconds of real time after its effect. A pair is a range.
 *
 * Before the effect there is no true body: `stall` and `truncate` then send half of a GraphQL error.
 *
 * @example
 * ```ts
 * const limited: Fault = { status: 429, headers: { 'retry-after': '2' } }
 * ```
 */
export type Fault =
  | number
  | 'cut'
  | 'reset'
  | 'hang'
  | 'stall'
  | 'truncate'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | { readonly code: string; readonly data?: 'absent' | 'null' | 'result' }
  | { readonly delayMs: number | readonly [from: number, to: number] }

/**
 * What happens to one attempt to deliver a callback.
 *
 * - `refuse`: nobody answers; it is retried like any other.
 * - `drop`: it is lost, and the service believes that it arrived.
 * - `duplicate`: it arrives twice.
 * - `reorder`: it arrives only after the next event for the same candidate and address.
 * - `forged`: before it, the same event arrives at an address whose last part is wrong, as from somebody else.
 * - `truncated`: half of its body arrives. `huge`: it arrives with five million spaces. Both are retried unless acknowledged.
 * - `bad-signature`, `stale-timestamp`: it arrives with an invalid signature; only where callbacks are signed.
 * - an object with `delay`: it is postponed for this long, on the world's clock.
 *
 * @example
 * ```ts
 * mock.faults.add({ event: 'certification.completed', fault: 'duplicate' })
 * ```
 */
export type CallbackFault =
  | 'refuse'
  | 'drop'
  | 'duplicate'
  | 'reorder'
  | 'forged'
  | 'truncated'
  | 'huge'
  | 'bad-signature'
  | 'stale-timestamp'
  | { readonly delay: Duration }

/**
 * Which requests a fault hits, when, and how. A request has to match every condition of the rule. A rule without
 * conditions matches every request to the endpoint, even one that cannot be parsed. Over HTTP, a request that is from none
 * of the clients under test uses up no rule: one from a page of another origin, or without any credentials.
 *
 * @example
 * ```ts
 * const rule: FaultRule = { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' }
 * ```
 */
export interface FaultRule {
  /**
   * The operation that the request would execute, whatever name the client gives it. A request that cannot be executed
   * matches none.
   *
   * @example
   * ```ts
   * mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 502 })
   * ```
   */
  readonly operation?: OperationName
  /**
   * The name of the request's API key. `null`: requests without a known key, among them those that no other rule hits.
   *
   * @example
   * ```ts
   * mock.faults.add({ key: 'read', fault: 429 })
   * mock.faults.add({ key: null, fault: 401 })
   * ```
   */
  readonly key?: string | null
  /**
   * The address of the invited candidate, compared as the switch `candidateIdentity` says. Together with `operation`, both
   * have to match the same operation.
   *
   * @example
   * ```ts
   * mock.faults.add({ email: 'ines@candidate.test', fault: 'hang' })
   * ```
   */
  readonly email?: string
  /**
   * `before`, the default: nothing is executed. `after`: the request is executed, invites exist and e-mails are sent; the
   * fault hits only the answer.
   *
   * @example
   * ```ts
   * mock.faults.add({ phase: 'after', fault: 504 })
   * ```
   */
  readonly phase?: 'before' | 'after'
  /**
   * How many matching requests pass first. No later rule decides on them. Default 0.
   *
   * @example
   * ```ts
   * mock.faults.add({ skip: 2, fault: 'cut' }) // the third request
   * ```
   */
  readonly skip?: number
  /**
   * The probability that a matching request is hit, above 0 and at most 1. The seed of the mock decides which ones are
   * hit. With it, `times` is `Infinity` by default. Default 1.
   *
   * @example
   * ```ts
   * mock.faults.add({ probability: 0.05, fault: 502 })
   * ```
   */
  readonly probability?: number
  /**
   * How many requests `fault` hits: 1 or more, or `Infinity`, which is `null` in JSON. Default 1.
   *
   * @example
   * ```ts
   * mock.faults.add({ times: Infinity, fault: 503 }) // until it is removed
   * ```
   */
  readonly times?: number | null
  /**
   * What happens to each request that is hit. A rule has this or `script`.
   *
   * @example
   * ```ts
   * mock.faults.add({ fault: { code: 'RATE_LIMITED' } })
   * ```
   */
  readonly fault?: Fault
  /**
   * What happens to each matching request in turn; `ok` lets one pass.
   *
   * @example
   * ```ts
   * mock.faults.add({ script: [503, 503, 'ok', 'cut'] })
   * ```
   */
  readonly script?: readonly (Fault | 'ok')[]
}

/**
 * Which attempts to deliver a callback a fault hits, and how. It counts as rules for requests do.
 *
 * @example
 * ```ts
 * const rule: CallbackFaultRule = { event: 'certification.completed', times: 2, fault: 'refuse' }
 * ```
 */
export interface CallbackFaultRule extends Pick<FaultRule, 'email' | 'skip' | 'times' | 'probability'> {
  /**
   * The type of the event, as it is sent; `any` for all.
   *
   * @example
   * ```ts
   * mock.faults.add({ event: 'any', script: ['refuse', 'ok', 'duplicate'] })
   * ```
   */
  readonly event: string
  readonly fault?: CallbackFault
  readonly script?: readonly (CallbackFault | 'ok')[]
}
