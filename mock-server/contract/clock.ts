import type { Duration, Moment } from '../world/clock.ts'

/**
 * The clock of a world. It only moves forward, other than by `reset` and `restore`, or where real time itself, which it
 * follows unless it is frozen, is set back: a test's fake timers count. What falls due while it follows real time happens
 * by itself, by the timers that the platform had when the mock was imported.
 */
export interface MockClock {
  /**
   * The time in this world.
   *
   * @example
   * ```ts
   * mock.clock.now().toISOString()
   * ```
   */
  now(): Date
  /**
   * Whether it stands still.
   *
   * @example
   * ```ts
   * expect(createMockServer().clock.frozen).toBe(false)
   * ```
   */
  readonly frozen: boolean
  /**
   * Stops the clock.
   *
   * @param at - the time to stop at; now where left out. Whatever falls due until then has happened when the promise resolves.
   * @throws Error for a time that is past in this world: begin in the past with `createMockServer({ now })`.
   * @example
   * ```ts
   * await mock.clock.freeze('2030-01-01T00:00:00Z')
   * ```
   */
  freeze(at?: Moment): Promise<void>
  /**
   * Lets a frozen clock go on, from the time it has, at the pace of real time.
   *
   * @example
   * ```ts
   * mock.clock.follow()
   * ```
   */
  follow(): void
  /**
   * Moves the clock forward, whether it is frozen or follows real time. Whatever falls due has happened when the promise
   * resolves.
   *
   * @param by - milliseconds, or a text such as `'30s'`, `'15m'`, `'2h'` or `'14d'`.
   * @example
   * ```ts
   * await mock.clock.advance('14d')
   * ```
   */
  advance(by: Duration): Promise<void>
}
