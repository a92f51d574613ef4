/**
 * A world at one moment: its catalogue, its rows, its identifiers, its clock, and its callbacks. Plain data, which can be
 * written to a file as JSON. A world keeps its own keys; faults and the request log are the tester's, and not part of it either.
 *
 * @example
 * ```ts
 * const prepared: MockSnapshot = mock.snapshot()
 * ```
 */
export interface MockSnapshot {
  readonly format: 'certify-mock'
  /** Goes up when an older version of this package could not read it. */
  readonly version: 1
  readonly world: unknown
  readonly callbacks: unknown
}
