import * as z from 'zod/mini'
import { CALLBACK_STATUSES, type MockCallback } from '../contract/callbacks.ts'
import type { MockExchange } from '../contract/request-log.ts'
import type { MockAttempt, MockCertification, MockInvite, MockMail, MockTrack } from '../world/model.ts'
import { type ApiKey, LEVELS, type Quiz, SCOPES } from '../world/model.ts'

/* The rows that the control API returns. The compiler checks each against the type of the mock itself. */

const text = z.string()
const textOrNull = z.nullable(z.string())
const number = z.int()
const level = z.enum(LEVELS)
export const INVITE_STATUSES = [
  'PENDING',
  'IN_PROGRESS',
  'PASSED',
  'FAILED',
  'ABANDONED',
  'EXPIRED',
  'WITHDRAWN',
] as const

const followUp = z.enum(['retake', 'level-up'])

export const inviteRow = z.object({
  inviteId: text,
  quizId: text,
  packageId: textOrNull,
  skillName: text,
  level,
  candidate: z.object({ name: textOrNull, email: text }),
  status: z.enum(INVITE_STATUSES),
  challengeUrl: text,
  createdAt: text,
  expiresAt: text,
  emailSent: z.boolean(),
  externalReference: textOrNull,
  callbackUrl: textOrNull,
  followUpOf: z.nullable(z.object({ inviteId: text, kind: followUp })),
  followedBy: textOrNull,
}) satisfies z.ZodMiniType<MockInvite>

/** An invite, and what its candidate may claim now. */
export const invite = z.extend(inviteRow, { offer: z.nullable(followUp) })

export const mail = z.object({
  to: text,
  subject: text,
  challengeUrl: text,
  inviteId: text,
  sentAt: text,
}) satisfies z.ZodMiniType<MockMail>

const attempt = z.object({
  inviteId: textOrNull,
  quizId: text,
  status: z.enum(['IN_PROGRESS', 'PASSED', 'FAILED', 'ABANDONED']),
  startedAt: text,
  endedAt: textOrNull,
}) satisfies z.ZodMiniType<MockAttempt>

const certification = z.object({
  quizId: text,
  passedAt: text,
  validUntil: textOrNull,
  valid: z.boolean(),
}) satisfies z.ZodMiniType<MockCertification>

export const candidate = z.object({
  email: text,
  attempts: z.array(attempt),
  certifications: z.array(certification),
})

export const quiz = z.object({
  id: text,
  skillName: text,
  level,
  ready: z.boolean(),
  durationMinutes: number,
  enabledLanguages: z.array(text),
  conceptsTested: z.array(text),
}) satisfies z.ZodMiniType<Quiz>

export const track = z.object({
  id: text,
  name: text,
  slug: text,
  packages: z.array(
    z.object({ id: text, name: text, level, description: text, quizIds: z.array(text), deliverable: z.boolean() }),
  ),
}) satisfies z.ZodMiniType<MockTrack>

export const callback = z.object({
  id: text,
  type: text,
  url: text,
  inviteId: text,
  body: text,
  status: z.enum(CALLBACK_STATUSES),
  occurredAt: text,
  nextAttemptAt: textOrNull,
  waitsBehind: textOrNull,
  attempts: z.array(
    z.object({
      at: text,
      status: z.nullable(number),
      error: textOrNull,
      requestHeaders: z.record(text, text),
      answer: textOrNull,
    }),
  ),
}) satisfies z.ZodMiniType<MockCallback>

export const exchange = z.object({
  number,
  at: text,
  method: text,
  target: text,
  key: textOrNull,
  operations: z.array(text),
  body: textOrNull,
  status: z.nullable(number),
  answer: textOrNull,
  faulty: z.boolean(),
}) satisfies z.ZodMiniType<MockExchange>

export const apiKey = z.object({
  name: text,
  key: text,
  scopes: z.array(z.enum(SCOPES)),
}) satisfies z.ZodMiniType<ApiKey>

/** A rule in the list; `left` is null where it has no limit. */
export const faultRow = z.looseObject({ id: text, hits: number, left: z.nullable(number) })

export const clockState = z.object({ now: text, frozen: z.boolean() })

export const health = z.extend(clockState, {
  status: z.literal('ok'),
  invites: number,
  mails: number,
  callbacks: number,
  faults: number,
  requests: number,
  requestsDropped: number,
  sessions: number,
})

/** The addresses and keys of a mock, or of a session. */
export const addresses = z.object({
  baseUrl: text,
  endpoint: text,
  apiKeys: z.array(apiKey),
  adminSession: z.object({ headers: z.record(text, text) }),
})

/** The whole state, as `mock.snapshot()` returns it. */
export const snapshot = z.object({
  format: z.literal('certify-mock'),
  version: z.literal(1),
  world: z.looseObject({}),
  callbacks: z.looseObject({}),
})

/** The results that the OpenAPI document names, so that clients have types with these names. */
export const NAMED_RESULTS: Readonly<Record<string, z.ZodMiniType>> = {
  Invite: inviteRow,
  InviteWithOffer: invite,
  Mail: mail,
  Candidate: candidate,
  Quiz: quiz,
  Track: track,
  Callback: callback,
  Request: exchange,
  ApiKey: apiKey,
  FaultRule: faultRow,
  Clock: clockState,
  Health: health,
  Addresses: addresses,
  State: snapshot,
}

/** Some rows of many, newest first. */
export function pageOf<Row extends z.ZodMiniType>(row: Row) {
  return z.object({ rows: z.array(row), total: number, page: number, pages: number })
}
