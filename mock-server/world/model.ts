import type { MockAttempt, MockInvite, MockMail } from '../generated/contract.ts'
import { type Scope, SCOPE_OF } from '../generated/operations.ts'

export type { Scope } from '../generated/operations.ts'

/** The levels of proficiency, lowest first: the four steps of a track. */
export const LEVELS = ['BEGINNER', 'INTERMEDIATE', 'ADVANCED', 'EXPERT'] as const

/** All scopes, each once. */
export const SCOPES: readonly Scope[] = [...new Set(Object.values(SCOPE_OF))]

/* The rows as the world keeps them: times are Unix milliseconds, and what depends on the clock is computed. */

export interface Invite extends Omit<MockInvite, 'status' | 'createdAt' | 'expiresAt'> {
  readonly token: string
  readonly candidateKey: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface Attempt extends Omit<MockAttempt, 'startedAt' | 'endedAt'> {
  readonly candidateKey: string
  /** The address as it was given. */
  readonly email: string
  readonly startedAt: number
  readonly endedAt: number | null
}

export interface Certification {
  readonly candidateKey: string
  /** The address as it was given. */
  readonly email: string
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

/** The actions that a candidate will take without a tester. */
export interface Plan {
  readonly at: number
  readonly inviteId: string
  readonly acts: readonly CandidateAct[]
}

export type AttemptAct = 'start' | 'pass' | 'fail' | 'abandon'

export type CandidateAct = AttemptAct | 'claim'

/** The caller of a request: a key or an admin session, and its scopes. */
export interface Caller {
  readonly kind: 'api-key' | 'session'
  readonly scopes: readonly Scope[]
}
