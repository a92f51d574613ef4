// Made by `npm run codegen` from mock-server/contract/. Do not edit.
import type { MockRequest, MockResponse } from '../contract/fetch-types.ts'
import type { Duration, Moment } from '../world/clock.ts'
import type { OperationName, Scope } from './operations.ts'

/** A level of proficiency. */
export type Level = 'BEGINNER' | 'INTERMEDIATE' | 'ADVANCED' | 'EXPERT'

/** A quiz: the test of one skill. */
export interface Quiz {
  /** The identifier that an invite names. */
  readonly id: string
  /** The skill that it tests. Quizzes of one skill name are the levels of one skill. */
  readonly skillName: string
  /** A level of proficiency. */
  readonly level: Level
  /** Whether it is enabled (READY), so that candidates can be invited to it. */
  readonly ready: boolean
  /** Whole minutes. */
  readonly durationMinutes: number
  /** Language tags, such as en or pt-BR. */
  readonly enabledLanguages: readonly string[]
  /** What it asks about. */
  readonly conceptsTested: readonly string[]
}

/** A package: skills of one level, by their quizzes. */
export interface Package {
  /** The identifier that a package invite names. */
  readonly id: string
  /** Its name, for people. */
  readonly name: string
  /** A level of proficiency. */
  readonly level: Level
  /** What it covers. */
  readonly description: string
  /** Its skills, each by its quiz. All are of the level of the package. A quiz may be in several packages. */
  readonly quizIds: readonly string[]
}

/** A track: at most four packages, one of each level. */
export interface Track {
  /** Identifies the track. */
  readonly id: string
  /** Its name, for people. */
  readonly name: string
  /** The short name by which `trackSlug` finds it. */
  readonly slug: string
  /** Its packages. */
  readonly packages: readonly Package[]
}

/** An API key. A scope that is not listed is not granted. */
export interface ApiKey {
  /** Its name, for people and for fault rules. */
  readonly name: string
  /** The key, as it is sent in a header. */
  readonly key: string
  /** What it may do. */
  readonly scopes: readonly Scope[]
}

/** A candidate with a history. */
export interface CandidateHistory {
  /** The address of the candidate. */
  readonly email: string
  /** What was passed. */
  readonly certifications?: readonly ({
    /** The id of a quiz of this world. */
    readonly quizId: string
    /** A time in ISO 8601. Default: the beginning of the world. */
    readonly passedAt?: string | undefined
  })[] | undefined
  /** What is in progress. */
  readonly attempts?: readonly ({
    /** The id of a quiz of this world. */
    readonly quizId: string
    /** A time in ISO 8601. Default: the beginning of the world. */
    readonly startedAt?: string | undefined
  })[] | undefined
}

/** The data that a world begins with. */
export interface WorldData {
  /** All quizzes. Default: the documented ones. */
  readonly quizzes: readonly Quiz[]
  /** All tracks. Default: the documented ones; none if the world has quizzes of its own. */
  readonly tracks: readonly Track[]
  /** Candidates with a history. Default: the documented ones; none if the world has quizzes or tracks of its own. */
  readonly candidates: readonly CandidateHistory[]
  /** All API keys. Default: the documented ones. */
  readonly apiKeys: readonly ApiKey[]
}

/**
 * The data that a world begins with, as `createMockServer` takes it and as it is in a file. The default of each
 * part is the documented one. Your own `quizzes` replace the documented tracks and candidates too, and your own
 * `tracks` the documented candidates.
 */
export interface MockWorld {
  /** The address of this schema, for editors. The mock ignores it. */
  readonly $schema?: string | undefined
  /** All quizzes. Default: the documented ones. */
  readonly quizzes?: readonly Quiz[] | undefined
  /** All tracks. Default: the documented ones; none if the world has quizzes of its own. */
  readonly tracks?: readonly Track[] | undefined
  /** Candidates with a history. Default: the documented ones; none if the world has quizzes or tracks of its own. */
  readonly candidates?: readonly CandidateHistory[] | undefined
  /** All API keys. Default: the documented ones. */
  readonly apiKeys?: readonly ApiKey[] | undefined
  /** Switches for what the specification leaves open. */
  readonly behaviour?: Partial<BehaviourSwitches> | undefined
}

/**
 * Everything that the specification leaves open, one switch each. The defaults are choices, not facts about the
 * service: software that works under every setting works whatever the service does.
 */
