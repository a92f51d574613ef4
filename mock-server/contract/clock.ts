import type { Duration, Moment } from '../world/clock.ts'

/**
 * The clock of a world. It follows real time, a test's fake timers included, unless it is frozen. Only `reset`, `restore`
 * and a change of real time move it back. While it follows real time, actions that fall due happen by themselves, on the
 * timers that the platform had when the mock was imported.
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
   * Whether the clock is frozen.
   *
   * @example
   * ```ts
   * expect(createMockServer().clock.frozen).toBe(false)
   * ```
   */
  readonly frozen: boolean
  /**
   * Freezes the clock. Resolves when everything that falls due until then has happened.
   *
   * @param at - the time to freeze at. Default now.
   * @throws Error for a time that is past in this world: begin in the past with `createMockServer({ now })`.
   * @example
   * ```ts
   * await mock.clock.freeze('2030-01-01T00:00:00Z')
   * ```
   */
  freeze(at?: Moment): Promise<void>
  /**
   * Lets a frozen clock continue from its present time, at the speed of real time.
   *
   * @example
   * ```ts
   * mock.clock.follow()
   * ```
   */
  follow(): void
  /**
   * Moves the clock forward, whether it is frozen or follows real time. Resolves when everything that falls due has happened.
   *
   * @param by - milliseconds, or a text such as `'30s'`, `'15m'`, `'2h'` or `'14d'`.
   * @example
   * ```ts
   * await mock.clock.advance('14d')
   * ```
   */
  advance(by: Duration): Promise<void>
}
