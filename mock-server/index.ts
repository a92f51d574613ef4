import type { MockServer } from './contract/mock-server.ts'
import type { MockServerOptions } from './contract/options.ts'
import { serverOf } from './server.ts'

export type { BehaviourSwitches } from './contract/behaviour-switches.ts'
export type { MockCallback, MockCallbackAttempt, MockCallbackOptions, MockCallbacks } from './contract/callbacks.ts'
export type * from './contract/candidate.ts'
export type * from './contract/changes.ts'
export type * from './contract/clock.ts'
export type { CallbackFault, CallbackFaultRule, Fault, FaultRule } from './contract/fault-rules.ts'
export type * from './contract/faults.ts'
export type * from './contract/fetch-types.ts'
export type * from './contract/mock-server.ts'
export type * from './contract/options.ts'
export type * from './contract/request-log.ts'
export type * from './contract/serving.ts'
export type * from './contract/snapshot.ts'
export type * from './contract/waits.ts'
export type * from './contract/world.ts'
export type { OperationName } from './generated/operation-name.ts'
export type { Duration, Moment } from './world/clock.ts'
export type {
  ApiKey,
  AttemptOutcome,
  CandidateHistory,
  FollowUpKind,
  InviteStatus,
  Level,
  MockAttempt,
  MockCertification,
  MockInvite,
  MockMail,
  MockPackage,
  MockTrack,
  Package,
  Quiz,
  Scope,
  Track,
  WorldData,
} from './world/model.ts'
export type { FollowUpQuestion } from './world/rule-switches.ts'

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
