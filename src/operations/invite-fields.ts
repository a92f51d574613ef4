import { emailFault } from '../email-address.ts'
import { parseUrl } from '../parse-url.ts'
import {
  type Authentication,
  boolean,
  closedObject,
  isBoolean,
  isString,
  nullable,
  optional,
  rule,
  string,
} from '../validation.ts'

/* Functions, not schemas: each schema takes time to make, and most programs need few. */

/** The fields of an invite in a response. */
export const inviteFields = () => ({
  inviteId: notBlank(),
  status: nullableText(),
  challengeUrl: notBlank(),
  expiresAt: nullable<string>(isTime, 'must be a time in ISO 8601'),
  emailSent: nullable<boolean>(isBoolean, 'must be true or false'),
})

/** A descriptive text in a response. */
export const nullableText = () => nullable<string>(isString, 'must be a string')

export const optionalText = () => optional(rule<string>(isString, 'must be a string, or be left out'))

/** An identifier or a link: somebody acts on it. */
export const notBlank = () => string(rule((value) => value.trim() !== '', 'must not be blank'))

/** Whether a value is a time in ISO 8601, as in `2030-01-15T00:00:00Z`. */
export function isTime(value: unknown): value is string {
  /* `Date.parse` alone would also accept `1`, as a date in 2001. */
  return isString(value) && value.length <= 40 && ISO_TIME.test(value) && !Number.isNaN(Date.parse(inUtc(value)))
}

/* RFC 3339 also allows a blank and lower case. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i

/** A time of the service in strict ISO 8601. By the specification it is in UTC; `Date` would take one without a zone for local time. */
export function inUtc(time: string): string {
  const [, day, clock, zone = 'Z'] = /^(\d{4}-\d\d-\d\d)[t ]([\d:.]+)(z|[+-][\d:]+)?$/i.exec(time) ?? []
  return day === undefined ? time : `${day}T${clock}${zone.toUpperCase()}`
}

const emailAddress = () =>
  rule<string>(
    (value) => emailFault(value) === undefined,
    (value) => `must be a valid e-mail address: it ${emailFault(value)}`,
  )

/** The fields that every create has. */
export const recipientFields = () => ({
  candidate: closedObject({
    name: optionalText(),
    email: string(emailAddress()),
  }),
  sendInviteEmail: optional(boolean('must be true or false, or be left out')),
})

/* Servers and proxies refuse longer ones, and parsing a URL may take quadratic time. */
const LONGEST_URL = 8192

const httpsUrl = () =>
  optional(
    string(
      rule(
        (value) =>
          value.length <= LONGEST_URL &&
          value.startsWith('https://') &&
          !/[\s\p{Cc}]/u.test(value) &&
          parseUrl(value) !== undefined,
        `must be a valid URL that starts with https://, of at most ${LONGEST_URL} characters`,
      ),
    ),
  )

/** The URL for events. Only a client with an API key may set it. Source: specification, part 5. */
export const callbackUrl = (authentication: Authentication) =>
  authentication === 'api-key'
    ? httpsUrl()
    : optional(rule<string>(() => false, 'cannot be set in an admin session; use an API key'))
