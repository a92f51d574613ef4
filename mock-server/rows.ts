import type { Level } from './world/model.ts'

/** An invite as the world keeps it. Times are ISO 8601 in UTC. */
export interface MockInvite {
  readonly inviteId: string
  readonly quizId: string
  /** The package whose invite created this one; `null` for a single invite. */
  readonly packageId: string | null
  readonly skillName: string
  readonly level: Level
  readonly candidate: { readonly name: string | null; readonly email: string }
  readonly status: 'PENDING'
  readonly challengeUrl: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly emailSent: boolean
  readonly externalReference: string | null
  readonly callbackUrl: string | null
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
