import type { MockServer } from './contract/mock-server.ts'
import type { MockServerOptions } from './generated/contract.ts'
import { serverOf } from './server.ts'

export type { MockCallbacks } from './contract/callbacks.ts'
export type * from './contract/fetch-types.ts'
export type * from './contract/members.ts'
export type * from './contract/mock-server.ts'
export type {
  ApiKey,
  AttemptOutcome,
  BehaviourSwitches,
  CallbackFault,
  CallbackFaultRule,
  CallbackWait,
  CandidateHistory,
  Fault,
  FaultProgress,
  FaultRule,
  FollowUpKind,
  FollowUpQuestion,
  InviteStatus,
  Level,
  MailWait,
  MockAttempt,
  MockCallback,
  MockCallbackAttempt,
  MockCallbackOptions,
  MockCertification,
  MockExchange,
  MockInvite,
  MockListenOptions,
  MockMail,
  MockPackage,
  MockServerOptions,
  MockSessionOptions,
  MockSnapshot,
  MockTrack,
  MockWorld,
  Package,
  Quiz,
  RequestWait,
  Scope,
  Track,
  WorldData,
} from './generated/contract.ts'
export type { OperationName } from './generated/operations.ts'
export type { Duration, Moment } from './world/clock.ts'

/**
 * Makes a mock of the certification service. Each mock has a world of its own, and shares nothing with others.
 *
 * @throws Error when `world` is not valid, which then has its `problems`, or an option is not valid.
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
