import type { MockAttempt, MockCertification, MockInvite } from '../world/model.ts'

/** A candidate whom the test acts for. */
export interface MockCandidate {
  /** The address, as it was passed to `mock.candidate`. */
  readonly email: string
  /**
   * The candidate begins an attempt now. Until it ends, no invite for this quiz can be created.
   *
   * @throws Error when there is no such quiz, or an attempt for it is in progress already.
   * @example
   * ```ts
   * mock.candidate('ines@candidate.test').startAttempt('quiz_react_beginner_state')
   * ```
   */
  startAttempt(quizId: string): void
  /**
   * The candidate passes the quiz now and holds a certification. An attempt in progress ends with it.
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
   * All certifications of this candidate, including those that are no longer valid.
   *
   * @example
   * ```ts
   * const valid = mock.candidate('ines@candidate.test').certifications.filter((each) => each.valid)
   * ```
   */
  readonly certifications: readonly MockCertification[]
}

/** A challenge link, and what its candidate does. An action that is not possible throws an Error whose `code` says why. */
export interface MockChallenge {
  /**
   * The invite in its present state.
   *
   * @example
   * ```ts
   * expect(mock.open(link).invite.status).toBe('PENDING')
   * ```
   */
  readonly invite: MockInvite
  /**
   * The follow-up that the candidate may claim now: a `retake` after a fail, a `level-up` after a pass, each once.
   *
   * @example
   * ```ts
   * mock.open(link).fail()
   * expect(mock.open(link).offer).toBe('retake')
   * ```
   */
  readonly offer: 'retake' | 'level-up' | null
  /**
   * The candidate begins the attempt. Until it ends, no invite for this quiz can be created.
   *
   * @throws Error with the code `LINK_CLOSED`, `LINK_USED` or `ATTEMPT_IN_PROGRESS`.
   * @example
   * ```ts
   * mock.open(link).start()
   * ```
   */
  start(): void
  /**
   * The candidate passes and is certified. An attempt that has not begun begins first.
   *
   * @throws Error as for `start`.
   * @example
   * ```ts
   * mock.open(link).pass()
   * ```
   */
  pass(): void
  /**
   * The candidate fails. An attempt that has not begun begins first.
   *
   * @throws Error as for `start`.
   * @example
   * ```ts
   * mock.open(link).fail()
   * ```
   */
  fail(): void
  /**
   * The candidate abandons the attempt, without a result or an event. An attempt that has not begun begins first.
   *
   * @throws Error as for `start`.
   * @example
   * ```ts
   * mock.open(link).abandon()
   * ```
   */
  abandon(): void
  /**
   * The candidate claims the follow-up: a new invite for 14 days, without an e-mail. It inherits the `callbackUrl` and the
   * `externalReference`.
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
