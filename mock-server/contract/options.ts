import type { Moment } from '../world/clock.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'
import type { MockCallbackOptions } from './callbacks.ts'
import type { MockWorld } from './world.ts'

/**
 * The options of a mock. All are optional.
 *
 * @example
 * ```ts
 * createMockServer({ baseUrl: 'https://api.example.test', now: '2030-01-01T00:00:00Z', behaviour: { pendingInvite: 'refuse' } })
 * ```
 */
export interface MockServerOptions {
  /**
   * The address of the mock in process, including a path prefix. Default `https://certify.test`.
   *
   * @example
   * ```ts
   * createMockServer({ baseUrl: 'https://api.example.test/tenant-7' })
   * ```
   */
  readonly baseUrl?: string | undefined
  /**
   * Identifiers are derived from it: with the same seed, the same candidate and quiz have the same ones. Default `certify`.
   *
   * @example
   * ```ts
   * createMockServer({ seed: 'another world' })
   * ```
   */
  readonly seed?: string | undefined
  /**
   * The data that the world begins with. The default of each part is the documented one. Your own `quizzes` replace the
   * documented tracks and candidates too, and your own `tracks` the documented candidates. It is what a file of
   * `certify mock --world` has.
   *
   * @example
   * ```ts
   * createMockServer({ world: { candidates: [{ email: 'ines@candidate.test', attempts: [{ quizId }] }] } })
   * ```
   */
  readonly world?: MockWorld | undefined
  /**
   * Switches for what the specification leaves open. They override those of `world`.
   *
   * @example
   * ```ts
   * createMockServer({ behaviour: { pendingInvite: 'refuse', errorCodePlace: 'top-level' } })
   * ```
   */
  readonly behaviour?: Partial<BehaviourSwitches> | undefined
  /**
   * Freezes the clock at this time from the beginning. By default the clock follows real time.
   *
   * @example
   * ```ts
   * createMockServer({ now: '2030-01-01T00:00:00Z' })
   * ```
   */
  readonly now?: Moment | undefined
  /**
   * How callbacks are delivered. By default only loopback addresses are contacted.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
   * ```
   */
  readonly callbacks?: MockCallbackOptions | undefined
}
