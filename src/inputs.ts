import { regexes } from 'zod/v4/core'
import { agreesWith } from './agreement.ts'
import type {
  DeveloperCreateCertificationInviteInput,
  DeveloperCreateCertificationPackageInviteInput,
  PackageTracksQueryVariables,
} from './generated/operations.ts'
import { inputInvalid } from './refusals.ts'
import {
  any,
  isBoolean,
  isString,
  must,
  type Output,
  optional,
  type Schema,
  strictObject,
  string,
  validate,
} from './schema.ts'

/** Which tracks to list. Both conditions hold where both are given. Source: specification 4.1. */
export interface TrackFilter {
  /** Text to look for in the names of tracks and packages. */
  readonly search?: string | undefined
  /** The slug of the one track to list. */
  readonly trackSlug?: string | undefined
}

/** The person to invite. Source: specification, part 2. */
export interface Candidate {
  /** The candidate's name. Optional here; the specification does not say whether the service requires it. */
  readonly name?: string | undefined
  /** An e-mail address by the WHATWG's grammar (what browsers accept), sent as it is written. */
  readonly email: string
}

/**
 * What it takes to invite one candidate to one quiz. Source: specification, part 2.
 *
 * @typeParam CallbackUrl `string` with an API key, `never` in an admin session, which knows no callbacks
 */
export interface InviteInput<CallbackUrl extends string = string> {
  /** The quiz, as in {@link Skill.quizId}. Not blank. */
  readonly quizId: string
  readonly candidate: Candidate
  /** `false` keeps the service from sending the e-mail: the result is then the only copy of the link. Default: `true`. */
  readonly sendInviteEmail?: boolean | undefined
  /** Your own reference; a follow-up attempt inherits it. */
  readonly externalReference?: string | undefined
  /** Where the service sends events: a valid URL that starts with `https://`. Only with an API key. */
  readonly callbackUrl?: CallbackUrl | undefined
}

/**
 * What it takes to invite one candidate to every skill of one package. Source: specification, part 2.
 *
 * It takes no `externalReference`: the specification does not show one here.
 *
 * @typeParam CallbackUrl as in {@link InviteInput}
 */
export interface PackageInviteInput<CallbackUrl extends string = string> {
  /** The package, as in {@link Package.id}. Not blank. */
  readonly packageId: string
  readonly candidate: Candidate
  /** As for a single invite, for every skill: each link travels in an e-mail of its own. Default: `true`. */
  readonly sendInviteEmail?: boolean | undefined
  /** As for a single invite; set on every invite of the package. Only with an API key. */
  readonly callbackUrl?: CallbackUrl | undefined
}

const text = optional(any<string>(must(isString, 'must be a string, or be left out')))
const choice = optional(any<boolean>(must(isBoolean, 'must be true or false, or be left out')))
const id = string(must((value) => value.trim() !== '', 'must not be blank'))
const candidate = strictObject({
  name: text,
  email: string(must((value) => regexes.html5Email.test(value), 'must be a valid e-mail address')),
})
const httpsUrl = string(
  must(
    (value) => value.startsWith('https://') && !/[\s\p{Cc}]/u.test(value) && URL.canParse(value),
    'must be a valid URL that starts with https://',
  ),
)

export const trackFilter = agreesWith<PackageTracksQueryVariables>()(strictObject({ search: text, trackSlug: text }))

export const oneTrack = strictObject({ slug: id })

/* Fields that a caller may try are refused with a reason. They are no part of the types. */
const refused = (rule: string) => optional(any(must((value: unknown) => value === undefined, rule)))
const noCallback: object = {
  callbackUrl: refused('cannot be set in an admin session; it takes a client with an API key'),
}
const noReference: object = {
  externalReference: refused(
    'is not accepted on a package invite: the specification does not show it; keep your reference beside the invite ids',
  ),
}

const invite = { quizId: id, candidate, sendInviteEmail: choice, externalReference: text }
const packageInvite = { packageId: id, candidate, sendInviteEmail: choice, ...noReference }
const callback = { callbackUrl: optional(httpsUrl) }

export const inviteInput = agreesWith<DeveloperCreateCertificationInviteInput>()(
  strictObject({ ...invite, ...callback }),
)
export const packageInviteInput = agreesWith<DeveloperCreateCertificationPackageInviteInput>()(
  strictObject({ ...packageInvite, ...callback }),
)
/* What is allowed in an admin session, which knows no callbacks. */
export const inviteInputInSession = strictObject({ ...invite, ...noCallback })
export const packageInviteInputInSession = strictObject({ ...packageInvite, ...noCallback })

/**
 * Checks what a caller wants to send.
 *
 * @throws CertifyError INPUT_INVALID, outcome `not-executed`, naming every field at fault and its rule
 */
export function readInput<Of extends Schema>(operation: string, schema: Of, input: unknown): Output<Of> {
  const { value, issues } = validate(schema, input)
  if (issues !== undefined) throw inputInvalid(operation, issues)
  return value
}
