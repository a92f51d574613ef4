import { test as base, type TestAPI } from 'vitest'
import type { MockServer } from './contract/mock-server.ts'
import type { MockServerOptions } from './generated/contract.ts'
import { createMockServer } from './index.ts'

/** The test context of {@link test}. */
export interface MockFixtures {
  /** A separate mock for each test that asks for one: made before the test and closed after it. */
  readonly mock: MockServer
  /**
   * The options of these mocks. Override them with `test.extend`, or before Vitest 4.1 with `test.scoped`. By default
   * each test has a `seed` of its own, so that no two tests have the same identifiers.
   */
  readonly mockOptions: MockServerOptions
}

/**
 * Vitest's `test` with a fresh world for each test, concurrent ones too.
 *
 * @example
 * ```ts
 * import { test as base } from 'certify-sdk/mock/vitest'
 *
 * const test = base.extend({ mockOptions: { now: '2030-01-01T00:00:00Z' } })
 *
 * test('a link closes after 14 days', async ({ mock }) => {
 *   const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
 *   const invite = await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } })
 *   await mock.clock.advance('14d')
 *   expect((await mock.fetch(invite.challengeUrl)).status).toBe(410)
 * })
 * ```
 */
export const test: TestAPI<MockFixtures> = base.extend<MockFixtures>({
  mockOptions: {},
  mock: async ({ mockOptions, task }, use) => {
    const mock = createMockServer({ seed: `${task.file.name} ${task.id}`, ...mockOptions })
    await use(mock)
    await mock.close()
  },
})
