import type { Dialect } from './api/dialect.ts'
import type { MockServer } from './contract.ts'
import { serverOf } from './server.ts'
import type { MockServerOptions } from './server-options.ts'
import type { Duration, Moment } from './world/clock.ts'
import type { FollowUpQuestion } from './world/dialect.ts'
import type { ApiKey, CandidateHistory, Level, Package, Quiz, Scope, Track, WorldData } from './world/model.ts'

export type { MockServer, MockSession, MockSessionOptions } from './contract.ts'
export type { MockListener, MockListenOptions, MockServing } from './listeners.ts'
export type { MockFetch, MockRequest, MockRequestInit, MockResponse } from './platform.ts'
export type { MockAttempt, MockCertification, MockInvite, MockMail, MockPackage, MockTrack } from './rows.ts'
export type { MockCallback, MockCallbackAttempt, MockCallbackOptions, MockCallbacks } from './sandbox/callback.ts'
export type { ChangeListener, MockPart } from './sandbox/changes.ts'
export type {
  CallbackFault,
  CallbackFaultRule,
  Fault,
  FaultHandle,
  FaultProgress,
  FaultRecord,
  FaultRule,
  MockFaults,
} from './sandbox/fault.ts'
export type { MockExchange, MockJournal } from './sandbox/journal.ts'
export type { MailQuery, MailWait } from './sandbox/outbox.ts'
export type { MockSnapshot } from './sandbox/snapshot.ts'
export type { MockServerOptions } from './server-options.ts'
export type { MockCandidate, MockChallenge, MockClock } from './tester.ts'
export type {
  ApiKey,
  CandidateHistory,
  Dialect,
  Duration,
  FollowUpQuestion,
  Level,
  Moment,
  Package,
  Quiz,
  Scope,
  Track,
  WorldData,
}

/**
 * Makes a certification service in a box, with a world of its own: two mocks share nothing.
 *
 * @throws Error when the world that is asked for contradicts the specification, or an option is not one.
 * @example
 * ```ts
 * const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
 * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
 * await client.packageInvites.create({ packageId: 'pkg_react_beginner', candidate: { email: 'ines@candidate.test' } })
 * expect(mock.outbox).toHaveLength(3)
 * ```
 */
export function createMockServer(options: MockServerOptions = {}): MockServer {
  return serverOf(options).mock
}
