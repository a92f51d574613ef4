import type { Moment } from '../world/clock.ts'
import type { WorldData } from '../world/model.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'
import type { MockCallbackOptions } from './callbacks.ts'

/**
 * What a mock is made of. Everything may be left out.
 *
 * @example
 * ```ts
 * createMockServer({ baseUrl: 'https://api.example.test', now: '2030-01-01T00:00:00Z', behaviour: { pendingInvite: 'refuse' } })
 * ```
 */
export interface MockServerOptions {
  /**
   * Where the mock is found in process, path prefix included. Default `https://certify.test`.
   *
   * @example
   * ```ts
   * createMockServer({ baseUrl: 'https://api.example.test/tenant-7' })
   * ```
   */
  readonly baseUrl?: string | undefined
  /**
   * What identifiers are derived from: the same seed gives the same candidate the same identifiers for the same quiz. Default `certify`.
   *
   * @example
   * ```ts
   * createMockServer({ seed: 'another world' })
   * ```
   */
  readonly seed?: string | undefined
  /**
   * What the world begins with. A part that is left out is the documented one; but `quizzes` of your own bring no
   * documented tracks and candidates with them, and `tracks` of your own no documented candidates.
   *
   * @example
   * ```ts
   * createMockServer({ world: { candidates: [{ email: 'ines@candidate.test', attempts: [{ quizId }] }] } })
   * ```
   */
  readonly world?: Partial<WorldData> | undefined
  /**
   * Switches for what the specification leaves open.
   *
   * @example
   * ```ts
   * createMockServer({ behaviour: { pendingInvite: 'refuse', errorCodePlace: 'top-level' } })
   * ```
   */
  readonly behaviour?: Partial<BehaviourSwitches> | undefined
  /**
   * Begins with the clock frozen at this time. Without it the clock follows real time.
   *
   * @example
   * ```ts
   * createMockServer({ now: '2030-01-01T00:00:00Z' })
   * ```
   */
  readonly now?: Moment | undefined
  /**
   * How callbacks get to where they are sent. By default only loopback addresses are contacted.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
   * ```
   */
  readonly callbacks?: MockCallbackOptions | undefined
}
