import type {
  CallbackFaultRule,
  FaultProgress,
  FaultRule,
  FollowUpKind,
  MockAttempt,
  MockCallback,
  MockCertification,
  MockExchange,
  MockInvite,
} from '../generated/contract.ts'
import type { Duration, Moment } from '../world/clock.ts'
import type { MockRequest, MockResponse } from './fetch-types.ts'

/* What the members of a mock can do. */

/**
 * The clock of a world. It follows real time, a test's fake timers included, unless it is frozen. Only `reset`,
 * `restore` and a change of real time move it back. While it follows real time, due actions happen automatically, on
 * the timers that the platform had when the mock was imported.
 */
export interface MockClock {
  /** The time in this world. */
  now(): Date
  /** Whether the clock is frozen. */
  readonly frozen: boolean
  /**
   * Freezes the clock. Resolves when everything that falls due until then has happened.
   *
   * @param at the time to freeze at; default now
   * @throws Error for a time that is past in this world: begin in the past with `createMockServer({ now })`.
   */
  freeze(at?: Moment): Promise<void>
  /** Lets a frozen clock continue from its present time, at the speed of real time. */
  follow(): void
  /**
   * Moves the clock forward, whether it is frozen or follows real time. Resolves when everything that falls due has happened.
   *
   * @param by milliseconds, or a text such as `'30s'`, `'15m'`, `'2h'` or `'14d'`
   */
  advance(by: Duration): Promise<void>
}

/** A candidate for whom the test acts. */
export interface MockCandidate {
  /** The address, as it was passed to `mock.candidate`. */
  readonly email: string
  /**
   * The candidate begins an attempt now. Until it ends, no invite for this quiz can be created.
   *
   * @throws Error when there is no such quiz, or an attempt for it is already in progress.
   */
  startAttempt(quizId: string): void
  /**
   * The candidate passes the quiz now and holds a certification. An attempt in progress ends with it.
   *
   * @throws Error when there is no such quiz.
   */
  certify(quizId: string): void
  /** All attempts of this candidate. */
  readonly attempts: readonly MockAttempt[]
  /** All certifications of this candidate, including those that are no longer valid. */
  readonly certifications: readonly MockCertification[]
}

/**
 * A challenge link, and what its candidate does. An action that is not possible throws an Error whose `code` says why.
 *
 * @example
 * ```ts
 * mock.open(link).fail()
 * const retake = mock.open(link).claim('retake')
 * ```
 */
export interface MockChallenge {
  /** The invite in its present state. */
  readonly invite: MockInvite
  /** The follow-up that the candidate may claim now: a `retake` after a fail, a `level-up` after a pass, each once. */
  readonly offer: FollowUpKind | null
  /**
   * The candidate begins the attempt. Until it ends, no invite for this quiz can be created.
   *
   * @throws Error with the code `LINK_CLOSED`, `LINK_USED` or `ATTEMPT_IN_PROGRESS`.
   */
  start(): void
  /** The candidate passes and is certified. An attempt that has not begun begins first, and throws as `start` does. */
  pass(): void
  /** The candidate fails. An attempt that has not begun begins first, and throws as `start` does. */
  fail(): void
  /** The candidate abandons the attempt, without a result or an event. One that has not begun begins first. */
  abandon(): void
  /**
   * The candidate claims the follow-up: a new invite for 14 days, without an e-mail. It inherits the `callbackUrl` and
   * the `externalReference`.
   *
   * @throws Error with the code `NO_OFFER`, or `NOT_ELIGIBLE` if the candidate may not take that quiz now.
   * @returns the new invite.
   */
  claim(kind: FollowUpKind): MockInvite
}

/** A rule that was added. */
export interface FaultHandle {
  /** The identifier of the rule in the list. */
  readonly id: string
  /** How many requests it has hit so far. */
  readonly hits: number
  /** Removes the rule. Requests that it has hit do not change. */
  remove(): void
}

/** A copy of a rule, in the list. Only a rule for callbacks has `event`. */
export type FaultRecord = (FaultRule | CallbackFaultRule) & FaultProgress

/**
 * The faults of a mock. Each rule hits a number of requests, and is then used up.
 *
 * @example
 * ```ts
 * mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
 * await client.invites.create({ quizId, candidate }).catch(({ outcome }) => outcome) // 'unknown'
 * expect(mock.outbox).toHaveLength(1)
 * ```
 */
export interface MockFaults {
  /**
   * Adds a rule. If several match a request, the one that was added first decides, until it is used up.
   *
   * @throws Error when the rule is not valid: the message names every problem.
   */
  add(rule: FaultRule | CallbackFaultRule): FaultHandle
  /** All rules in the order in which they were added, including those that are used up. */
  list(): readonly FaultRecord[]
  /**
   * Removes one rule, by its identifier.
   *
   * @throws Error when there is no such rule.
   */
  remove(id: string): void
  /** Removes all rules. */
  clear(): void
}

/** The last 1,000 requests to a world. */
export interface MockRequestLog {
  /** The requests, oldest first. */
  list(): readonly MockExchange[]
  /** How many requests the log no longer has. */
  readonly dropped: number
  /** Forgets all requests. The numbering continues. */
  clear(): void
}

/** A part of a mock. `world` is invites, e-mails, attempts, certifications and quizzes; the others are members of the mock. */
export type MockPart = 'world' | 'clock' | 'callbacks' | 'faults' | 'requestLog' | 'sessions'

/** Receives the parts that changed since its last call. */
export type ChangeListener = (parts: readonly MockPart[]) => void

/** The header with the identifier of the event: the same in every attempt. */
export const EVENT_ID_HEADER = 'x-certify-event-id'

/**
 * The host of the receiver in the mock itself. Callbacks to `https://sandbox.callback/…` are answered with 200 and kept
 * in the log, without reaching the network or a handler.
 */
export const RECEIVER_HOST = 'sandbox.callback'

/**
 * The events of invites with a `callbackUrl`. Events of one candidate for one address are delivered in order: each
 * waits until the previous one is acknowledged. Other events do not wait for them.
 *
 * @example
 * ```ts
 * mock.open(invite.challengeUrl).pass()
 * await mock.settle()
 * expect(mock.callbacks.list()).toMatchObject([{ type: 'certification.completed', status: 'delivered' }])
 * ```
 */
export interface MockCallbacks {
  /**
   * The log, oldest first.
   *
   * @param filter which events
   */
  list(filter?: {
    /** Only the events whose delivery has this status. */
    readonly status?: MockCallback['status']
  }): readonly MockCallback[]
  /**
   * Sends every callback to this address or this handler, overriding the options `deliver` and `hosts`, until `reset`.
   * Any 2xx acknowledges. A handler must not await `mock.settle()`, which waits for it.
   *
   * @param target an origin to contact instead of the one in each `callbackUrl`, or a handler to call instead of the
   *   network
   * @throws Error when it is neither
   * @example
   * ```ts
   * mock.callbacks.deliverTo((request) => app.fetch(request))
   * mock.callbacks.deliverTo('http://127.0.0.1:3000')
   * ```
   */
  deliverTo(target: string | ((request: MockRequest) => MockResponse | Promise<MockResponse>)): void
  /**
   * Sends an event again, whatever its status: with the same identifier and body, and with all its retries. It keeps its
   * place among the waiting events of its candidate and address. Does nothing while an attempt is under way.
   *
   * @throws Error when there is no such event.
   */
  redeliver(id: string): void
  /** Whether deliveries are paused. */
  readonly paused: boolean
  /** Begins no further attempts until `resume`. An attempt in progress is finished. */
  pause(): void
  /** Delivers the waiting events. */
  resume(): void
}
