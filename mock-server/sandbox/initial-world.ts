import { switchesWith } from '../contract/behaviour.ts'
import { assertWorld } from '../contract/world.ts'
import type { BehaviourSwitches, MockWorld } from '../generated/contract.ts'
import { worldDataWith } from '../world/catalogue.ts'
import type { ApiKey, WorldData } from '../world/model.ts'

/** What a world begins with, and returns to at a reset. */
export interface Beginning {
  /** As it was given, for sessions. */
  readonly world: MockWorld
  readonly data: WorldData
  readonly behaviour: BehaviourSwitches
}

/**
 * Checks a world, and adds what it leaves out. Throws one error that names everything that is wrong with it.
 *
 * @param switches the world's switches, overridden by the caller's
 * @param keys the keys of a session are its own
 */
export function beginningOf(
  world: MockWorld | undefined,
  switches: (ofWorld: Partial<BehaviourSwitches>) => Partial<BehaviourSwitches>,
  keys: (given: readonly ApiKey[]) => readonly ApiKey[],
): Beginning {
  const ofWorld: unknown = Object(world).behaviour
  const set = switches(typeof ofWorld === 'object' && ofWorld !== null ? ofWorld : {})
  if (world !== undefined) assertWorld(world, set.candidateIdentity ?? 'normalised-email')
  const data = worldDataWith(world)
  return { world: world ?? {}, data: { ...data, apiKeys: keys(data.apiKeys) }, behaviour: switchesWith(set) }
}