export interface BehaviourSwitches {
  /**
   * Which addresses are the same candidate: `normalised-email`, equal after trimming and lower-casing;
   * `exact-email`, equal as written. `+tags` are kept, and the name is ignored. Default `normalised-email`.
   */
  readonly candidateIdentity: 'normalised-email' | 'exact-email'
  /** Whether a create needs `candidate.name` (blank counts as missing). Default `optional`. */
  readonly candidateName: 'optional' | 'required'
  /**
   * What a second create for the same candidate and quiz does while the first invite is PENDING and its link is
   * open. `allow`: creates a second invite and sends a second e-mail; `refuse`: BAD_USER_INPUT;
   * `return-existing`: returns the first of the open invites and sends no e-mail. Default `allow`.
   */
  readonly pendingInvite: 'allow' | 'refuse' | 'return-existing'
  /**
   * How long a certification stays valid after passing: `two-years` of the calendar, `never-expires`, or a
   * duration such as `'90d'`. It is valid while now < its end. Default `two-years`.
   */
  readonly certificationValidity: 'two-years' | 'never-expires' | Duration
  /** The code for an unknown `quizId` or `packageId`. Default `BAD_USER_INPUT`. */
  readonly unknownIdCode: 'BAD_USER_INPUT' | 'NOT_FOUND'
  /**
   * Whether the fields that only describe are null in responses: names, levels, `description`,
   * `durationMinutes`, `enabledLanguages`, `conceptsTested`, `status`, `expiresAt` and `emailSent`. Default
   * `never`.
   */
  readonly nullDescriptions: 'never' | 'always'
  /**
   * The code for an invalid e-mail address, a `callbackUrl` that is not an https:// URL, and a `callbackUrl` in
   * an admin session. Default `BAD_USER_INPUT`.
   */
  readonly invalidInputCode: string
  /**
   * The response to a request with no key or an unknown one: a GraphQL error UNAUTHENTICATED with HTTP 200 or
   * 401, an HTML page with HTTP 401, or a GraphQL error without a code with HTTP 200. Default `graphql-200`.
   */
  readonly unauthenticatedResponse: 'graphql-200' | 'graphql-401' | 'html-401' | 'graphql-200-without-code'
  /** The same for a caller without the scope: FORBIDDEN, and HTTP 403 instead of 401. Default `graphql-200`. */
  readonly forbiddenResponse: 'graphql-200' | 'graphql-403' | 'html-403' | 'graphql-200-without-code'
  /** The place of an error's code: `errors[].extensions.code`, `errors[].code`, or none. Default `extensions`. */
  readonly errorCodePlace: 'extensions' | 'top-level' | 'none'
  /** The HTTP status of a GraphQL response with any other error. Default `200`. */
  readonly errorStatus: 200 | 400
  /**
   * The `data` of a refused operation. `null`: no data at all; `partial`: an object in which the refused
   * operation is null, while others in the same request keep their results. Default `null`.
   */
  readonly refusedData: 'null' | 'partial'
  /**
   * How many requests a key, or a session, may send in a period; then HTTP 429 with `retry-after`. The world's
   * clock measures the period: while it is frozen, the period does not end. Default `none`.
   */
  readonly rateLimit: 'none' | {
    /** How many requests. */
    readonly requests: number
    /** The period. */
    readonly per: Duration
  }
  /** The delay before each retry of a callback that was not acknowledged. Default `1s, 5s, 30s, 5m, 1h`. */
  readonly callbackRetries: readonly Duration[]
  /**
   * Whether an address with letters outside ASCII is valid (RFC 6531, internationalised domain names). Default
   * `refuse`.
   */
  readonly internationalEmail: 'refuse' | 'accept'
  /** The scopes of an admin session. Default `all`. */
  readonly sessionScopes: 'all' | readonly Scope[]
}

/** The options of a mock. All are optional. */
export interface MockServerOptions {
  /** The address of the mock in process, including a path prefix. Default `https://certify.test`. */
  readonly baseUrl?: string | undefined
  /**
   * Identifiers are derived from it: with the same seed, the same candidate and quiz have the same ones. Default
   * `certify`.
   */
  readonly seed?: string | undefined
  /**
   * The data that the world begins with, as in a file of `certify mock --world`. The option `behaviour`
   * overrides its switches.
   */
  readonly world?: MockWorld | undefined
  /** Switches for what the specification leaves open. */
  readonly behaviour?: Partial<BehaviourSwitches> | undefined
  /** Freezes the clock at this time from the beginning. By default the clock follows real time. */
  readonly now?: Moment | undefined
  /**
   * How callbacks reach the application under test. A `callbackUrl` is https, and such an application seldom is:
   * map its host, or handle the events in the test itself. Callbacks to `https://sandbox.callback/…` need
   * neither: the mock answers them with 200 and keeps them.
   */
  readonly callbacks?: MockCallbackOptions | undefined
}

