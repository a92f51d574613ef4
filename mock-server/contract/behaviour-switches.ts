import type { Duration } from '../world/clock.ts'
import type { WorldSwitches } from '../world/rule-switches.ts'

/**
 * Everything that the specification leaves open, one switch each. The defaults are choices, not facts about the service:
 * software that works under every setting works whatever the service does.
 *
 * @example
 * ```ts
 * const strict = createMockServer({ behaviour: { pendingInvite: 'refuse', errorCodePlace: 'top-level' } })
 * ```
 */
export interface BehaviourSwitches extends WorldSwitches {
  /**
   * The answer to a request with no key or an unknown one: a GraphQL error UNAUTHENTICATED with HTTP 200 or 401, an HTML
   * page with HTTP 401, or a GraphQL error without a code with HTTP 200. Default `graphql-200`.
   */
  readonly unauthenticatedAnswer: 'graphql-200' | 'graphql-401' | 'html-401' | 'graphql-200-without-code'
  /** The same for a caller without the scope: FORBIDDEN, and HTTP 403 in place of 401. Default `graphql-200`. */
  readonly forbiddenAnswer: 'graphql-200' | 'graphql-403' | 'html-403' | 'graphql-200-without-code'
  /** The place of an error's code: `errors[].extensions.code`, `errors[].code`, or none. Default `extensions`. */
  readonly errorCodePlace: 'extensions' | 'top-level' | 'none'
  /** The HTTP status of a GraphQL answer with other errors than those of the two switches above. Default `200`. */
  readonly errorStatus: 200 | 400
  /**
   * The `data` of a refused operation. `null`: no data at all; `partial`: an object in which the refused operation is null,
   * while others in the same request keep their results. Default `null`.
   */
  readonly refusedData: 'null' | 'partial'
  /**
   * How many requests a key, or a session, may send in a period; then HTTP 429 with `retry-after`. The world's clock
   * measures the period: while it is frozen, the period does not end. Default `none`.
   */
  readonly rateLimit: 'none' | { readonly requests: number; readonly per: Duration }
  /** The delay before each retry of a callback that was not acknowledged. Default 1 s, 5 s, 30 s, 5 min, 1 h. */
  readonly callbackRetries: readonly Duration[]
  /**
   * What happens to the events behind one that was given up. `stall`: they wait until it is redelivered; `skip`: they are
   * delivered, and the log shows the gap. Default `stall`.
   */
  readonly givenUpCallback: 'stall' | 'skip'
  /** Other names for the types of events and for the fields of their `data`. Default: none. */
  readonly eventNames: Readonly<Record<string, string>>
  /** The signature of callbacks: none, or Standard Webhooks with this secret (`whsec_` and base64). Default `none`. */
  readonly callbackSigning: 'none' | { readonly standardWebhooks: string }
}
