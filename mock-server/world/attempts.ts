import { durationMs, isoTime } from './clock.ts'
import { announce } from './events.ts'
import type { AttemptOutcome, InviteStatus } from '../generated/contract.ts'
import type { Attempt, Invite } from './model.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** The present status of an invite: its attempt's, or else its link's. */
export function statusOf(world: World, invite: Invite): InviteStatus {
  const attempt = attemptOf(world, invite)
  if (attempt) return attempt.status
  return world.clock.now() < invite.expiresAt ? 'PENDING' : 'EXPIRED'
}

/** The attempt that began through the link of this invite. */
export function attemptOf(world: World, invite: Invite): Attempt | undefined {
  return world.state.attemptOfInvite(invite.inviteId)
}

/** The attempt of this candidate at this quiz that is in progress now; there is at most one. */
export function runningAttempt(world: World, candidateKey: string, quizId: string): Attempt | undefined {
  return world.state.attemptsOf(candidateKey, quizId).findLast(({ status }) => status === 'IN_PROGRESS')
}

/** The candidate opens the link and begins. Throws a {@link Refusal} if the link or another attempt prevents it. */
export function startInvite(world: World, invite: Invite): void {
  const status = statusOf(world, invite)
  if (status !== 'PENDING') throw new Refusal(...unusable(invite, status))
  beginAttempt(world, invite.candidate.email, invite.quizId, { inviteId: invite.inviteId })
}

/** Ends the attempt of this invite. One that has not begun begins first; throws a {@link Refusal} if it cannot. */
export function endInvite(world: World, invite: Invite, outcome: AttemptOutcome): void {
  if (statusOf(world, invite) !== 'IN_PROGRESS') startInvite(world, invite)
  const attempt = attemptOf(world, invite)
  if (attempt) endAttempt(world, attempt, outcome)
}

/** Begins an attempt, now or in the past. Throws a {@link Refusal} while another one is in progress. */
export function beginAttempt(
  world: World,
  email: string,
  quizId: string,
  { inviteId = null, startedAt = world.clock.now() }: { inviteId?: string | null; startedAt?: number } = {},
): void {
  const { skillName } = world.quizOf(quizId)
  const candidateKey = world.keyOf(email)
  if (runningAttempt(world, candidateKey, quizId)) {
    const message = `This candidate already has an attempt in progress for "${skillName}" (${quizId}).`
    throw new Refusal('ATTEMPT_IN_PROGRESS', message)
  }
  const row = { inviteId, candidateKey, email, quizId, startedAt, endedAt: null }
  world.state.addAttempt({ ...row, status: 'IN_PROGRESS' })
  world.noteChange()
}

/** The candidate passes, now or in the past: an attempt in progress ends, and a certification begins. */
export function passQuiz(world: World, email: string, quizId: string, passedAt: number = world.clock.now()): void {
  /* It throws if there is no such quiz. */
  world.quizOf(quizId)
  const candidateKey = world.keyOf(email)
  const attempt = runningAttempt(world, candidateKey, quizId)
  if (attempt) {
    endAttempt(world, attempt, 'PASSED')
    return
  }
  const validUntil = endOfValidity(world, passedAt)
  world.state.addCertification({ candidateKey, email, quizId, passedAt, validUntil })
  world.noteChange()
}

/** The certification of this candidate for this quiz that is valid now. */
export function validCertification(world: World, candidateKey: string, quizId: string) {
  const now = world.clock.now()
  return world.state
    .certificationsOf(candidateKey, quizId)
    .find(({ validUntil }) => validUntil === null || now < validUntil)
}

function endAttempt(world: World, attempt: Attempt, status: AttemptOutcome): void {
  const { quizId, inviteId } = attempt
  const endedAt = world.clock.now()
  const validUntil = status === 'PASSED' ? endOfValidity(world, endedAt) : null
  world.state.replaceAttempt(attempt, { ...attempt, status, endedAt })
  if (status === 'PASSED') {
    const { candidateKey, email } = attempt
    world.state.addCertification({ candidateKey, email, quizId, passedAt: endedAt, validUntil })
  }
  world.noteChange()
  if (inviteId !== null && status !== 'ABANDONED') {
    announce(world, world.inviteOf(inviteId), { kind: 'completed', passed: status === 'PASSED', validUntil })
  }
}

function endOfValidity(world: World, passedAt: number): number | null {
  const validity = world.behaviour.certificationValidity
  if (validity === 'never-expires') return null
  if (validity !== 'two-years') return passedAt + durationMs(validity)
  const end = new Date(passedAt)
  return end.setUTCFullYear(end.getUTCFullYear() + 2)
}

function unusable(invite: Invite, status: Exclude<InviteStatus, 'PENDING'>): [code: string, message: string] {
  if (status === 'EXPIRED') return ['LINK_CLOSED', `This link closed at ${isoTime(invite.expiresAt)}.`]
  if (status === 'IN_PROGRESS') return ['LINK_USED', 'This link was used: its attempt is in progress.']
  return ['LINK_USED', `This link was used: its attempt was ${status.toLowerCase()}.`]
}
