/**
 * The state of a world: catalogue, rows, identifiers, clock and callbacks. Plain data, which can be written to a file as
 * JSON. Keys, faults and the request log are not part of it.
 *
 * @example
 * ```ts
 * const prepared: MockSnapshot = mock.snapshot()
 * ```
 */
export interface MockSnapshot {
  readonly format: 'certify-mock'
  /** Increases when an older version of this package cannot read it. */
  readonly version: 1
  readonly world: unknown
  readonly callbacks: unknown
}
