import type { Dialect } from './api/dialect.ts'
import type { MockListener, MockListenOptions } from './listeners.ts'
import type { MockFetch } from './platform.ts'
import type { MockInvite, MockMail, MockTrack } from './rows.ts'
import type { MockCallbackOptions, MockCallbacks } from './sandbox/callback.ts'
import type { MockFaults } from './sandbox/fault.ts'
import type { MockJournal } from './sandbox/journal.ts'
import type { MockSnapshot } from './sandbox/snapshot.ts'
import type { MockCandidate, MockChallenge, MockClock } from './tester.ts'
import type { Moment } from './world/clock.ts'
import type { ApiKey, Quiz, WorldData } from './world/model.ts'

/**
 * What a mock is made of. Everything may be left out.
 *
 * @example
 * ```ts
 * createMockServer({ baseUrl: 'https://api.example.test', now: '2030-01-01T00:00:00Z', dialect: { pendingInvite: 'refuse' } })
 * ```
 */
export interface MockServerOptions {
  /**
   * Where the mock is found in process, path prefix included. Default `https://certify.test`.
   *
   * @example
   * ```ts
   * createMockServer({ baseUrl: 'https://api.example.test/tenant-7' })
   * ```
   */
  readonly baseUrl?: string | undefined
  /**
   * What identifiers are derived from: the same seed gives the same identifiers. Default `certify`.
   *
   * @example
   * ```ts
   * createMockServer({ seed: 'another world' })
   * ```
   */
  readonly seed?: string | undefined
  /**
   * What the world begins with. A part that is left out is the documented one; but `quizzes` of your own bring no
   * documented tracks and candidates with them, and `tracks` of your own no documented candidates.
   *
   * @example
   * ```ts
   * createMockServer({ world: { candidates: [{ email: 'ines@candidate.test', attempts: [{ quizId }] }] } })
   * ```
   */
  readonly world?: Partial<WorldData> | undefined
  /**
   * Switches for what the specification leaves open.
   *
   * @example
   * ```ts
   * createMockServer({ dialect: { pendingInvite: 'refuse', errorCodePlace: 'top-level' } })
   * ```
   */
  readonly dialect?: Partial<Dialect> | undefined
  /**
   * Begins with the clock frozen at this time. Without it the clock follows real time.
   *
   * @example
   * ```ts
   * createMockServer({ now: '2030-01-01T00:00:00Z' })
   * ```
   */
  readonly now?: Moment | undefined
  /**
   * How callbacks get to where they are sent. By default only loopback addresses are contacted.
   *
   * @example
   * ```ts
   * createMockServer({ callbacks: { hosts: { 'https://app.example': 'http://127.0.0.1:3000' } } })
   * ```
   */
  readonly callbacks?: MockCallbackOptions | undefined
}

/** One certification service with a world of its own. Made by `createMockServer`. */
export interface MockServer {
  /**
   * Where the mock is found in process: without a slash at the end.
   *
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
   * ```
   */
  readonly baseUrl: string
  /**
   * The address of the GraphQL endpoint in process.
   *
   * @example
   * ```ts
   * await mock.fetch(mock.endpoint, { method: 'POST', headers, body })
   * ```
   */
  readonly endpoint: string
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
   * The first key of this world: of the documented ones, the one that may do everything.
   *
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
   * ```
   */
  readonly apiKey: string
  /**
   * The keys that this world knows. The documented ones are named `full`, `read`, `invite` and `none`.
   *
   * @example
   * ```ts
   * const key = mock.apiKeys.find(({ name }) => name === 'read')?.key
   * ```
   */
  readonly apiKeys: readonly ApiKey[]
  /**
   * The one admin session: headers to send in place of a key.
   *
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, adminSession: mock.adminSession })
   * ```
   */
  readonly adminSession: { readonly headers: Readonly<Record<string, string>> }
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
   * @param email - compared as the dialect's `candidateIdentity` says.
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
   * What the service tells the `callbackUrl` of invites.
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
   * expect(mock.journal.list()).toHaveLength(1)
   * ```
   */
  readonly journal: MockJournal
  /**
   * Is kept when nothing is due now and no callback is under way: in place of waiting in a test. What is due later, such as
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
   * Back to the moment of a snapshot, of this mock or of another one. The keys, the dialect, the faults and the journal
   * stay: `faults.clear()` and `journal.clear()` see to the latter two.
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
   * @example
   * ```ts
   * const session = mock.openSession()
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: session.apiKey, fetch: mock.fetch })
   * ```
   */
  openSession(): MockSession
  /**
   * The sessions that are open.
   *
   * @example
   * ```ts
   * await Promise.all(mock.sessions.map((session) => session.close()))
   * ```
   */
  readonly sessions: readonly MockSession[]
  /**
   * Back to the beginning: state, identifiers and clock; faults, callbacks and the journal are gone. Listeners and sessions
   * stay open.
   *
   * @example
   * ```ts
   * afterEach(() => mock.reset())
   * ```
   */
  reset(): void
  /**
   * A fetch for requests to `baseUrl`, without any network. It may be passed around on its own.
   *
   * @throws TypeError for an address that is not under `baseUrl`, as fetch does when a host cannot be reached.
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch })
   * ```
   */
  readonly fetch: MockFetch
  /**
   * Serves this world over HTTP (Node). Links that are created through a listener begin with the listener's address.
   *
   * @throws Error whose `code` is `EADDRINUSE` when the port is taken.
   * @example
   * ```ts
   * const listener = await mock.listen({ port: 0 })
   * await listener.close()
   * ```
   */
  listen(options?: MockListenOptions): Promise<MockListener>
  /**
   * Closes every listener and every session, and ends what is under way: no timer, no socket is left. The world can still
   * be looked at, asked by `fetch`, and served anew.
   *
   * @example
   * ```ts
   * afterAll(() => mock.close())
   * ```
   */
  close(): Promise<void>
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
