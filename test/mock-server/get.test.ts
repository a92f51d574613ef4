import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { type Answer, answerOf, CREATE, INES, keyOf, QUIZ, TRACKS } from './calls.ts'

async function get(mock: MockServer, search: string | Record<string, string>, accept = ''): Promise<Answer> {
  const address = `${mock.endpoint}?${typeof search === 'string' ? search : new URLSearchParams(search).toString()}`
  const headers = { 'x-api-key': keyOf(mock, 'full'), ...(accept && { accept }) }
  return answerOf(await mock.fetch(address, { headers }))
}

test('a query may use GET, with its variables as JSON and the same key', async () => {
  const mock = createMockServer()
  const asked = { query: TRACKS, variables: '{"trackSlug":"sql"}' }
  const { status, body } = await get(mock, asked)
  expect([status, body?.data]).toMatchObject([200, { developerCertificationPackageTracks: [{ slug: 'sql' }] }])
  const keyless = await answerOf(await mock.fetch(`${mock.endpoint}?${new URLSearchParams(asked).toString()}`))
  expect(keyless.body?.errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED')
})

test.each([
  { query: CREATE, operationName: '' },
  { query: `query Look { __typename } ${CREATE.replace('mutation', 'mutation Create')}`, operationName: 'Create' },
])('a mutation is never executed by GET: 405, allow POST', async (asked) => {
  const mock = createMockServer()
  const variables = JSON.stringify({ input: { quizId: QUIZ, candidate: INES } })
  const address = `${mock.endpoint}?${new URLSearchParams({ ...asked, variables }).toString()}`
  const response = await mock.fetch(address, { headers: { 'x-api-key': keyOf(mock, 'full') } })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  expect(await response.text()).toContain('send mutations by POST')
  expect([mock.invites, mock.outbox]).toEqual([[], []])
})
