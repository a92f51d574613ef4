import type { MockClock } from '../../contract/members.ts'
import { durationMs, isoTime, millisecondsOf, timeOfWorld } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import type { Changes } from '../changes.ts'
import type { Timeline } from './timeline.ts'

/** The clock of a world, which a tester stops and moves. */
export function clockControl({ clock }: World, timeline: Timeline, changes: Changes): MockClock {
  return {
    now: () => new Date(clock.now()),
    get frozen() {
      return clock.isFrozen
    },
    async freeze(at) {
      const now = clock.now()
      const target = at === undefined ? now : timeOfWorld(millisecondsOf(at))
      if (target < now) throw new Error(movesForward(now, target))
      clock.freeze()
      await timeline.travel(() => target)
      changes.note('clock')
    },
    follow() {
      clock.follow()
      timeline.touch()
      changes.note('clock')
    },
    async advance(by) {
      const byMs = durationMs(by)
      timeOfWorld(clock.now() + byMs)
      await timeline.travel(() => clock.now() + byMs)
      changes.note('clock')
    },
  }
}

function movesForward(now: number, target: number): string {
  return `The clock of a world moves only forward: it is ${isoTime(now)}, so it cannot be frozen at ${isoTime(target)}. A world that begins in the past is made with createMockServer({ now }).`
}
