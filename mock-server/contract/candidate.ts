import type { MockAttempt, MockCertification, MockInvite } from '../world/model.ts'

/** What a tester does to a candidate. */
export interface MockCandidate {
  /** The address, as it was asked for. */
  readonly email: string
  /**
   * The candidate begins an attempt now, which keeps new invites for this quiz from being created.
   *
   * @throws Error when there is no such quiz, or an attempt for it is in progress already.
   * @example
   * ```ts
   * mock.candidate('ines@candidate.test').startAttempt('quiz_react_beginner_state')
   * ```
   */
  startAttempt(quizId: string): void
  /**
   * The candidate passes the quiz now and holds a certification; an attempt in progress ends with it.
   *
   * @throws Error when there is no such quiz.
   * @example
   * ```ts
   * mock.candidate('ines@candidate.test').certify('quiz_react_beginner_state')
   * ```
   */
  certify(quizId: string): void
  /**
   * All attempts of this candidate.
   *
   * @example
   * ```ts
   * mock.open(link).fail()
   * expect(mock.candidate('ines@candidate.test').attempts).toMatchObject([{ status: 'FAILED' }])
   * ```
   */
  readonly attempts: readonly MockAttempt[]
  /**
   * All certifications of this candidate, those that are not valid any more included.
   *
   * @example
   * ```ts
   * const valid = mock.candidate('ines@candidate.test').certifications.filter((each) => each.valid)
   * ```
   */
  readonly certifications: readonly MockCertification[]
}

/** A link, with the candidate's hand on it. What the candidate may not do throws an Error whose `code` says why. */
export interface MockChallenge {
  /**
   * The invite, as it is now.
   *
   * @example
   * ```ts
   * expect(mock.open(link).invite.status).toBe('PENDING')
   * ```
   */
  readonly invite: MockInvite
  /**
   * What the candidate may claim now: a `retake` after a fail, a `level-up` after a pass, each once.
   *
   * @example
   * ```ts
   * mock.open(link).fail()
   * expect(mock.open(link).offer).toBe('retake')
   * ```
   */
  readonly offer: 'retake' | 'level-up' | null
  /**
   * The candidate begins the attempt, which keeps new invites for this quiz from being created.
   *
   * @throws Error with the code `LINK_CLOSED`, `LINK_USED` or `ATTEMPT_IN_PROGRESS`.
   * @example
   * ```ts
   * mock.open(link).start()
   * ```
   */
  start(): void
  /**
   * The candidate passes, and is certified; an attempt that was not begun is begun first.
   *
   * @throws Error as for `start`.
   * @example
   * ```ts
   * mock.open(link).pass()
   * ```
   */
  pass(): void
  /**
   * The candidate fails; an attempt that was not begun is begun first.
   *
   * @throws Error as for `start`.
   * @example
   * ```ts
   * mock.open(link).fail()
   * ```
   */
  fail(): void
  /**
   * The candidate gives the attempt up; one that was not begun is begun first. There is no result and no event.
   *
   * @throws Error as for `start`.
   * @example
   * ```ts
   * mock.open(link).abandon()
   * ```
   */
  abandon(): void
  /**
   * The candidate claims what is on offer: a new invite with 14 days of its own and no e-mail, which inherits the
   * `callbackUrl` and the `externalReference`.
   *
   * @throws Error with the code `NO_OFFER`, or `NOT_ELIGIBLE` where the candidate may not take that quiz now.
   * @returns the new invite.
   * @example
   * ```ts
   * mock.open(link).fail()
   * const retake = mock.open(link).claim('retake')
   * ```
   */
  claim(kind: 'retake' | 'level-up'): MockInvite
}
