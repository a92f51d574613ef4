import type { FollowUpKind, InviteStatus, Level } from '../world/model.ts'

/** An invite as the world keeps it. Times are ISO 8601 in UTC. */
export interface MockInvite {
  readonly inviteId: string
  readonly quizId: string
  /** The package whose invite created this one; `null` for a single invite. */
  readonly packageId: string | null
  readonly skillName: string
  readonly level: Level
  readonly candidate: { readonly name: string | null; readonly email: string }
  /** Where it stands now: our own names, all but PENDING; no answer of the service has them. */
  readonly status: InviteStatus
  readonly challengeUrl: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly emailSent: boolean
  readonly externalReference: string | null
  readonly callbackUrl: string | null
  /** The invite that this one follows, where the candidate claimed it. */
  readonly followUpOf: { readonly inviteId: string; readonly kind: FollowUpKind } | null
  /** The invite that was claimed after this one. */
  readonly followedBy: string | null
}

/** An attempt of a candidate. Times are ISO 8601 in UTC. */
export interface MockAttempt {
  /** The invite through whose link it was begun; `null` for one that a tester put in place. */
  readonly inviteId: string | null
  readonly quizId: string
  readonly status: 'IN_PROGRESS' | 'PASSED' | 'FAILED' | 'ABANDONED'
  readonly startedAt: string
  readonly endedAt: string | null
}

/** A certification of a candidate. Times are ISO 8601 in UTC. */
export interface MockCertification {
  readonly quizId: string
  readonly passedAt: string
  /** `null` where certifications never expire. */
  readonly validUntil: string | null
  /** Whether it is valid now. */
  readonly valid: boolean
}

/** An e-mail that a real service would have sent. */
export interface MockMail {
  readonly to: string
  readonly subject: string
  readonly challengeUrl: string
  readonly inviteId: string
  /** ISO 8601 in UTC. */
  readonly sentAt: string
}

/** A track with all its packages. */
export interface MockTrack {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly packages: readonly MockPackage[]
}

/** A package; `deliverable` says that it has skills and each of its quizzes is READY. */
export interface MockPackage {
  readonly id: string
  readonly name: string
  readonly level: Level
  readonly description: string
  readonly quizIds: readonly string[]
  readonly deliverable: boolean
}
