import type { MockSnapshot } from '../contract/snapshot.ts'
import type { World, WorldRecord } from '../world/world.ts'
import type { Callbacks, CallbacksRecord } from './callbacks.ts'

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
  const { format, version, world: record, callbacks: events } = structuredClone<Partial<Snapshot>>(Object(snapshot))
  if (format === 'certify-mock' && Number.isInteger(version) && version !== 1) throw ofAnotherVersion(version)
  if (format !== 'certify-mock' || version !== 1 || !record || !Array.isArray(events?.log)) throw unreadable()
  const before = world.record()
  try {
    world.restore(record)
    callbacks.restore(events)
  } catch (cause) {
    world.restore(before)
    throw unreadable(cause)
  }
}

interface Snapshot {
  readonly format: unknown
  readonly version: unknown
  readonly world: WorldRecord
  readonly callbacks: CallbacksRecord
}

function ofAnotherVersion(version: unknown): Error {
  return new Error(
    `This is not a snapshot that this version can read: it is of format ${String(version)}, and 1 is read.`,
  )
}

function unreadable(cause?: unknown): Error {
  const message = 'This is not a snapshot that this version can read: it takes what mock.snapshot() gives.'
  return new Error(message, { cause })
}
