import type { MockChallenge } from '../tester.ts'
import { inviteRow } from '../views.ts'
import { claimFollowUp, offerOf } from '../world/follow-ups.ts'
import type { World } from '../world/world.ts'

/** What a tester does in the place of the candidate behind one link. */
export function challengeOf(world: World, inviteId: string, onDone: () => void): MockChallenge {
  const done = (act: 'start' | 'pass' | 'fail' | 'abandon') => (): void => {
    world.act(inviteId, act)
    onDone()
  }
  return {
    get invite() {
      return inviteRow(world, world.inviteOf(inviteId))
    },
    get offer() {
      return offerOf(world, world.inviteOf(inviteId))?.kind ?? null
    },
    start: done('start'),
    pass: done('pass'),
    fail: done('fail'),
    abandon: done('abandon'),
    claim(kind) {
      const followUp = claimFollowUp(world, world.inviteOf(inviteId), kind)
      onDone()
      return inviteRow(world, followUp)
    },
  }
}
