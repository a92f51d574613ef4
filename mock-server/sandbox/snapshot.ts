import type { MockSnapshot } from '../generated/contract.ts'
import type { World, WorldSnapshot } from '../world/world.ts'
import type { Callbacks, CallbacksSnapshot } from './callbacks.ts'

/** The present state of a world and its callbacks. */
export function writeSnapshot(world: World, callbacks: Callbacks): MockSnapshot {
  return structuredClone({
    format: 'certify-mock',
    version: 1,
    world: world.snapshot(),
    callbacks: callbacks.snapshot(),
  })
}

/** Returns a world to a snapshot. Throws, and changes nothing, if it is not a snapshot. */
export function readSnapshot(snapshot: MockSnapshot, world: World, callbacks: Callbacks): void {
  const { format, version, ...parts } = structuredClone<Partial<MockSnapshot>>(Object(snapshot))
  const [saved, events] = [parts.world as WorldSnapshot | undefined, parts.callbacks as CallbacksSnapshot | undefined]
  if (format === 'certify-mock' && Number.isInteger(version) && version !== 1) {
    throw new Error(`${UNREADABLE}: its format is ${String(version)}, and only 1 can be read.`)
  }
  if (isWorld(snapshot)) throw new Error(`${UNREADABLE}: ${WORLD}.`)
  if (format !== 'certify-mock' || version !== 1 || !saved || !Array.isArray(events?.log)) throw unreadable()
  const before = world.snapshot()
  try {
    /* An event of the invite will be sent to it. */
    if (saved.rows.invites.some(({ callbackUrl: url }) => url !== null && !URL.canParse(url)))
      throw new Error('The callbackUrl of an invite is not a URL.')
    world.restore(saved)
    callbacks.restore(events)
  } catch (cause) {
    world.restore(before)
    throw unreadable(cause)
  }
}

function unreadable(cause?: unknown): Error {
  return new Error(`${UNREADABLE}: it takes what mock.snapshot() returns.`, { cause })
}

function isWorld(value: unknown): boolean {
  const members: object = Object(value)
  return (
    !('format' in members) &&
    ['quizzes', 'tracks', 'candidates', 'apiKeys', 'behaviour'].some((part) => part in members)
  )
}

const WORLD = 'it is a world, not a snapshot. Use --world, PUT /__mock/world or mock.load(world)'

const UNREADABLE = 'This is not a snapshot that this version can read'
