import type { Duration } from '../world/clock.ts'
import type { WorldSwitches } from '../world/rule-switches.ts'

/**
 * Everything that the specification leaves open and a mock has to decide, one switch each. The defaults are choices,
 * not facts about the service: software that is right under every setting is right whatever the service does.
 *
 * @example
 * ```ts
 * const strict = createMockServer({ behaviour: { pendingInvite: 'refuse', errorCodePlace: 'top-level' } })
 * ```
 */
export interface BehaviourSwitches extends WorldSwitches {
  /**
   * How a request with no key or an unknown one is answered: as a GraphQL error UNAUTHENTICATED under HTTP 200 or 401,
   * as an HTML page under HTTP 401, or as a GraphQL error under HTTP 200 that has no code. Default `graphql-200`.
   */
  readonly unauthenticatedAnswer: 'graphql-200' | 'graphql-401' | 'html-401' | 'graphql-200-without-code'
  /** The same for a caller who lacks the scope: FORBIDDEN, and HTTP 403 in place of 401. Default `graphql-200`. */
  readonly forbiddenAnswer: 'graphql-200' | 'graphql-403' | 'html-403' | 'graphql-200-without-code'
  /** Where the code of an error stands: `errors[].extensions.code`, `errors[].code`, or nowhere. Default `extensions`. */
  readonly errorCodePlace: 'extensions' | 'top-level' | 'none'
  /** The HTTP status of a GraphQL answer with errors in it, other than those of the two switches above. Default `200`. */
  readonly errorStatus: 200 | 400
  /**
   * What `data` is when an operation is refused. `null`: nothing; `partial`: an object in which the refused operation
   * is null and others in the same request keep their results. Default `null`.
   */
  readonly refusedData: 'null' | 'partial'
  /**
   * How many requests a key, or a session, may send in a while; then HTTP 429 with `retry-after`. The while is measured by
   * the world's clock: as long as that is frozen, it does not end. Default `none`.
   */
  readonly rateLimit: 'none' | { readonly requests: number; readonly per: Duration }
  /** How long a callback that was not acknowledged waits before each further attempt. Default 1 s, 5 s, 30 s, 5 min, 1 h. */
  readonly callbackRetries: readonly Duration[]
  /**
   * What becomes of the events behind one that was given up. `stall`: they wait until it is redelivered; `skip`: they go
   * on, and the gap shows in the log. Default `stall`.
   */
  readonly givenUpCallback: 'stall' | 'skip'
  /** Other names for the types of events and for the fields of their `data`. Default: none. */
  readonly eventNames: Readonly<Record<string, string>>
  /** How callbacks are signed: not at all, or after Standard Webhooks with this secret (`whsec_` and base64). Default `none`. */
  readonly callbackSigning: 'none' | { readonly standardWebhooks: string }
}
