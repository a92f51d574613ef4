import * as z from 'zod/mini'
import { LEVELS, type Scope, SCOPES } from '../world/model.ts'
import { faultRow } from './faults.ts'
import { described, object, typedAs } from './validation.ts'

/* The rows of a mock, as its members and the control API return them. */

const number = z.int()
const text = (description?: string) => described(z.string(), description)
const textOrNull = (description?: string) => described(z.nullable(z.string()), description)
const list = (description: string) => described(z.array(z.string()), description)
const packages = <Row extends z.ZodMiniType>(row: Row) => described(z.array(row), 'Its packages.')

export const level = z.enum(LEVELS).check(z.describe('A level of proficiency.'))
export const scope = typedAs<Scope>('Scope', z.enum(SCOPES))

const OUTCOMES = ['PASSED', 'FAILED', 'ABANDONED'] as const
export const attemptOutcome = z.enum(OUTCOMES).check(z.describe('How an attempt ended.'))

const INVITE_STATUSES = ['PENDING', 'IN_PROGRESS', ...OUTCOMES, 'EXPIRED'] as const
export const inviteStatus = z
  .enum(INVITE_STATUSES)
  .check(
    z.describe(
      'The status of an invite. The specification shows only PENDING: the other names are our own, and no response of the service has them.',
    ),
  )

export const followUpKind = z
  .enum(['retake', 'level-up'])
  .check(z.describe('A second chance at the same quiz, or the next level of the same skill.'))

const invited = z.object({
  name: textOrNull('The name; `null` if none was given.'),
  email: text('The address, as given.'),
})

export const inviteRow = described(
  z.object({
    inviteId: text('Identifies the invite.'),
    quizId: text('The quiz that the candidate is invited to.'),
    packageId: textOrNull('The package whose invite created this one; `null` for a single invite.'),
    skillName: text('The skill that the quiz tests.'),
    level,
    candidate: described(invited, 'Whom it invites.'),
    status: inviteStatus,
    challengeUrl: text('The link that the candidate opens.'),
    createdAt: text('When it was created.'),
    expiresAt: text('When the link closes.'),
    emailSent: described(z.boolean(), 'Whether the mock sent the invite e-mail.'),
    externalReference: textOrNull('The identifier that the create passed; `null` if there was none.'),
    callbackUrl: textOrNull('Where its events are delivered; `null`: nowhere.'),
    followUpOf: described(
      z.nullable(z.object({ inviteId: text('Identifies that invite.'), kind: followUpKind })),
      'The invite that this one follows, if the candidate claimed it.',
    ),
    followedBy: textOrNull('The invite that was claimed after this one.'),
  }),
  'An invite. Times are ISO 8601 in UTC.',
)

/** An invite, and what its candidate may claim now. */
export const invite = z.extend(inviteRow, { offer: z.nullable(followUpKind) })

const optionalTextOrNull = z.optional(z.nullable(z.string()))

const invitation = {
  candidate: object('candidate', { name: optionalTextOrNull, email: z.string() }),
  sendInviteEmail: z.optional(z.nullable(z.boolean())),
  callbackUrl: optionalTextOrNull,
}

/** The input of a create: for one quiz, or for a package. The service's own rules check the values. */
export const inviteInput = z.union(
  [
    object('the invite of a package', { packageId: z.string(), ...invitation }),
    object('an invite', { quizId: z.string(), ...invitation, externalReference: optionalTextOrNull }),
  ],
  { error: 'it has a quizId or a packageId, and a candidate with an email' },
)

export const mail = described(
  z.object({
    to: text('The address of the candidate.'),
    subject: text('The subject line.'),
    challengeUrl: text('The link that the candidate opens.'),
    inviteId: text('The invite that it is about.'),
    sentAt: text('When it was sent.'),
  }),
  'An e-mail that a real service would have sent. Times are ISO 8601 in UTC.',
)

