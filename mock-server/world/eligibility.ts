import { isoTime } from './clock.ts'
import type { Invite, Quiz } from './model.ts'
import type { Problem } from './refusal.ts'
import type { World } from './world.ts'

/** Every rule that keeps this candidate from being invited to this quiz now. Empty means: may be invited. */
export function obstacles(world: World, email: string, quiz: Quiz): Problem[] {
  const name = `"${quiz.skillName}" (${quiz.id})`
  const reasons = [
    quiz.ready ? null : `The quiz ${name} is not READY.`,
    attemptInProgress(world, email, quiz) ? `The candidate has an attempt in progress for ${name}.` : null,
    certificationReason(world, email, quiz, name),
    pendingReason(world, email, quiz, name),
  ]
  return reasons.filter((reason) => reason !== null).map((message) => ({ code: 'BAD_USER_INPUT', message }))
}

/** The newest invite of this candidate for this quiz that is PENDING with its link still open. */
export function openInvite(world: World, email: string, quiz: Quiz): Invite | undefined {
  const invites = world.state.invitesByPair.get(world.pairOf(email, quiz.id)) ?? []
  return invites.findLast((invite) => world.clock.now() < invite.expiresAt)
}

function attemptInProgress(world: World, email: string, quiz: Quiz): boolean {
  return world.state.attempts.get(world.pairOf(email, quiz.id))?.status === 'IN_PROGRESS'
}

function certificationReason(world: World, email: string, quiz: Quiz, name: string): string | null {
  const now = world.clock.now()
  const certifications = world.state.certifications.get(world.pairOf(email, quiz.id)) ?? []
  const valid = certifications.find(({ validUntil }) => validUntil === null || now < validUntil)
  if (!valid) return null
  const until = valid.validUntil === null ? 'for ever' : `until ${isoTime(valid.validUntil)}`
  return `The candidate holds a certification for ${name} that is valid ${until}.`
}

function pendingReason(world: World, email: string, quiz: Quiz, name: string): string | null {
  const invite = world.dialect.pendingInvite === 'refuse' ? openInvite(world, email, quiz) : undefined
  return invite ? `The candidate has a PENDING invite for ${name} until ${isoTime(invite.expiresAt)}.` : null
}