/**
 * How callbacks reach the application under test. A `callbackUrl` is https, and such an application seldom is:
 * map its host, or handle the events in the test itself. Callbacks to `https://sandbox.callback/…` need neither:
 * the mock answers them with 200 and keeps them.
 */
export interface MockCallbackOptions {
  /**
   * Handles every callback instead of the network, like an application's own route handler. Any 2xx
   * acknowledges.
   */
  readonly deliver?: ((request: MockRequest) => MockResponse | Promise<MockResponse>) | undefined
  /**
   * Maps the origin of a `callbackUrl` to the origin that is contacted instead: `{ 'https://app.example':
   * 'http://127.0.0.1:3000' }`.
   */
  readonly hosts?: Readonly<Record<string, string>> | undefined
  /**
   * The host names that may be contacted besides loopback addresses and names that end with `.localhost`.
   * Callbacks to any other host are blocked.
   */
  readonly allow?: readonly string[] | undefined
  /** The time-out of an attempt, in milliseconds of real time. Default 10,000. */
  readonly timeoutMs?: number | undefined
}

/** Where to listen. */
export interface MockListenOptions {
  /** The port. 0, the default, chooses a free one. */
  readonly port?: number | undefined
  /** The host to bind to. Default `127.0.0.1`. */
  readonly host?: string | undefined
  /**
   * Whether the page and the control API are served. Default `true`. The endpoint and the challenge links always
   * are.
   */
  readonly control?: boolean | undefined
  /**
   * Host names, without a port, under which the page and the control API answer, besides loopback names and
   * `host` itself: `mock`, for a container of that name. The endpoint answers under any name.
   */
  readonly allowHosts?: readonly string[] | undefined
  /**
   * The token that the control API and the page require: as a bearer token, or as the password of basic
   * authentication, which a browser asks for. Default: none.
   */
  readonly controlToken?: string | undefined
}

/** The options of a session. */
export interface MockSessionOptions {
  /** At most 32 lower-case letters, digits and hyphens; its keys end with it. Default: derived from the seed. */
  readonly id?: string | undefined
}

/** How an attempt ended. */
export type AttemptOutcome = 'PASSED' | 'FAILED' | 'ABANDONED'

/** A second chance at the same quiz, or the next level of the same skill. */
export type FollowUpKind = 'retake' | 'level-up'

/**
 * The status of an invite. The specification shows only PENDING: the other names are our own, and no response of
 * the service has them.
 */
export type InviteStatus = 'PENDING' | 'IN_PROGRESS' | 'PASSED' | 'FAILED' | 'ABANDONED' | 'EXPIRED'

/** An invite. Times are ISO 8601 in UTC. */
export interface MockInvite {
  /** Identifies the invite. */
  readonly inviteId: string
  /** The quiz that the candidate is invited to. */
  readonly quizId: string
  /** The package whose invite created this one; `null` for a single invite. */
  readonly packageId: string | null
  /** The skill that the quiz tests. */
  readonly skillName: string
  /** A level of proficiency. */
  readonly level: Level
  /** Whom it invites. */
  readonly candidate: {
    /** The name; `null` if none was given. */
    readonly name: string | null
    /** The address, as given. */
    readonly email: string
  }
  /**
   * The status of an invite. The specification shows only PENDING: the other names are our own, and no response
   * of the service has them.
   */
  readonly status: InviteStatus
  /** The link that the candidate opens. */
  readonly challengeUrl: string
  /** When it was created. */
  readonly createdAt: string
  /** When the link closes. */
  readonly expiresAt: string
  /** Whether the mock sent the invite e-mail. */
  readonly emailSent: boolean
  /** The identifier that the create passed; `null` if there was none. */
  readonly externalReference: string | null
  /** Where its events are delivered; `null`: nowhere. */
  readonly callbackUrl: string | null
  /** The invite that this one follows, if the candidate claimed it. */
  readonly followUpOf: {
    /** Identifies that invite. */
    readonly inviteId: string
    /** A second chance at the same quiz, or the next level of the same skill. */
    readonly kind: FollowUpKind
  } | null
  /** The invite that was claimed after this one. */
  readonly followedBy: string | null
}

