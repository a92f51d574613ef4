import { z } from 'zod/mini'
import type { Authentication } from '../options.ts'
import { boolean, closedObject, rule, string } from '../validation.ts'

/** The person to invite. Source: specification, part 2. */
export interface Candidate {
  /** The candidate's name. Optional here; the specification does not say whether the service requires it. */
  readonly name?: string | undefined
  /** An e-mail address by the WHATWG's grammar (what browsers accept), sent as it is written. */
  readonly email: string
}

/** A level of proficiency. Open: the specification shows `BEGINNER` and says that there are more. */
export type Level = 'BEGINNER' | (string & {})

/** The state of an invite. Open: the specification shows `PENDING`, the state at creation. */
export type InviteStatus = 'PENDING' | (string & {})

/** An invite as it was created. Source: specification, part 2. */
export interface CertificationInvite {
  readonly inviteId: string
  readonly status: InviteStatus
  /** The link that the candidate opens. With `sendInviteEmail: false` this is its only copy. */
  readonly challengeUrl: string
  /** ISO 8601 in UTC, as the service wrote it: 14 days after creation. */
  readonly expiresAt: string
  /** Whether the service sent the e-mail. */
  readonly emailSent: boolean
}

/* Functions, not schemas: most programs need few of them, and each takes its time to make. */

/** The fields of an invite in an answer. */
export const inviteFields = () => ({
  inviteId: string(),
  status: string(),
  challengeUrl: string(),
  expiresAt: string(),
  emailSent: boolean('must be true or false'),
})

export const optionalText = () => z.optional(z.string('must be a string, or be left out'))

export const id = () => string(rule((value) => value.trim() !== '', 'must not be blank'))

/** What every input of a create has. */
export const recipientFields = () => ({
  candidate: closedObject({
    name: optionalText(),
    email: string(rule((value) => z.regexes.html5Email.test(value), 'must be a valid e-mail address')),
  }),
  sendInviteEmail: z.optional(boolean('must be true or false, or be left out')),
})

/** A field that a caller may try, and that is refused with a reason. It is no part of the types. */
export const refusedField = (reason: string) => z.optional(z.custom((value) => value === undefined, reason))

const httpsUrl = () =>
  z.optional(
    string(
      rule(
        (value) => value.startsWith('https://') && !/[\s\p{Cc}]/u.test(value) && URL.canParse(value),
        'must be a valid URL that starts with https://',
      ),
    ),
  )

/** Where events go: settable with an API key alone. Source: specification, part 5. */
export const callbackUrl = (authentication: Authentication) =>
  authentication === 'api-key'
    ? httpsUrl()
    : (refusedField('cannot be set in an admin session; it takes a client with an API key') as unknown as ReturnType<
        typeof httpsUrl
      >)
