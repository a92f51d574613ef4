import type {
  DeveloperCreateCertificationInviteInput,
  DeveloperCreateCertificationPackageInviteInput,
} from '../generated/schema.ts'

/**
 * The input of a single invite: one candidate and one quiz. Source: specification, part 2.
 *
 * @typeParam CallbackUrl `string` with an API key, `never` in an admin session, which has no callbacks
 */
export interface InviteInput<CallbackUrl extends string = string>
  extends Omit<DeveloperCreateCertificationInviteInput, 'callbackUrl'> {
  /** Where the service sends events: a valid URL that starts with `https://`. Only with an API key. */
  readonly callbackUrl?: CallbackUrl | undefined
}

/**
 * The input of a package invite: one candidate and every skill of one package. Source: specification, part 2.
 *
 * It has no `externalReference`: the specification shows none here.
 *
 * @typeParam CallbackUrl as in {@link InviteInput}
 */
export interface PackageInviteInput<CallbackUrl extends string = string>
  extends Omit<DeveloperCreateCertificationPackageInviteInput, 'callbackUrl'> {
  /** As for a single invite. Every invite of the package gets it. Only with an API key. */
  readonly callbackUrl?: CallbackUrl | undefined
}

/** Which tracks to list. A track must match every field that is set. Source: specification 4.1. */
export interface TrackFilter {
  /** Text to find in the names of tracks and packages. */
  readonly search?: string | undefined
  /** The slug of one track. */
  readonly trackSlug?: string | undefined
}