/** An e-mail that a real service would have sent. Times are ISO 8601 in UTC. */
export interface MockMail {
  /** The address of the candidate. */
  readonly to: string
  /** The subject line. */
  readonly subject: string
  /** The link that the candidate opens. */
  readonly challengeUrl: string
  /** The invite that it is about. */
  readonly inviteId: string
  /** When it was sent. */
  readonly sentAt: string
}

/** An attempt of a candidate. Times are ISO 8601 in UTC. */
export interface MockAttempt {
  /** The invite whose link it began with; `null` for one that a test added. */
  readonly inviteId: string | null
  /** The quiz that was attempted. */
  readonly quizId: string
  /** The state of the attempt. */
  readonly status: 'IN_PROGRESS' | 'PASSED' | 'FAILED' | 'ABANDONED'
  /** When it began. */
  readonly startedAt: string
  /** When it ended; `null` while it is in progress. */
  readonly endedAt: string | null
}

/** A certification of a candidate. Times are ISO 8601 in UTC. */
export interface MockCertification {
  /** The quiz that was passed. */
  readonly quizId: string
  /** When it was passed. */
  readonly passedAt: string
  /** `null` if certifications never expire. */
  readonly validUntil: string | null
  /** Whether it is valid now. */
  readonly valid: boolean
}

/** A package, and whether it can be delivered now. */
export interface MockPackage {
  /** The identifier that a package invite names. */
  readonly id: string
  /** Its name, for people. */
  readonly name: string
  /** A level of proficiency. */
  readonly level: Level
  /** What it covers. */
  readonly description: string
  /** Its skills, each by its quiz. All are of the level of the package. A quiz may be in several packages. */
  readonly quizIds: readonly string[]
  /** Whether it has skills and each of its quizzes is READY. */
  readonly deliverable: boolean
}

/** A track with all its packages. */
export interface MockTrack {
  /** Identifies the track. */
  readonly id: string
  /** Its name, for people. */
  readonly name: string
  /** The short name by which `trackSlug` finds it. */
  readonly slug: string
  /** Its packages. */
  readonly packages: readonly MockPackage[]
}

/**
 * One event to a `callbackUrl`. Times are ISO 8601 in UTC.
 *
 * - `waiting`: it waits for its first attempt or a retry.
 * - `delivered`: it was acknowledged.
 * - `given-up`: no retry is left; the events behind it wait until it is redelivered.
 * - `blocked`: its host is neither loopback nor allowed; nothing was contacted.
 */
export interface MockCallback {
  /** The identifier of the event: the same in every attempt. */
  readonly id: string
  /** The type of the event. */
  readonly type: string
  /** The `callbackUrl` of the invite. */
  readonly url: string
  /** The invite of the event. */
  readonly inviteId: string
  /** The body: the same bytes in every attempt. */
  readonly body: string
  /** The state of its delivery. */
  readonly status: 'waiting' | 'delivered' | 'given-up' | 'blocked'
  /** When it happened. */
  readonly occurredAt: string
  /** When the next attempt is due; `null` if there is none, another event comes first, or callbacks are paused. */
  readonly nextAttemptAt: string | null
  /** The identifier of the event that must be acknowledged first; `null` if there is none. */
  readonly waitsBehind: string | null
  /** What was sent so far, earliest first. */
  readonly attempts: readonly MockCallbackAttempt[]
}

/** One attempt to deliver a callback: the status of the response, or why there was none. */
export interface MockCallbackAttempt {
  /** When it was made. */
  readonly at: string
  /** The HTTP status of the response; `null` if there was none. */
  readonly status: number | null
  /** Why there was no response; `null` if there was one. */
  readonly error: string | null
  /** The headers that were sent; the password of the URL is hidden. Empty where nothing was sent. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /**
   * The body of the response, at most its first 4,096 characters; `null` if there was none or it could not be
   * read.
   */
  readonly response: string | null
}

