import type { World } from './world.ts'

/** Enables or disables a quiz. With the switch `disabledQuizLinks: 'withdrawn'`, its links die with it, for good. */
export function setReady(world: World, quizId: string, ready: boolean): void {
  const { invites } = world.state
  world.setReady(quizId, ready)
  if (ready || world.behaviour.disabledQuizLinks !== 'withdrawn') return
  for (const invite of invites.values()) {
    if (invite.quizId === quizId) invites.set(invite.inviteId, { ...invite, withdrawn: true })
  }
}
