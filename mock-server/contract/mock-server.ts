import type { MockInvite, MockMail, MockTrack, Quiz } from '../world/model.ts'
import type { MockCallbacks } from './callbacks.ts'
import type { MockCandidate, MockChallenge } from './candidate.ts'
import type { ChangeListener } from './changes.ts'
import type { MockClock } from './clock.ts'
import type { MockFaults } from './faults.ts'
import type { MailWait } from './mail-wait.ts'
import type { MockRequestLog } from './request-log.ts'
import type { MockServing } from './serving.ts'
import type { MockSnapshot } from './snapshot.ts'

/** One certification service with a world of its own. Made by `createMockServer`. */
export interface MockServer extends MockServing {
  /**
   * Which world this is: another one after every start, `reset` and `restore`, whatever the seed. Over HTTP it is served at
   * `/__mock/world`. A record of invites that is kept outside says by it that their links are gone.
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
   * The clock that everything in this world obeys.
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
   * The newest e-mail that is asked for; where there is none yet, the first one to come.
   *
   * @throws Error when none has come in time, when the signal aborts, or when the mock is closed.
   * @example
   * ```ts
   * await client.invites.create({ quizId, candidate: { email: 'ada@example.com' } })
   * const { challengeUrl } = await mock.waitForMail({ to: 'ada@example.com', timeoutMs: 1000 })
   * ```
   */
  waitForMail(wait?: MailWait): Promise<MockMail>
  /**
   * All tracks with all their packages, also those that cannot be delivered now.
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
   * What a tester does in the place of the candidate behind a link.
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
   * A candidate, whether known already or not.
   *
   * @param email - compared as the switch `candidateIdentity` says.
   * @example
   * ```ts
   * mock.candidate('ines@candidate.test').certify('quiz_react_beginner_state')
   * ```
   */
  candidate(email: string): MockCandidate
  /**
   * Takes a quiz out of service: it is no longer READY. Links that exist stay open.
   *
   * @throws Error when there is no such quiz.
   * @example
   * ```ts
   * mock.disableQuiz('quiz_react_beginner_state') // pkg_react_beginner cannot be delivered any more
   * ```
   */
  disableQuiz(quizId: string): void
  /**
   * Puts a quiz into service: it is READY.
   *
   * @throws Error when there is no such quiz.
   * @example
   * ```ts
   * mock.enableQuiz('quiz_cloud_intermediate_observability')
   * ```
   */
  enableQuiz(quizId: string): void
  /**
   * What goes wrong with requests to the endpoint, before or after they have had their effect.
   *
   * @example
   * ```ts
   * mock.faults.add({ phase: 'after', fault: 'cut' }) // created, then the connection is cut
   * ```
   */
  readonly faults: MockFaults
  /**
   * The callbacks to the `callbackUrl` of invites.
   *
   * @example
   * ```ts
   * const types = mock.callbacks.list().map(({ type }) => type)
   * ```
   */
  readonly callbacks: MockCallbacks
  /**
   * The requests that came in.
   *
   * @example
   * ```ts
   * expect(mock.requestLog.list()).toHaveLength(1)
   * ```
   */
  readonly requestLog: MockRequestLog
  /**
   * Resolves when nothing is due now and no callback is under way: in place of waiting in a test. What is due later, such as
   * another attempt, takes `clock.advance`.
   *
   * @example
   * ```ts
   * await mock.settle()
   * ```
   */
  settle(): Promise<void>
  /**
   * This moment, to come back to: as plain data, which can be written to a file as JSON.
   *
   * @example
   * ```ts
   * const prepared = mock.snapshot()
   * ```
   */
  snapshot(): MockSnapshot
  /**
   * Back to the moment of a snapshot, of this mock or of another one. The keys, the behaviour switches, the faults and the
   * request log stay: `faults.clear()` and `requestLog.clear()` empty the latter two.
   *
   * @throws Error when it is not a snapshot that this version can read.
   * @example
   * ```ts
   * beforeEach(() => mock.restore(prepared))
   * ```
   */
  restore(snapshot: MockSnapshot): void
  /**
   * Opens another world behind the same address, made of the same options: a request that carries one of its keys, or its
   * admin session, belongs to it, and so does all that is under its `baseUrl`. For tests that share one server, in whatever language.
   *
   * @throws Error when a session is called so already, or cannot be called so.
   * @example
   * ```ts
   * const session = mock.openSession()
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: session.apiKey, fetch: mock.fetch })
   * ```
   */
  openSession(options?: MockSessionOptions): MockSession
  /**
   * The sessions that are open, oldest first.
   *
   * @example
   * ```ts
   * await Promise.all(mock.sessions.map((session) => session.close()))
   * ```
   */
  readonly sessions: readonly MockSession[]
  /**
   * Calls the listener whenever something in this mock has changed: soon after it, and once for many changes. That time goes by is no
   * change; a clock that was moved is one.
   *
   * @returns what ends it.
   * @example
   * ```ts
   * const unsubscribe = mock.subscribe((parts) => parts.includes('world') && console.log(mock.invites.length))
   * unsubscribe()
   * ```
   */
  subscribe(listener: ChangeListener): () => void
  /**
   * Back to the beginning: state, identifiers and clock; faults, callbacks and the request log are gone. Listeners and sessions
   * stay open.
   *
   * @example
   * ```ts
   * afterEach(() => mock.reset())
   * ```
   */
  reset(): void
}

/**
 * A world of its own behind the address of another mock: its `baseUrl` is `{baseUrl of the mock}/s/{id}`, and through a
 * listener `{url of the listener}/s/{id}`.
 *
 * @example
 * ```ts
 * const { id, apiKeys } = mock.openSession()
 * ```
 */
export interface MockSession extends MockServer {
  /** What tells it from other sessions of the same mock. */
  readonly id: string
}

/** What a session is called. */
export interface MockSessionOptions {
  /** At most 32 lower-case letters, digits and hyphens; its keys end with it. Made from the seed where left out. */
  readonly id?: string | undefined
}
