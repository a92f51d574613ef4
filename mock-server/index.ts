import { type Dialect, dialectWith } from './api/dialect.ts'
import { GraphQLEndpoint } from './api/graphql-over-http.ts'
import { ENDPOINT_PATH, routerOf } from './api/router.ts'
import type { MockServer, MockServerOptions } from './contract.ts'
import { fetchOf } from './fetch.ts'
import { Listeners } from './listeners.ts'
import type { MockInvite } from './rows.ts'
import { Faults } from './sandbox/faults.ts'
import { ADMIN_SESSION_TOKEN } from './world/access.ts'
import { DEFAULT_CATALOGUE } from './world/catalogue.ts'
import { type Duration, isoTime, type Moment } from './world/clock.ts'
import type { ApiKey, CandidateHistory, Invite, Level, Package, Quiz, Scope, Track, WorldData } from './world/model.ts'
import { World } from './world/world.ts'

export type {
  MockCandidate,
  MockClock,
  MockListener,
  MockListenOptions,
  MockServer,
  MockServerOptions,
} from './contract.ts'
export type { MockFetch, MockRequest, MockRequestInit, MockResponse } from './platform.ts'
export type { MockInvite, MockMail, MockPackage, MockTrack } from './rows.ts'
export type { Fault, FaultHandle, FaultRecord, FaultRule, MockFaults } from './sandbox/fault.ts'
export type { ApiKey, CandidateHistory, Dialect, Duration, Level, Moment, Package, Quiz, Scope, Track, WorldData }

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
  const baseUrl = normalisedBase(options.baseUrl ?? 'https://certify.test')
  const dialect = dialectWith(options.dialect ?? {})
  const world = new World({
    data: worldData(options.world ?? {}),
    dialect,
    seed: options.seed ?? 'certify',
    ...(options.now !== undefined && { now: options.now }),
  })
  const faults = new Faults(world)
  const router = routerOf(world, new GraphQLEndpoint(world, dialect), faults)
  const listeners = new Listeners(router)

  return {
    baseUrl,
    endpoint: baseUrl + ENDPOINT_PATH,
    apiKey: world.apiKeys[0]?.key ?? '',
    apiKeys: world.apiKeys,
    adminSession: { headers: { authorization: `Bearer ${ADMIN_SESSION_TOKEN}` } },
    clock: {
      now: () => new Date(world.clock.now()),
      freeze: (at) => world.clock.freeze(at),
      advance: async (by) => world.clock.advance(by),
    },
    get invites() {
      return Array.from(world.state.invitesByToken.values(), inviteRow)
    },
    get outbox() {
      return world.state.mails.map((mail) => ({ ...mail, sentAt: isoTime(mail.sentAt) }))
    },
    get tracks() {
      return world.tracks.map((track) => ({
        ...track,
        packages: track.packages.map((pack) => ({ ...pack, deliverable: world.isDeliverable(pack) })),
      }))
    },
    get quizzes() {
      return [...world.state.quizzes.values()]
    },
    candidate: (email) => ({
      email,
      startAttempt: (quizId) => world.startAttempt(email, quizId),
      certify: (quizId) => world.certify(email, quizId),
    }),
    disableQuiz: (quizId) => world.setReady(quizId, false),
    enableQuiz: (quizId) => world.setReady(quizId, true),
    faults: {
      add: (rule) => faults.add(rule),
      list: () => faults.list(),
      clear: () => faults.clear(),
    },
    reset() {
      world.reset()
      faults.clear()
    },
    fetch: fetchOf(router, baseUrl),
    listen: (where = {}) => listeners.listen(where),
    close: () => listeners.close(),
  }
}

/** Checked, in the spelling that requests will have, and without a slash at the end. */
function normalisedBase(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(`baseUrl has to be a http:// or https:// URL, not ${JSON.stringify(baseUrl)}.`)
  }
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/\/+$/, '')
}

function worldData(parts: Partial<WorldData>): WorldData {
  const { quizzes, tracks, candidates, apiKeys } = parts
  return {
    quizzes: quizzes ?? DEFAULT_CATALOGUE.quizzes,
    tracks: tracks ?? (quizzes ? [] : DEFAULT_CATALOGUE.tracks),
    candidates: candidates ?? (quizzes || tracks ? [] : DEFAULT_CATALOGUE.candidates),
    apiKeys: apiKeys ?? DEFAULT_CATALOGUE.apiKeys,
  }
}

function inviteRow(invite: Invite): MockInvite {
  const { token: _token, candidateKey: _candidateKey, ...row } = invite
  return {
    ...row,
    candidate: { ...row.candidate },
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
  }
}
