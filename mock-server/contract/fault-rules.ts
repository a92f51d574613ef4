import type { Duration } from '../world/clock.ts'

/**
 * What happens to one request.
 *
 * - a number: an HTTP status as a gateway gives it, with a page in HTML; 429 and 503 come without `retry-after`.
 * - `cut`: the connection ends without an answer; `reset`: it is reset, as by a crash.
 * - `hang`: no answer ever comes; the connection stays until the client gives up.
 * - `stall`: status, headers and half of the body come, then nothing more.
 * - `truncate`: status, headers and half of the body come, then the connection ends.
 * - an object with `status`: this answer and nothing else. `mock.fetch` gives a redirect back and never follows it.
 * - an object with `code`: a GraphQL error, sent as the behaviour switches have errors. `data` beside it is absent (the
 *   default), null, or the true result, which exists only after the effect.
 * - an object with `delayMs`: the true answer, but so many milliseconds of real time after its effect; of a pair, some
 *   number from the first to the second.
 *
 * Before the effect there is no true body to break: `stall` and `truncate` then give half of a GraphQL error.
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
 * - `refuse`: nobody answers; it is tried again like any other.
 * - `drop`: it is lost, and the service believes that it arrived.
 * - `duplicate`: it arrives twice.
 * - `reorder`: it arrives only after the next event for the same candidate and address.
 * - `bad-signature`, `stale-timestamp`: it arrives with a signature that does not hold; only where callbacks are signed.
 * - an object with `delay`: it is put off for this long, on the world's clock.
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
  | 'bad-signature'
  | 'stale-timestamp'
  | { readonly delay: Duration }

/**
 * Which requests suffer, when, and from what. A request has to fit everything that the rule says of it; a rule that says
 * nothing fits every request to the endpoint, also one that cannot be parsed.
 *
 * @example
 * ```ts
 * const rule: FaultRule = { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' }
 * ```
 */
export interface FaultRule {
  /**
   * What the request would execute: the fields that its operation selects, whatever the client calls them. One that cannot
   * be executed at all selects nothing.
   *
   * @example
   * ```ts
   * mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 502 })
   * ```
   */
  readonly operation?:
    | 'developerCertificationPackageTracks'
    | 'developerCreateCertificationInvite'
    | 'developerCreateCertificationPackageInvite'
  /**
   * The name of the API key that the request carries.
   *
   * @example
   * ```ts
   * mock.faults.add({ key: 'read', fault: 429 })
   * ```
   */
  readonly key?: string
  /**
   * The address of the candidate who is invited, compared as the switch `candidateIdentity` says. Together with
   * `operation`, both have to fit the same field.
   *
   * @example
   * ```ts
   * mock.faults.add({ email: 'ines@candidate.test', fault: 'hang' })
   * ```
   */
  readonly email?: string
  /**
   * `before`, the default: nothing is executed. `after`: the request is executed, invites exist and e-mails are sent; only
   * the answer suffers.
   *
   * @example
   * ```ts
   * mock.faults.add({ phase: 'after', fault: 504 })
   * ```
   */
  readonly phase?: 'before' | 'after'
  /**
   * How many requests that fit are let pass first; while it does so, no later rule is asked. Default 0.
   *
   * @example
   * ```ts
   * mock.faults.add({ skip: 2, fault: 'cut' }) // the third request
   * ```
   */
  readonly skip?: number
  /**
   * With which probability a request that fits is hit at all, above 0 and at most 1. Which ones are hit follows from the
   * seed of the mock. `times` then is `Infinity` where nothing else is said. Default 1.
   *
   * @example
   * ```ts
   * mock.faults.add({ probability: 0.05, fault: 502 })
   * ```
   */
  readonly probability?: number
  /**
   * How many requests `fault` hits: 1 or more, also `Infinity`, for which `null` stands in JSON. Default 1.
   *
   * @example
   * ```ts
   * mock.faults.add({ times: Infinity, fault: 503 }) // until it is removed
   * ```
   */
  readonly times?: number | null
  /**
   * What happens to each request that is hit. Either this or `script`.
   *
   * @example
   * ```ts
   * mock.faults.add({ fault: { code: 'RATE_LIMITED' } })
   * ```
   */
  readonly fault?: Fault
  /**
   * What happens to one request after the other; `ok` lets one pass.
   *
   * @example
   * ```ts
   * mock.faults.add({ script: [503, 503, 'ok', 'cut'] })
   * ```
   */
  readonly script?: readonly (Fault | 'ok')[]
}

/**
 * Which attempts to deliver a callback suffer, and from what. Counted as the rules for requests are.
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
