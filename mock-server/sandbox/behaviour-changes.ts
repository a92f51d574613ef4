import type { RateLimit } from '../api/rate-limit.ts'
import { switchesWith } from '../contract/behaviour.ts'
import type { BehaviourSwitches } from '../generated/contract.ts'
import type { World } from '../world/world.ts'
import type { Callbacks } from './callbacks/callbacks.ts'
import type { Changes } from './changes.ts'

/** What a change of the switches has to reach besides the switches themselves. */
interface Switched {
  readonly behaviour: BehaviourSwitches
  readonly world: World
  readonly callbacks: Callbacks
  readonly limit: RateLimit
  readonly changes: Changes
}

/** Sets these switches, from now on. Throws, and changes nothing, where one is not valid. */
export function changeBehaviour(
  { behaviour, world, callbacks, limit, changes }: Switched,
  settings: Partial<BehaviourSwitches>,
): void {
  const valid = switchesWith(settings)
  const names = (Object.keys(settings) as (keyof BehaviourSwitches)[]).filter((name) => settings[name] !== undefined)
  const { candidateIdentity } = behaviour
  Object.assign(behaviour, Object.fromEntries(names.map((name) => [name, valid[name]])))
  if (names.includes('rateLimit')) limit.reset()
  if (behaviour.candidateIdentity !== candidateIdentity) {
    world.rekey()
    callbacks.rekey()
  }
  changes.note('world')
}