export const attempt = described(
  z.object({
    inviteId: textOrNull('The invite whose link it began with; `null` for one that a test added.'),
    quizId: text('The quiz that was attempted.'),
    status: z.enum(['IN_PROGRESS', ...OUTCOMES]).check(z.describe('The state of the attempt.')),
    startedAt: text('When it began.'),
    endedAt: textOrNull('When it ended; `null` while it is in progress.'),
  }),
  'An attempt of a candidate. Times are ISO 8601 in UTC.',
)

export const certification = described(
  z.object({
    quizId: text('The quiz that was passed.'),
    passedAt: text('When it was passed.'),
    validUntil: textOrNull('`null` if certifications never expire.'),
    valid: described(z.boolean(), 'Whether it is valid now.'),
  }),
  'A certification of a candidate. Times are ISO 8601 in UTC.',
)

export const candidate = z.object({
  email: text(),
  attempts: z.array(attempt),
  certifications: z.array(certification),
})

export const quiz = described(
  z.object({
    id: text('The identifier that an invite names.'),
    skillName: text('The skill that it tests. Quizzes of one skill name are the levels of one skill.'),
    level,
    ready: described(z.boolean(), 'Whether it is enabled (READY), so that candidates can be invited to it.'),
    durationMinutes: z.int().check(z.gte(1), z.describe('Whole minutes.')),
    enabledLanguages: list('Language tags, such as en or pt-BR.'),
    conceptsTested: list('What it asks about.'),
  }),
  'A quiz: the test of one skill.',
)

export const pack = described(
  z.object({
    id: text('The identifier that a package invite names.'),
    name: text('Its name, for people.'),
    level,
    description: text('What it covers.'),
    quizIds: list(
      'Its skills, each by its quiz. All are of the level of the package. A quiz may be in several packages.',
    ),
  }),
  'A package: skills of one level, by their quizzes.',
)

export const packageRow = described(
  z.extend(pack, { deliverable: described(z.boolean(), 'Whether it has skills and each of its quizzes is READY.') }),
  'A package, and whether it can be delivered now.',
)

export const track = described(
  z.object({
    id: text('Identifies the track.'),
    name: text('Its name, for people.'),
    slug: text('The short name by which `trackSlug` finds it.'),
    packages: packages(pack),
  }),
  'A track: at most four packages, one of each level.',
)

export const trackRow = described(z.extend(track, { packages: packages(packageRow) }), 'A track with all its packages.')

export const CALLBACK_STATUSES = ['waiting', 'delivered', 'given-up', 'blocked'] as const

export const callbackAttempt = described(
  z.object({
    at: text('When it was made.'),
    status: described(z.nullable(number), 'The HTTP status of the response; `null` if there was none.'),
    error: textOrNull('Why there was no response; `null` if there was one.'),
    requestHeaders: described(
      z.record(z.string(), z.string()),
      'The headers that were sent; the password of the URL is hidden. Empty where nothing was sent.',
    ),
    response: textOrNull(
      'The body of the response, at most its first 4,096 characters; `null` if there was none or it could not be read.',
    ),
  }),
  'One attempt to deliver a callback: the status of the response, or why there was none.',
)

export const callback = described(
  z.object({
    id: text('The identifier of the event: the same in every attempt.'),
    type: text('The type of the event.'),
    url: text('The `callbackUrl` of the invite.'),
    inviteId: text('The invite of the event.'),
    body: text('The body: the same bytes in every attempt.'),
    status: z.enum(CALLBACK_STATUSES).check(z.describe('The state of its delivery.')),
    occurredAt: text('When it happened.'),
    nextAttemptAt: textOrNull(
      'When the next attempt is due; `null` if there is none, another event comes first, or callbacks are paused.',
    ),
    waitsBehind: textOrNull('The identifier of the event that must be acknowledged first; `null` if there is none.'),
    attempts: described(z.array(callbackAttempt), 'What was sent so far, earliest first.'),
  }),
  `One event to a \`callbackUrl\`. Times are ISO 8601 in UTC.

- \`waiting\`: it waits for its first attempt or a retry.
- \`delivered\`: it was acknowledged.
- \`given-up\`: no retry is left; the events behind it wait until it is redelivered.
- \`blocked\`: its host is neither loopback nor allowed; nothing was contacted.`,
)

