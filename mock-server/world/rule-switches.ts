import type { Duration } from './clock.ts'
import type { FollowUpKind, Level, Scope } from './model.ts'

/** The rules of the service that its specification leaves open, one switch each. */
export interface WorldSwitches {
  /**
   * Which addresses are the same candidate. `normalised-email`: equal after trimming and lower-casing; `exact-email`:
   * equal as written. `+tags` are kept and the name plays no part in either. Default `normalised-email`.
   */
  readonly candidateIdentity: 'normalised-email' | 'exact-email'
  /** Whether a create needs `candidate.name` (blank counts as missing). Default `optional`. */
  readonly candidateName: 'optional' | 'required'
  /**
   * What a second create for the same candidate and quiz does while the first invite is PENDING and its link is open.
   * `allow`: a second invite and a second e-mail; `refuse`: BAD_USER_INPUT; `return-existing`: the first invite again,
   * no e-mail. Default `allow`.
   */
  readonly pendingInvite: 'allow' | 'refuse' | 'return-existing'
  /**
   * How long a certification stays valid after passing: `two-years` of the calendar, `never-expires`, or a duration
   * such as `'90d'`. It is valid while now < its end. Default `two-years`.
   */
  readonly certificationValidity: 'two-years' | 'never-expires' | Duration
  /**
   * What becomes of an attempt that is running when its link closes. `continues`: it goes on, and still blocks creates;
   * `ends`: it counts as abandoned from then on. Default `continues`.
   */
  readonly runningAttempt: 'continues' | 'ends'
  /** Whether links that exist stay open when their quiz is no longer READY, or are withdrawn. Default `stay-open`. */
  readonly disabledQuizLinks: 'stay-open' | 'withdrawn'
  /**
   * When a follow-up is offered. `once`: a retake after a fail, unless that was a retake itself; a level-up after a pass,
   * where the skill has a quiz of the next level that is READY. A function decides instead of the first two conditions; a
   * quiz to go on with is needed all the same, and no attempt is followed twice. Default `once`.
   */
  readonly followUpOffer: 'once' | ((asked: FollowUpQuestion) => boolean)
  /** The code for a `quizId` or `packageId` that nobody knows. Default `BAD_USER_INPUT`. */
  readonly unknownIdCode: 'BAD_USER_INPUT' | 'NOT_FOUND'
  /**
   * What a hit of `search` on the name of a package brings. `whole-track`: its track with all its deliverable packages;
   * `matching-packages`: its track with only the packages that match. A hit on the track's own name brings the whole
   * track in both. Default `whole-track`.
   */
  readonly searchResult: 'whole-track' | 'matching-packages'
  /** What happens to a track none of whose packages can be delivered: listed with `packages: []`, or left out. Default `kept`. */
  readonly undeliverableTrack: 'kept' | 'omitted'
  /** What an explicit `sendInviteEmail: null` means: as if absent, so the e-mail is sent; or BAD_USER_INPUT. Default `sends`. */
  readonly nullSendInviteEmail: 'sends' | 'refused'
  /**
   * The code for an e-mail with wrong syntax, a `callbackUrl` that is not an https:// URL, and a `callbackUrl` in an
   * admin session. Any code can be played. Default `BAD_USER_INPUT`.
   */
  readonly invalidInputCode: 'BAD_USER_INPUT' | (string & {})
  /** What an error says when several rules or skills stand in the way: every one of them, or only the first. Default `all`. */
  readonly severalReasons: 'all' | 'first'
  /** Which one decides when a request carries an API key and a session. Default `api-key`. */
  readonly bothCredentials: 'api-key' | 'session'
  /** What an admin session may do: everything, or the scopes listed. Default `all`. */
  readonly sessionScopes: 'all' | readonly Scope[]
}

/** What a function that decides about follow-ups is asked. */
export interface FollowUpQuestion {
  readonly kind: FollowUpKind
  readonly inviteId: string
  readonly quizId: string
  readonly level: Level
  /** The address of the candidate, as it was invited. */
  readonly email: string
  /** What the invite itself is: a follow-up of this kind, or `null` for an original one. */
  readonly followUp: FollowUpKind | null
}
