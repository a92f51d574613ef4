/** A level of proficiency, lowest first: the four steps of a track. */
export const LEVELS = ['BEGINNER', 'INTERMEDIATE', 'ADVANCED', 'EXPERT'] as const

/** A level of proficiency. */
export type Level = (typeof LEVELS)[number]

/** What a key may do. Both invite mutations need the same scope. */
export const SCOPES = ['CERTIFICATION_PACKAGE_READ', 'CERTIFICATION_INVITE_CREATE'] as const

/** A permission of a key or of a session. */
export type Scope = (typeof SCOPES)[number]

/** A quiz: what one skill is tested with. `ready` says that it is enabled and can be delivered. */
export interface Quiz {
  readonly id: string
  readonly skillName: string
  readonly level: Level
  readonly ready: boolean
  readonly durationMinutes: number
  readonly enabledLanguages: readonly string[]
  readonly conceptsTested: readonly string[]
}

/** A package: skills of one level, named by their quizzes. A quiz may stand in several packages. */
export interface Package {
  readonly id: string
  readonly name: string
  readonly level: Level
  readonly description: string
  readonly quizIds: readonly string[]
}

/** A track: at most four packages. */
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

/** A candidate with a history. A time that is left out is the moment at which the world begins. */
export interface CandidateHistory {
  readonly email: string
  readonly certifications?: readonly { readonly quizId: string; readonly passedAt?: string }[]
  readonly attempts?: readonly { readonly quizId: string; readonly startedAt?: string }[]
}

/** Everything that a world begins with. */
export interface WorldData {
  readonly quizzes: readonly Quiz[]
  readonly tracks: readonly Track[]
  readonly candidates: readonly CandidateHistory[]
  readonly apiKeys: readonly ApiKey[]
}

/** One try at a quiz: through the link of an invite, or put in place by a tester (`inviteId: null`). */
export interface Attempt {
  readonly inviteId: string | null
  readonly candidateKey: string
  readonly quizId: string
  readonly status: 'IN_PROGRESS' | AttemptOutcome
  readonly startedAt: number
  readonly endedAt: number | null
}

/** How an attempt can end. */
export type AttemptOutcome = 'PASSED' | 'FAILED' | 'ABANDONED'

/** A passed quiz. `validUntil` is `null` where certifications never expire. */
export interface Certification {
  readonly candidateKey: string
  readonly quizId: string
  readonly passedAt: number
  readonly validUntil: number | null
}

/** A second chance at the same quiz, or the next level of the same skill. */
export type FollowUpKind = 'retake' | 'level-up'

/** An invite as the service keeps it: more than it ever answers with. */
export interface Invite {
  readonly inviteId: string
  readonly token: string
  readonly quizId: string
  readonly packageId: string | null
  readonly skillName: string
  readonly level: Level
  readonly candidateKey: string
  readonly candidate: { readonly name: string | null; readonly email: string }
  readonly challengeUrl: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly emailSent: boolean
  readonly externalReference: string | null
  readonly callbackUrl: string | null
  /** The invite that this one follows, where the candidate claimed it. */
  readonly followUpOf: { readonly inviteId: string; readonly kind: FollowUpKind } | null
  /** The invite that was claimed after this one. */
  readonly followedBy: string | null
}

/**
 * Where an invite stands. The specification shows PENDING and nothing else: the other names are our own, and no answer of
 * the service ever has them.
 */
export type InviteStatus = 'PENDING' | 'IN_PROGRESS' | AttemptOutcome | 'EXPIRED' | 'WITHDRAWN'

/** An e-mail that a real service would have sent. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly challengeUrl: string
  readonly inviteId: string
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

/** Something that a candidate will do by itself. */
export interface Plan {
  readonly at: number
  readonly inviteId: string
  readonly acts: readonly CandidateAct[]
}

/** What a candidate can do with an invite. */
export type CandidateAct = 'start' | 'pass' | 'fail' | 'abandon' | 'claim'

/** Who is calling: a key or an admin session, and what it may do. */
export interface Caller {
  readonly kind: 'api-key' | 'session'
  readonly scopes: readonly Scope[]
}
