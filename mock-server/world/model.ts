/** A level of proficiency, lowest first: the four steps of a track. */
export const LEVELS = ['BEGINNER', 'INTERMEDIATE', 'ADVANCED', 'EXPERT'] as const

/** A level of proficiency. */
export type Level = (typeof LEVELS)[number]

/** The scopes. Both invite mutations need the same one. */
export const SCOPES = ['CERTIFICATION_PACKAGE_READ', 'CERTIFICATION_INVITE_CREATE'] as const

/** A permission of a key or of a session. */
export type Scope = (typeof SCOPES)[number]

/** A quiz: the test of one skill. `ready` means that it is enabled and can be delivered. */
export interface Quiz {
  readonly id: string
  readonly skillName: string
  readonly level: Level
  readonly ready: boolean
  readonly durationMinutes: number
  readonly enabledLanguages: readonly string[]
  readonly conceptsTested: readonly string[]
}

/** A package: skills of one level, by their quizzes. A quiz may be in several packages. */
export interface Package {
  readonly id: string
  readonly name: string
  readonly level: Level
  readonly description: string
  readonly quizIds: readonly string[]
}

/** A track: at most four packages, one of each level. */
export interface Track {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly packages: readonly Package[]
}

/** An API key. A scope that is not listed is not granted. */
export interface ApiKey {
  readonly name: string
  readonly key: string
  readonly scopes: readonly Scope[]
}

/** A candidate with a history. The default of a time is the beginning of the world. */
export interface CandidateHistory {
  readonly email: string
  readonly certifications?: readonly { readonly quizId: string; readonly passedAt?: string }[]
  readonly attempts?: readonly { readonly quizId: string; readonly startedAt?: string }[]
}

/** The data that a world begins with. */
export interface WorldData {
  readonly quizzes: readonly Quiz[]
  readonly tracks: readonly Track[]
  readonly candidates: readonly CandidateHistory[]
  readonly apiKeys: readonly ApiKey[]
}

export type AttemptOutcome = 'PASSED' | 'FAILED' | 'ABANDONED'

/** A second chance at the same quiz, or the next level of the same skill. */
export type FollowUpKind = 'retake' | 'level-up'

/**
 * The status of an invite. The specification shows only PENDING: the other names are our own, and no answer of the service
 * has them.
 */
export type InviteStatus = 'PENDING' | 'IN_PROGRESS' | AttemptOutcome | 'EXPIRED' | 'WITHDRAWN'

/** An invite. Times are ISO 8601 in UTC. */
export interface MockInvite {
  readonly inviteId: string
  readonly quizId: string
  /** The package whose invite created this one; `null` for a single invite. */
  readonly packageId: string | null
  readonly skillName: string
  readonly level: Level
  readonly candidate: { readonly name: string | null; readonly email: string }
  /** The status now. All names but PENDING are our own; no answer of the service has them. */
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
  /** The invite whose link it began with; `null` for one that a tester added. */
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

/** A package; `deliverable` means that it has skills and each of its quizzes is READY. */
export interface MockPackage {
  readonly id: string
  readonly name: string
  readonly level: Level
  readonly description: string
  readonly quizIds: readonly string[]
  readonly deliverable: boolean
}

/* The rows as the world keeps them: times are milliseconds since 1970, and what depends on the clock is computed. */

export interface Invite extends Omit<MockInvite, 'status' | 'createdAt' | 'expiresAt'> {
  readonly token: string
  readonly candidateKey: string
  readonly createdAt: number
  readonly expiresAt: number
  /** Whether its link died with its quiz. */
  readonly withdrawn?: boolean
}

export interface Attempt extends Omit<MockAttempt, 'startedAt' | 'endedAt'> {
  readonly candidateKey: string
  /** The address as it was given; earlier snapshots have none. */
  readonly email?: string
  readonly startedAt: number
  readonly endedAt: number | null
}

export interface Certification {
  readonly candidateKey: string
  /** The address as it was given; earlier snapshots have none. */
  readonly email?: string
  readonly quizId: string
  readonly passedAt: number
  readonly validUntil: number | null
}

export interface Mail extends Omit<MockMail, 'sentAt'> {
  readonly sentAt: number
}

/** An event that the service sends to the `callbackUrl` of an invite. */
export interface WorldEvent {
  readonly eventId: string
  readonly type: string
  readonly occurredAt: number
  readonly inviteId: string
  readonly candidateKey: string
  readonly callbackUrl: string
  readonly data: Readonly<Record<string, string | null>>
}

/** The actions that a candidate will do by itself. */
export interface Plan {
  readonly at: number
  readonly inviteId: string
  readonly acts: readonly CandidateAct[]
}

export type CandidateAct = 'start' | 'pass' | 'fail' | 'abandon' | 'claim'

/** The caller of a request: a key or an admin session, and its scopes. */
export interface Caller {
  readonly kind: 'api-key' | 'session'
  readonly scopes: readonly Scope[]
}
