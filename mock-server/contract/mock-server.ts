import type { MockInvite, MockMail, MockTrack, Quiz } from '../world/model.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'
import type { MockCallbacks } from './callbacks.ts'
import type { MockCandidate, MockChallenge } from './candidate.ts'
import type { ChangeListener } from './changes.ts'
import type { MockClock } from './clock.ts'
import type { MockFaults } from './faults.ts'
import type { MockRequestLog } from './request-log.ts'
import type { MockServing } from './serving.ts'
import type { MockSnapshot } from './snapshot.ts'
import type { MockWaits } from './waits.ts'
import type { MockWorld } from './world.ts'

/** One certification service with a world of its own. Made by `createMockServer`. */
export interface MockServer extends MockServing, MockWaits {
  /**
   * The identifier of this world: a new one after every start, `reset`, `load` and `restore`, whatever the seed. Over HTTP it is at
   * `/__mock/world`. Software that stores invites learns from it that their links no longer exist.
   *
   * @example
   * ```ts
   * const before = mock.worldId
   * mock.reset()
   * expect(mock.worldId).not.toBe(before)
   * ```
   */
  readonly worldId: string
  /**
   * The clock of this world.
   *
   * @example
   * ```ts
   * mock.clock.freeze()
   * await mock.clock.advance('14d') // every link that existed is closed now
   * ```
   */
  readonly clock: MockClock
  /**
   * All invites that were created, oldest first.
   *
   * @example
   * ```ts
   * expect(mock.invites).toHaveLength(1)
   * ```
   */
  readonly invites: readonly MockInvite[]
  /**
   * The e-mails that a real service would have sent, oldest first.
   *
   * @example
   * ```ts
   * const link = mock.outbox.at(-1)?.challengeUrl
   * ```
   */
  readonly outbox: readonly MockMail[]
  /**
   * All tracks with all their packages, including those that cannot be delivered now.
   *
   * @example
   * ```ts
   * const shut = mock.tracks.flatMap(({ packages }) => packages).filter(({ deliverable }) => !deliverable)
   * ```
   */
  readonly tracks: readonly MockTrack[]
  /**
   * All quizzes. `ready` is what the specification calls READY.
   *
   * @example
   * ```ts
   * const ready = mock.quizzes.filter((quiz) => quiz.ready)
   * ```
   */
  readonly quizzes: readonly Quiz[]
  /**
   * Acts for the candidate of a link.
   *
   * @param link - the `challengeUrl` of an invite, or its `inviteId`.
   * @throws Error when there is no such invite.
   * @example
   * ```ts
   * mock.open(invite.challengeUrl).pass()
   * ```
   */
  open(link: string): MockChallenge
  /**
   * Acts for a candidate, known or new.
   *
   * @param email - compared as the switch `candidateIdentity` says.
   * @example
   * ```ts
   * mock.candidate('ines@candidate.test').certify('quiz_react_beginner_state')
   * ```
   */
  candidate(email: string): MockCandidate
  /**
   * Disables a quiz: it is no longer READY. Existing links stay open, unless the switch `disabledQuizLinks` says otherwise.
   *
   * @throws Error when there is no such quiz.
   * @example
   * ```ts
   * mock.disableQuiz('quiz_react_beginner_state') // pkg_react_beginner can no longer be delivered
   * ```
   */
  disableQuiz(quizId: string): void
  /**
   * Enables a quiz: it is READY.
   *
   * @throws Error when there is no such quiz.
   * @example
   * ```ts
   * mock.enableQuiz('quiz_cloud_intermediate_observability')
   * ```
   */
  enableQuiz(quizId: string): void
  /**
   * The faults of requests, before or after their effect, and of callbacks.
   *
   * @example
   * ```ts
   * mock.faults.add({ phase: 'after', fault: 'cut' }) // created, then the connection is cut
   * ```
   */
  readonly faults: MockFaults
  /**
   * The callbacks of invites with a `callbackUrl`.
   *
   * @example
   * ```ts
   * const types = mock.callbacks.list().map(({ type }) => type)
   * ```
   */
  readonly callbacks: MockCallbacks
  /**
   * The requests that the mock received.
   *
   * @example
   * ```ts
   * expect(mock.requestLog.list()).toHaveLength(1)
   * ```
   */
  readonly requestLog: MockRequestLog
  /**
   * Resolves when nothing is due now and no callback is under way, so that a test need not wait. For what is due later,
   * such as a retry, use `clock.advance`.
   *
   * @example
   * ```ts
   * await mock.settle()
   * ```
   */
  settle(): Promise<void>
  /**
   * The present state, to return to: plain data, which can be written to a file as JSON.
   *
   * @example
   * ```ts
   * const prepared = mock.snapshot()
   * ```
   */
  snapshot(): MockSnapshot
  /**
   * Returns to a snapshot of this mock or of another one. Keys, behaviour switches, faults and the request log stay:
   * `faults.clear()` and `requestLog.clear()` empty the latter two.
   *
   * @throws Error when this version cannot read the snapshot.
   * @example
   * ```ts
   * beforeEach(() => mock.restore(prepared))
   * ```
   */
  restore(snapshot: MockSnapshot): void
  /**
   * Replaces the world: `reset`, but to the beginning of other data. The switches are then those of the options, and those
   * that the world sets; the keys are its own. Later resets return to this world, and later sessions begin with it.
   *
   * @throws Error when the world is not valid. Its `problems` say where, and the old world stays.
   * @example
   * ```ts
   * mock.load({ candidates: [{ email: 'ines@candidate.test', attempts: [{ quizId }] }] })
   * expect(mock.candidate('ines@candidate.test').attempts).toHaveLength(1)
   * ```
   */
  load(world: MockWorld): void
  /**
   * The behaviour switches as they are now.
   *
   * @example
   * ```ts
   * expect(mock.behaviour.pendingInvite).toBe('allow')
   * ```
   */
  readonly behaviour: BehaviourSwitches
  /**
   * Sets some behaviour switches, until `reset` or `load`. They count from now on: what has happened stays as it is.
   *
   * @throws Error when a switch or a setting does not exist. Nothing is changed then.
   * @example
   * ```ts
   * mock.setBehaviour({ pendingInvite: 'refuse', errorStatus: 400 })
   * ```
   */
  setBehaviour(switches: Partial<BehaviourSwitches>): void
  /**
   * Opens another world behind the same address, which begins as this one does, for tests that share one server. A request belongs
   * to it by its key, its admin session, or its path below the session's `baseUrl`.
   *
   * @throws Error when the `id` is taken or not valid.
   * @example
   * ```ts
   * const session = mock.openSession()
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: session.apiKey, fetch: mock.fetch })
   * ```
   */
  openSession(options?: MockSessionOptions): MockSession
  /**
   * The open sessions, oldest first.
   *
   * @example
   * ```ts
   * await Promise.all(mock.sessions.map((session) => session.close()))
   * ```
   */
  readonly sessions: readonly MockSession[]
  /**
   * Calls the listener after changes in this mock: soon, and once for many changes. The passing of time is no change; a
   * moved clock is one.
   *
   * @returns a function that unsubscribes.
   * @example
   * ```ts
   * const unsubscribe = mock.subscribe((parts) => parts.includes('world') && console.log(mock.invites.length))
   * unsubscribe()
   * ```
   */
  subscribe(listener: ChangeListener): () => void
  /**
   * Resets state, identifiers, switches and clock to the beginning, and empties faults, callbacks and the request log.
   * Listeners and sessions stay open.
   *
   * @example
   * ```ts
   * afterEach(() => mock.reset())
   * ```
   */
  reset(): void
}

/**
 * A world of its own behind the address of another mock. Its `baseUrl` is `{baseUrl of the mock}/s/{id}`, and through a
 * listener `{url of the listener}/s/{id}`.
 *
 * @example
 * ```ts
 * const { id, apiKeys } = mock.openSession()
 * ```
 */
export interface MockSession extends MockServer {
  /** Unique among the sessions of the mock. */
  readonly id: string
}

/** The options of a session. */
export interface MockSessionOptions {
  /** At most 32 lower-case letters, digits and hyphens; its keys end with it. Default: derived from the seed. */
  readonly id?: string | undefined
}
