import type { World, WorldRecord } from '../world/world.ts'
import type { CallbackRecord, Callbacks } from './callbacks.ts'

/**
 * A world at one moment: its catalogue, its rows, its identifiers, its clock, and its callbacks. Plain data, which can be
 * written to a file as JSON. Faults and the journal are the tester's, and not part of it.
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

/** The moment that a world is in. */
export function writeSnapshot(world: World, callbacks: Callbacks): MockSnapshot {
  return structuredClone({
    format: 'certify-mock',
    version: 1,
    world: world.record(),
    callbacks: callbacks.record(),
  })
}

/** Puts a world back into a moment. Throws, and changes nothing, where the snapshot is not one. */
export function readSnapshot(snapshot: MockSnapshot, world: World, callbacks: Callbacks): void {
  const { format, version }: { format?: unknown; version?: unknown } = Object(snapshot)
  if (format !== 'certify-mock' || version !== 1) {
    throw new Error('This is not a snapshot that this version can read: it takes what mock.snapshot() gives.')
  }
  const { world: record, callbacks: events } = structuredClone(snapshot)
  const before = writeSnapshot(world, callbacks)
  try {
    world.restore(record as WorldRecord)
    callbacks.restore(events as CallbackRecord[])
  } catch (error) {
    world.restore(before.world as WorldRecord)
    callbacks.restore(before.callbacks as CallbackRecord[])
    throw new Error('This snapshot is damaged: the world stays as it was.', { cause: error })
  }
}
