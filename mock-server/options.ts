import type { Dialect } from './api/dialect.ts'
import type { MockCallbackOptions } from './sandbox/callback.ts'
import type { Moment } from './world/clock.ts'
import type { WorldData } from './world/model.ts'

/**
 * What a mock is made of. Everything may be left out.
 *
 * @example
 * ```ts
 * createMockServer({ baseUrl: 'https://api.example.test', now: '2030-01-01T00:00:00Z', dialect: { pendingInvite: 'refuse' } })
 * ```
 */
export interface MockServerOptions {
  /** Where the mock is found in process, path prefix included. Default `https://certify.test`. */
  readonly baseUrl?: string | undefined
  /** What identifiers are derived from: the same seed gives the same identifiers. Default `certify`. */
  readonly seed?: string | undefined
  /**
   * What the world begins with. A part that is left out is the documented one; but `quizzes` of your own bring no
   * documented tracks and candidates with them, and `tracks` of your own no documented candidates.
   */
  readonly world?: Partial<WorldData> | undefined
  /** Switches for what the specification leaves open. */
  readonly dialect?: Partial<Dialect> | undefined
  /** Begins with the clock frozen at this time. Without it the clock follows real time. */
  readonly now?: Moment | undefined
  /** How callbacks get to where they are sent. By default only loopback addresses are contacted. */
  readonly callbacks?: MockCallbackOptions | undefined
}