/** A request and its response, with the names of keys instead of keys. */
export interface MockExchange {
  /** 1 for the first request of this world. */
  readonly number: number
  /** When the request arrived. */
  readonly at: string
  /** The HTTP method. */
  readonly method: string
  /** The path below the mock's base, with the query string. */
  readonly target: string
  /** The name of the API key that was sent; `null` if there was none or it is unknown. */
  readonly key: string | null
  /** The operations that were selected, whatever names the client gives them. */
  readonly operations: readonly string[]
  /** The candidate of the first create among them; `null` if there is none. */
  readonly email: string | null
  /** The body, at most its first 16,384 characters; `null` if it could not be read. */
  readonly body: string | null
  /** The status that was sent; `null` if a fault withheld the response. */
  readonly status: number | null
  /** The response, at most its first 16,384 characters; `null` if a fault withheld it. */
  readonly response: string | null
  /** The code of the first error, wherever the response has it; `null` without an error. */
  readonly code: string | null
  /** The message of that error. */
  readonly reason: string | null
  /** Its headers, with lower-case names. Credentials are hidden. */
  readonly headers: Readonly<Record<string, string>>
  /** Its header `x-client-reference`, which the SDK sends; `null` if there was none. */
  readonly reference: string | null
  /** The invites that it created, whatever became of its response. */
  readonly createdInviteIds: readonly string[]
  /** Whether a fault hit it. */
  readonly faulty: boolean
  /** The fault rule that hit it, or the magic address; `null` if there was none. */
  readonly faultId: string | null
  /** Whether the fault came before or after its effect; `null` if there was none. */
  readonly faultPhase: 'before' | 'after' | null
}

/**
 * The state of a world: catalogue, rows, identifiers, clock and callbacks. Plain data, which can be written to a
 * file as JSON. Keys, faults and the request log are not part of it.
 */
export interface MockSnapshot {
  /** Identifies the format. */
  readonly format: 'certify-mock'
  /** Increases when an older version of this package cannot read it. */
  readonly version: 1
  /** Catalogue, rows, identifiers and clock. */
  readonly world: unknown
  /** The callbacks, and what is still to be delivered. */
  readonly callbacks: unknown
}

/**
 * What happens to one request.
 *
 * - a number: an HTTP status with the HTML page of a gateway; 429 and 503 come without `retry-after`.
 * - `cut`: the connection ends without a response; `reset`: it is reset, as by a crash.
 * - `hang`: no response ever comes; the connection stays open until the client gives up.
 * - `stall`: status, headers and half of the body come, then nothing more.
 * - `truncate`: status, headers and half of the body come, then the connection ends.
 * - an object with `status`: exactly this response. `mock.fetch` returns a redirect and never follows it.
 * - an object with `code`: a GraphQL error, in the form that the behaviour switches set. Its `data` is absent
 * (the default), null, or the true result, which exists only after the effect.
 * - an object with `delayMs`: the true response, this many milliseconds of real time after its effect, at most
 * 2,147,483,647 (24 days).
 *
 * Before the effect there is no true body: `stall` and `truncate` then send half of a GraphQL error.
 */
export type Fault = number | 'cut' | 'reset' | 'hang' | 'stall' | 'truncate' | {
  /** The HTTP status: 200 to 599. */
  readonly status: number
  /** Its headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Its body. Default: empty. */
  readonly body?: string | undefined
} | {
  /** The code of the error. */
  readonly code: string
  /** The data of the response. Default `absent`. */
  readonly data?: 'absent' | 'null' | 'result' | undefined
} | {
  /** Milliseconds of real time. */
  readonly delayMs: number
}

/**
 * Which requests a fault hits, when, and how. A request must match every condition of the rule. A rule without
 * conditions matches every request to the endpoint, even one that cannot be parsed.
 */
export interface FaultRule {
  /**
   * The operation that the request would execute, whatever name the client gives it. A request that cannot be
   * executed matches none.
   */
  readonly operation?: OperationName | undefined
  /** The name of the request's API key; `null`: requests without a known key. */
  readonly key?: string | null | undefined
  /**
   * The address of the invited candidate, compared as the switch `candidateIdentity` says. Together with
   * `operation`, both must match the same operation.
   */
  readonly email?: string | undefined
  /**
   * `before`, the default: nothing is executed. `after`: the request is executed, invites exist and e-mails are
   * sent; the fault hits only the response.
   */
  readonly phase?: 'before' | 'after' | undefined
  /**
   * The probability that a match is hit, above 0 and at most 1. The seed of the mock decides which ones are hit.
   * With it, `times` is `Infinity` by default. Default 1.
   */
  readonly probability?: number | undefined
  /** How many matches `fault` hits: 1 or more, or `Infinity`, which is `null` in JSON. Default 1. */
  readonly times?: number | null | undefined
  /** What happens to one request. */
  readonly fault?: Fault | undefined
  /** What happens to each match in turn, instead of `fault`; `ok` lets one pass. */
  readonly script?: readonly ('ok' | Fault)[] | undefined
}

