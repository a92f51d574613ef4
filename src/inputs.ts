import * as z from 'zod/mini'
import { agreesWith } from './agreement.ts'
import { CertifyError } from './errors.ts'
import type {
  DeveloperCreateCertificationInviteInput,
  DeveloperCreateCertificationPackageInviteInput,
  PackageTracksQueryVariables,
} from './generated/operations.ts'
import { describeIssues, issuesOf, type RefusedKeys } from './issues.ts'
import { must } from './must.ts'

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

const leftOut = 'or be left out'
const text = z.optional(z.string(`must be a string, ${leftOut}`))
const choice = z.optional(z.boolean(`must be true or false, ${leftOut}`))
const id = z.string().check(must((value: string) => value.trim() !== '', 'must not be blank'))
const candidate = z.strictObject({
  name: text,
  email: z.string().check(must((value: string) => z.regexes.html5Email.test(value), 'must be a valid e-mail address')),
})
const httpsUrl = z
  .string()
  .check(
    must(
      (value: string) => value.startsWith('https://') && !/[\s\p{Cc}]/u.test(value) && URL.canParse(value),
      'must be a valid URL that starts with https://',
    ),
  )

export const trackFilter = agreesWith<PackageTracksQueryVariables>()(z.strictObject({ search: text, trackSlug: text }))

export const oneTrack = z.strictObject({ slug: id })

/* What is allowed in an admin session, which knows no callbacks, and what an API key allows beyond. */
const inviteInSession = {
  quizId: id,
  candidate,
  sendInviteEmail: choice,
  externalReference: text,
}
const packageInviteInSession = { packageId: id, candidate, sendInviteEmail: choice }
const callback = { callbackUrl: z.optional(httpsUrl) }

export const inviteInput = agreesWith<DeveloperCreateCertificationInviteInput>()(
  z.strictObject({ ...inviteInSession, ...callback }),
)
export const packageInviteInput = agreesWith<DeveloperCreateCertificationPackageInviteInput>()(
  z.strictObject({ ...packageInviteInSession, ...callback }),
)
export const inviteInputInSession = z.strictObject(inviteInSession)
export const packageInviteInputInSession = z.strictObject(packageInviteInSession)

const refusedKeys: RefusedKeys = {
  callbackUrl: 'cannot be set in an admin session; it takes a client with an API key',
  externalReference:
    'is not accepted on a package invite: the specification does not show it; keep your reference beside the invite ids',
}

/**
 * Checks what a caller wants to send. A value of `undefined` counts as absent, as it does in JSON.
 *
 * @throws CertifyError INPUT_INVALID, outcome `not-executed`, naming every field at fault and its rule
 */
export function readInput<Schema extends z.ZodMiniType>(
  operation: string,
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const given = withoutUndefined(input)
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const issues = issuesOf(result.error, given, refusedKeys)
  throw new CertifyError({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    operation,
    message: `${operation}: the input is not valid: ${describeIssues(issues)}. Nothing was sent.`,
    hint: 'Correct the input and call again.',
    issues,
  })
}

/* Two levels deep, as the inputs are. */
function withoutUndefined(value: unknown, levels = 2): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || levels === 0) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => [key, withoutUndefined(field, levels - 1)]),
  )
}
