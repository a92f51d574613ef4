import type { Duration } from './clock.ts'
import type { FollowUpKind, Level, Scope } from './model.ts'

/** The rules of the service that its specification leaves open, one switch each. */
export interface WorldSwitches {
  /**
   * Which addresses are the same candidate. `normalised-email`: equal after trimming and lower-casing; `exact-email`:
   * equal as written. `+tags` are kept, and the name is ignored. Default `normalised-email`.
   */
  readonly candidateIdentity: 'normalised-email' | 'exact-email'
  /**
   * Whether an address with letters outside ASCII is valid (RFC 6531, internationalised domain names). Default `refuse`.
   */
  readonly internationalEmail: 'refuse' | 'accept'
  /** Whether a create needs `candidate.name` (blank counts as missing). Default `optional`. */
  readonly candidateName: 'optional' | 'required'
  /**
   * What a second create for the same candidate and quiz does while the first invite is PENDING and its link is open.
   * `allow`: creates a second invite and sends a second e-mail; `refuse`: BAD_USER_INPUT; `return-existing`: returns the
   * first of its open invites and sends no e-mail. Default `allow`.
   */
  readonly pendingInvite: 'allow' | 'refuse' | 'return-existing'
  /**
   * How long a certification stays valid after passing: `two-years` of the calendar, `never-expires`, or a duration
   * such as `'90d'`. It is valid while now < its end. Default `two-years`.
   */
  readonly certificationValidity: 'two-years' | 'never-expires' | Duration
  /**
   * What happens to an attempt that is in progress when its link closes. `continues`: it goes on, and still blocks creates;
   * `ends`: it is abandoned from then on. Default `continues`.
   */
  readonly runningAttempt: 'continues' | 'ends'
  /**
   * What happens to existing links when their quiz is disabled. `stay-open`: nothing; `withdrawn`: those that were not used
   * die for good, also if the quiz is enabled again. Default `stay-open`.
   */
  readonly disabledQuizLinks: 'stay-open' | 'withdrawn'
  /**
   * When a follow-up is offered. `once`: a retake after a fail, unless that was a retake itself; a level-up after a pass. A
   * function decides instead. In both cases the quiz to take has to be READY, and no attempt is followed twice. Default
   * `once`.
   */
  readonly followUpOffer: 'once' | ((question: FollowUpQuestion) => boolean)
  /** The code for an unknown `quizId` or `packageId`. Default `BAD_USER_INPUT`. */
  readonly unknownIdCode: 'BAD_USER_INPUT' | 'NOT_FOUND'
  /**
   * What `search` returns for a match on the name of a package. `whole-track`: its track with all deliverable packages;
   * `matching-packages`: its track with only the packages that match. A match on the name of a track always returns the
   * whole track. Default `whole-track`.
   */
  readonly searchResult: 'whole-track' | 'matching-packages'
  /** A track without a deliverable package is listed with `packages: []` (`kept`), or left out (`omitted`). Default `kept`. */
  readonly undeliverableTrack: 'kept' | 'omitted'
  /**
   * Whether the fields that only describe are null in responses: names, levels, `description`, `durationMinutes`,
   * `enabledLanguages`, `conceptsTested`, `status`, `expiresAt` and `emailSent`. Default `never`.
   */
  readonly nullDescriptions: 'never' | 'always'
  /** An explicit `sendInviteEmail: null` counts as absent, so the e-mail is sent; or is BAD_USER_INPUT. Default `sends`. */
  readonly nullSendInviteEmail: 'sends' | 'refused'
  /**
   * The code for an invalid e-mail address, a `callbackUrl` that is not an https:// URL, and a `callbackUrl` in an admin
   * session: any text. Default `BAD_USER_INPUT`.
   */
  readonly invalidInputCode: 'BAD_USER_INPUT' | (string & {})
  /** Whether an error names every reason, or only the first, when several rules or skills refuse a create. Default `all`. */
  readonly severalReasons: 'all' | 'first'
  /** Which one counts when a request has both an API key and a session. Default `api-key`. */
  readonly bothCredentials: 'api-key' | 'session'
  /** The scopes of an admin session. Default `all`. */
  readonly sessionScopes: 'all' | readonly Scope[]
}

/** What a function for `followUpOffer` decides on. */
export interface FollowUpQuestion {
  readonly kind: FollowUpKind
  readonly inviteId: string
  readonly quizId: string
  readonly level: Level
  /** The address of the candidate, as it was invited. */
  readonly email: string
  /** Which follow-up the invite itself is; `null` for an original one. */
  readonly followUp: FollowUpKind | null
}
