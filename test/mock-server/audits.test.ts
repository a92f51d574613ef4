import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MockListener } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'

/* Every rule of GraphQL over HTTP that graphql-http can audit: MUST, SHOULD and MAY alike. */

const mock = createMockServer()
let listener: MockListener

beforeAll(async () => {
  listener = await mock.listen()
})
afterAll(() => listener.close())

const runtimes = [
  { runtime: 'in process', audits: serverAudits({ url: mock.endpoint, fetchFn: mock.fetch }) },
  { runtime: 'over HTTP', audits: serverAudits({ url: () => listener.endpoint }) },
]

describe.each(runtimes)('$runtime', ({ audits }) => {
  test('there are 61 audits', () => {
    expect(audits).toHaveLength(61)
  })

  test.each(audits)('$id $name', async ({ fn }) => {
    const result = await fn()
    expect(result.status === 'ok' ? 'ok' : result.reason).toBe('ok')
  })
})