/**
 * What happens to one attempt to deliver a callback.
 *
 * - `refuse`: the connection is refused; it is retried like any other failure.
 * - `duplicate`: it arrives twice.
 * - an object with `delay`: it is postponed for this long, on the world's clock.
 */
export type CallbackFault = 'refuse' | 'duplicate' | {
  /** How long it is postponed. */
  readonly delay: Duration
}

/** Which attempts to deliver a callback a fault hits, and how. It counts like rules for requests. */
export interface CallbackFaultRule {
  /** The type of the event; `any` for all. */
  readonly event: 'any' | 'certification.follow_up_claimed' | 'certification.completed'
  /** The address of the candidate, compared as the switch `candidateIdentity` says. */
  readonly email?: string | undefined
  /**
   * The probability that a match is hit, above 0 and at most 1. The seed of the mock decides which ones are hit.
   * With it, `times` is `Infinity` by default. Default 1.
   */
  readonly probability?: number | undefined
  /** How many matches `fault` hits: 1 or more, or `Infinity`, which is `null` in JSON. Default 1. */
  readonly times?: number | null | undefined
  /** What happens to one attempt to deliver a callback. */
  readonly fault?: CallbackFault | undefined
  /** What happens to each match in turn, instead of `fault`; `ok` lets one pass. */
  readonly script?: readonly ('ok' | CallbackFault)[] | undefined
}

export interface FaultProgress {
  /** The identifier: unique in this mock until it is reset. */
  readonly id: string
  /** How many requests, or attempts, it has hit. */
  readonly hits: number
  /** How many more it decides on, including those that it lets pass: 0 when it is used up. */
  readonly left: number
}

/** Which e-mail to wait for, and how long. */
export interface MailWait {
  /** The address that it is sent to, compared as the switch `candidateIdentity` says. Default: any. */
  readonly to?: string | undefined
  /** The `inviteId` of a known e-mail: only later ones count. */
  readonly after?: string | undefined
  /** How long to wait, in milliseconds of real time, at most 600,000. Default `5000`. */
  readonly timeoutMs?: number | undefined
}

/** Which callback to wait for, and how long. */
export interface CallbackWait {
  /** The type of its event. */
  readonly type?: 'certification.follow_up_claimed' | 'certification.completed' | undefined
  /** The invite of its event. */
  readonly inviteId?: string | undefined
  /** The address of its candidate, compared as the switch `candidateIdentity` says. */
  readonly email?: string | undefined
  /** Its status; `delivered` waits until it is acknowledged. Default: any. */
  readonly status?: 'waiting' | 'delivered' | 'given-up' | 'blocked' | undefined
  /** The `id` of a known callback: only later ones count. */
  readonly after?: string | undefined
  /** How long to wait, in milliseconds of real time, at most 600,000. Default `5000`. */
  readonly timeoutMs?: number | undefined
}

/** All of these types, by their names. */
export interface ContractTypes {
  readonly Level: Level
  readonly Quiz: Quiz
  readonly Package: Package
  readonly Track: Track
  readonly ApiKey: ApiKey
  readonly CandidateHistory: CandidateHistory
  readonly WorldData: WorldData
  readonly MockWorld: MockWorld
  readonly BehaviourSwitches: BehaviourSwitches
  readonly MockServerOptions: MockServerOptions
  readonly MockCallbackOptions: MockCallbackOptions
  readonly MockListenOptions: MockListenOptions
  readonly MockSessionOptions: MockSessionOptions
  readonly AttemptOutcome: AttemptOutcome
  readonly FollowUpKind: FollowUpKind
  readonly InviteStatus: InviteStatus
  readonly MockInvite: MockInvite
  readonly MockMail: MockMail
  readonly MockAttempt: MockAttempt
  readonly MockCertification: MockCertification
  readonly MockPackage: MockPackage
  readonly MockTrack: MockTrack
  readonly MockCallback: MockCallback
  readonly MockCallbackAttempt: MockCallbackAttempt
  readonly MockExchange: MockExchange
  readonly MockSnapshot: MockSnapshot
  readonly Fault: Fault
  readonly FaultRule: FaultRule
  readonly CallbackFault: CallbackFault
  readonly CallbackFaultRule: CallbackFaultRule
  readonly FaultProgress: FaultProgress
  readonly MailWait: MailWait
  readonly CallbackWait: CallbackWait
}