export const exchange = described(
  z.object({
    number: described(number, '1 for the first request of this world.'),
    at: text('When the request arrived.'),
    method: text('The HTTP method.'),
    target: text("The path below the mock's base, with the query string."),
    key: textOrNull('The name of the API key that was sent; `null` if there was none or it is unknown.'),
    operations: list('The operations that were selected, whatever names the client gives them.'),
    email: textOrNull('The candidate of the first create among them; `null` if there is none.'),
    body: textOrNull('The body, at most its first 16,384 characters; `null` if it could not be read.'),
    status: described(z.nullable(number), 'The status that was sent; `null` if a fault withheld the response.'),
    response: textOrNull('The response, at most its first 16,384 characters; `null` if a fault withheld it.'),
    code: textOrNull('The code of the first error, wherever the response has it; `null` without an error.'),
    reason: textOrNull('The message of that error.'),
    headers: described(z.record(z.string(), z.string()), 'Its headers, with lower-case names. Credentials are hidden.'),
    reference: textOrNull('Its header `x-client-reference`, which the SDK sends; `null` if there was none.'),
    createdInviteIds: list('The invites that it created, whatever became of its response.'),
    faulty: described(z.boolean(), 'Whether a fault hit it.'),
    faultId: textOrNull('The fault rule that hit it, or the magic address; `null` if there was none.'),
    faultPhase: described(
      z.nullable(z.enum(['before', 'after'])),
      'Whether the fault came before or after its effect; `null` if there was none.',
    ),
  }),
  'A request and its response, with the names of keys instead of keys.',
)

/* The request log replaces keys by their names with a regular expression, whose size is limited. */
const MAX_KEY_LENGTH = 200

export const apiKey = described(
  z.object({
    name: text('Its name, for people and for fault rules.').check(
      z.maxLength(MAX_KEY_LENGTH),
      z.refine((name) => !/\p{Cc}/u.test(name), 'the name of an API key has a control character'),
    ),
    // It is sent in a header, and written in files where a line break would begin another variable.
    key: text('The key, as it is sent in a header.').check(
      z.maxLength(MAX_KEY_LENGTH),
      z.refine((key) => key.trim() !== '', 'an API key is blank'),
      z.refine((key) => /^[ -~]*$/.test(key), 'an API key has a character that is not printable ASCII'),
    ),
    scopes: described(z.array(scope), 'What it may do.'),
  }),
  'An API key. A scope that is not listed is not granted.',
)

export const clockState = z.object({ now: text(), frozen: z.boolean() })

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
  baseUrl: text(),
  endpoint: text(),
  apiKeys: z.array(apiKey),
  adminSession: z.object({ headers: z.record(z.string(), z.string()) }),
})

export const snapshot = described(
  z.object({
    format: described(z.literal('certify-mock'), 'Identifies the format.'),
    version: described(z.literal(1), 'Increases when an older version of this package cannot read it.'),
    world: described(z.unknown(), 'Catalogue, rows, identifiers and clock.'),
    callbacks: described(z.unknown(), 'The callbacks, and what is still to be delivered.'),
  }),
  'The state of a world: catalogue, rows, identifiers, clock and callbacks. Plain data, which can be written to a file as JSON. Keys, faults and the request log are not part of it.',
)

/** The results that the OpenAPI document names, so that clients have types with these names. */
export const NAMED_RESULTS: Readonly<Record<string, z.ZodMiniType>> = {
  Invite: inviteRow,
  InviteWithOffer: invite,
  Mail: mail,
  Candidate: candidate,
  Quiz: quiz,
  Track: trackRow,
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
