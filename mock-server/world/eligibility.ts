import { runningAttempt, statusOf, validCertification } from './attempts.ts'
import { isoTime } from './clock.ts'
import type { Invite, Quiz } from './model.ts'
import type { Problem } from './refusal.ts'
import type { World } from './world.ts'

/** Every rule that refuses an invite of this candidate to this quiz now; empty if none does. */
export function obstacles(world: World, email: string, quiz: Quiz): Problem[] {
  const name = `"${quiz.skillName}" (${quiz.id})`
  const candidateKey = world.keyOf(email)
  const running = runningAttempt(world, candidateKey, quiz.id)
  const valid = validCertification(world, candidateKey, quiz.id)
  const pending = world.behaviour.pendingInvite === 'refuse' ? openInvite(world, candidateKey, quiz) : undefined
  const reasons = [
    quiz.ready ? null : `The quiz ${name} is not READY.`,
    running ? `The candidate has an attempt in progress for ${name}.` : null,
    valid ? `The candidate holds a certification for ${name} that is valid ${until(valid.validUntil)}.` : null,
    pending ? `The candidate has a PENDING invite for ${name} until ${isoTime(pending.expiresAt)}.` : null,
  ]
  return reasons.filter((reason) => reason !== null).map((message) => ({ code: 'BAD_USER_INPUT', message }))
}

/** The first invite of this candidate for this quiz that is PENDING. */
export function openInvite(world: World, candidateKey: string, quiz: Quiz): Invite | undefined {
  return world.state
    .inviteIdsOf(candidateKey, quiz.id)
    .map((inviteId) => world.inviteOf(inviteId))
    .find((invite) => statusOf(world, invite) === 'PENDING')
}

function until(end: number | null): string {
  return end === null ? 'for ever' : `until ${isoTime(end)}`
}
