import { attemptNow, statusOf } from '../world/attempts.ts'
import { isoTime } from '../world/clock.ts'
import type { Invite, Mail, MockAttempt, MockCertification, MockInvite, MockMail, MockTrack } from '../world/model.ts'
import type { World } from '../world/world.ts'

export function inviteRow(world: World, invite: Invite): MockInvite {
  const { token: _token, candidateKey: _candidateKey, withdrawn: _withdrawn, candidate, followUpOf, ...row } = invite
  return {
    ...row,
    status: statusOf(world, invite),
    candidate: { ...candidate },
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    followUpOf: followUpOf && { ...followUpOf },
  }
}

export function mailRow(mail: Mail): MockMail {
  return { ...mail, sentAt: isoTime(mail.sentAt) }
}

/** The tracks of a world. Each package says whether it can be delivered now. */
export function trackRows(world: World): MockTrack[] {
  return world.tracks.map((track) => ({
    ...track,
    packages: track.packages.map((pack) => ({ ...pack, deliverable: world.isDeliverable(pack) })),
  }))
}

export function attemptRows(world: World, email: string): MockAttempt[] {
  return world.state
    .attempts(world.keyOf(email))
    .map((attempt) => attemptNow(world, attempt))
    .map(({ candidateKey: _candidateKey, email: _email, startedAt, endedAt, ...row }) => ({
      ...row,
      startedAt: isoTime(startedAt),
      endedAt: endedAt === null ? null : isoTime(endedAt),
    }))
}

export function certificationRows(world: World, email: string): MockCertification[] {
  const now = world.clock.now()
  return world.state.certifications(world.keyOf(email)).map(({ quizId, passedAt, validUntil }) => ({
    quizId,
    passedAt: isoTime(passedAt),
    validUntil: validUntil === null ? null : isoTime(validUntil),
    valid: validUntil === null || now < validUntil,
  }))
}
