import type { BehaviourSwitches } from '../generated/contract.ts'
import { type Clock, durationMs } from '../world/clock.ts'
import type { PlainAnswer, PlainRequest } from './exchange.ts'
import type { GraphQLEndpoint } from './graphql-endpoint.ts'

/** Counts the requests of each key, or session, in periods of the world's clock. */
export class RateLimit {
  readonly #clock: Clock
  readonly #behaviour: Pick<BehaviourSwitches, 'rateLimit'>
  readonly #windows = new Map<string, { until: number; requests: number }>()

  constructor(clock: Clock, behaviour: Pick<BehaviourSwitches, 'rateLimit'>) {
    this.#clock = clock
    this.#behaviour = behaviour
  }

  /** The answer to a request over the limit; `null` if it may pass. */
  refusal(request: PlainRequest, endpoint: GraphQLEndpoint): PlainAnswer | null {
    const { rateLimit } = this.#behaviour
    if (rateLimit === 'none') return null
    const { requests, per } = rateLimit
    const caller = request.header('x-api-key') ?? request.header('authorization') ?? ''
    const now = this.#clock.now()
    const known = this.#windows.get(caller)
    const window = known && now < known.until ? known : { until: now + durationMs(per), requests: 0 }
    this.#windows.set(caller, window)
    window.requests += 1
    if (window.requests <= requests) return null
    const answer = endpoint.failure(request, 'RATE_LIMITED', undefined)
    const seconds = String(Math.ceil((window.until - now) / 1000))
    return { ...answer, status: 429, headers: { ...answer.headers, 'retry-after': seconds } }
  }

  reset(): void {
    this.#windows.clear()
  }
}
