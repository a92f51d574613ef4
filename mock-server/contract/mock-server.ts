import type {
  ApiKey,
  BehaviourSwitches,
  CallbackWait,
  MailWait,
  MockCallback,
  MockInvite,
  MockListenOptions,
  MockMail,
  MockSessionOptions,
  MockSnapshot,
  MockTrack,
  MockWorld,
  Quiz,
} from '../generated/contract.ts'
import type { MockFetch } from './fetch-types.ts'
import type {
  ChangeListener,
  MockCallbacks,
  MockCandidate,
  MockChallenge,
  MockClock,
  MockFaults,
  MockRequestLog,
} from './members.ts'

/** One certification service with a world of its own. Made by `createMockServer`. */
export interface MockServer {
  /** The address of the mock in process, without a slash at the end. */
  readonly baseUrl: string
  /** The address of the GraphQL endpoint in process. */
  readonly endpoint: string
  /** The first key of this world. Of the documented keys, it is the one with every scope. */
  readonly apiKey: string
  /** The keys of this world. The documented ones are named `full`, `read`, `invite` and `none`. */
  readonly apiKeys: readonly ApiKey[]
  /** The admin session. */
  readonly adminSession: {
    /** The headers to send instead of a key. */
    readonly headers: Readonly<Record<string, string>>
  }
  /**
   * A fetch for requests below `baseUrl`, without a network. It needs no `this`.
   *
   * @throws TypeError for any other address, as fetch does when a host cannot be reached.
   */
  readonly fetch: MockFetch & {
    /** {@link MockServer.worldId}, for software that stores invites and is given only this function. */
    readonly worldId?: string
  }
  /**
   * Serves this world over HTTP (Node only). Links that are created through a listener begin with the address that the
   * request was sent to, if its host is a loopback name or an allowed one, and otherwise with the listener's `url`.
   *
   * @throws Error whose `code` is `EADDRINUSE` when the port is taken.
   */
  listen(options?: MockListenOptions): Promise<MockListener>
  /**
   * Closes every listener and session, and ends everything in progress, so that no timer or socket is left. The state
   * stays, and `fetch` and `listen` still work.
   */
  close(): Promise<void>
  /**
   * The identifier of this world: a new one after every start, `reset`, `load` and `restore`, whatever the seed. Over HTTP it
   * is at `/__mock/world`. Software that stores invites learns from it that their links no longer exist.
   */
  readonly worldId: string
  /** The clock of this world. */
  readonly clock: MockClock
  /** All invites that were created, oldest first. */
  readonly invites: readonly MockInvite[]
  /** The e-mails that a real service would have sent, oldest first. */
  readonly outbox: readonly MockMail[]
  /** All tracks with all their packages, including those that cannot be delivered now. */
  readonly tracks: readonly MockTrack[]
  /** All quizzes. `ready` is what the specification calls READY. */
  readonly quizzes: readonly Quiz[]
  /**
   * Acts for the candidate of a link.
   *
   * @param link the `challengeUrl` of an invite, or its `inviteId`
   * @throws Error when there is no such invite.
   */
  open(link: string): MockChallenge
  /**
   * Acts for a candidate, known or new.
   *
   * @param email compared as the switch `candidateIdentity` says
   */
  candidate(email: string): MockCandidate
  /**
   * Disables a quiz: it is no longer READY. Existing links stay open.
   *
   * @throws Error when there is no such quiz.
   */
  disableQuiz(quizId: string): void
  /**
   * Enables a quiz: it is READY.
   *
   * @throws Error when there is no such quiz.
   */
  enableQuiz(quizId: string): void
  /** The faults of requests, before or after their effect, and of callbacks. */
  readonly faults: MockFaults
  /** The callbacks of invites with a `callbackUrl`. */
  readonly callbacks: MockCallbacks
  /** The requests that the mock received. */
  readonly requestLog: MockRequestLog
  /**
   * Resolves when nothing is due now and no callback is being delivered, so that a test need not wait. For what is due
   * later, such as a retry, use `clock.advance`.
   */
  settle(): Promise<void>
  /**
   * Resolves with the newest e-mail that fits, or with the first one to come.
   *
   * @throws Error when none comes in time, when the signal aborts, or when the mock is closed.
   * @example
   * ```ts
   * await client.invites.create({ quizId, candidate: { email: 'ada@example.com' } })
   * const { challengeUrl } = await mock.waitForMail({ to: 'ada@example.com', timeoutMs: 1000 })
   * ```
   */
  waitForMail(wait?: MailWait & Abortable): Promise<MockMail>
  /**
   * Resolves with the newest callback that fits, or with the first one that does. It need not be delivered, unless `status`
   * says so.
   *
   * @throws Error when none comes in time, when the signal aborts, or when the mock is closed.
   */
  waitForCallback(wait?: CallbackWait & Abortable): Promise<MockCallback>
  /** The present state, to return to: plain data, which can be written to a file as JSON. */
  snapshot(): MockSnapshot
  /**
   * Returns to a snapshot of this mock, or of another one with the same `candidateIdentity`. Keys, behaviour switches, faults and the request log stay:
   * `faults.clear()` and `requestLog.clear()` empty the latter two.
   *
   * @throws Error when this version cannot read the snapshot.
   */
  restore(snapshot: MockSnapshot): void
  /**
   * Replaces the world: a `reset` that begins with other data. The switches then come from the options and the world,
   * and the keys from the world. Later resets return to this world, and later sessions begin with it.
   *
   * @throws Error when the world is not valid. Its `problems` say where, and the old world stays.
   */
  load(world: MockWorld): void
  /** The behaviour switches as they are now. */
  readonly behaviour: BehaviourSwitches
  /**
   * Sets some behaviour switches, until `reset` or `load`. They apply from now on: what has happened stays as it is.
   *
   * @throws Error when a switch or a setting does not exist. Nothing is changed then.
   * @example
   * ```ts
   * mock.setBehaviour({ pendingInvite: 'refuse', errorStatus: 400 })
   * ```
   */
  setBehaviour(switches: Partial<BehaviourSwitches>): void
  /**
   * Opens another world behind the same address, which begins as this one does, for tests that share one server. A request
   * belongs to it by its key, its admin session, or its path below the session's `baseUrl`.
   *
   * @throws Error when the `id` is taken or not valid.
   * @example
   * ```ts
   * const session = mock.openSession()
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: session.apiKey, fetch: mock.fetch })
   * ```
   */
  openSession(options?: MockSessionOptions): MockSession
  /** The open sessions, oldest first. */
  readonly sessions: readonly MockSession[]
  /**
   * Calls the listener soon after changes in this mock, once for many. The passing of time is not a change; moving the
   * clock is.
   *
   * @returns a function that unsubscribes.
   */
  subscribe(listener: ChangeListener): () => void
  /**
   * Resets state, identifiers, switches and clock to the beginning, and empties faults, callbacks and the request log.
   * Listeners and sessions stay open.
   */
  reset(): void
}

/**
 * A world of its own behind the address of another mock. Its `baseUrl` is `{baseUrl of the mock}/s/{id}`, and through a
 * listener `{url of the listener}/s/{id}`.
 */
export interface MockSession extends MockServer {
  /** Unique among the sessions of the mock. */
  readonly id: string
}

/** A running HTTP server on a mock. */
export interface MockListener {
  /** The address of the mock, without a slash at the end. */
  readonly url: string
  /** The address of the GraphQL endpoint. */
  readonly endpoint: string
  /** The port that is bound. */
  readonly port: number
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/** What every wait accepts. */
export interface Abortable {
  /** Aborts the wait. */
  readonly signal?: AbortSignalLike | undefined
}

/** The members of an `AbortSignal` that the mock uses. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
