import type { MockServer } from './contract/mock-server.ts'
import type { MockServerOptions } from './generated/contract.ts'
import { serverOf } from './server.ts'

export type { MockCallbacks } from './contract/members.ts'
export type { MockRequest, MockResponse } from './contract/fetch-types.ts'
export type {
  FaultHandle,
  MockCandidate,
  MockChallenge,
  MockClock,
  MockFaults,
  MockRequestLog,
} from './contract/members.ts'
export type { MockListener, MockServer, MockSession } from './contract/mock-server.ts'
export type {
  ApiKey,
  BehaviourSwitches,
  CallbackFaultRule,
  Fault,
  FaultRule,
  MockCallback,
  MockExchange,
  MockInvite,
  MockMail,
  MockServerOptions,
  MockSnapshot,
  MockWorld,
} from './generated/contract.ts'
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
